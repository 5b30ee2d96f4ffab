"""The referee, written from the rules: lists for columns, a list with holes for cells."""

from tests.naive.rules import fits, is_next


def replay(board, rules, moves):
    """0 for a complete game, -1 for an unfinished one, otherwise the number of the first wrong move."""
    columns = [[int(card) for card in board[column::8]] for column in range(8)]
    return replay_on(columns, [None] * rules.cells, [0, 0, 0, 0], rules, moves)


def replay_on(columns, cells, home, rules, moves):
    """The same from cards that lie anywhere, which are moved."""
    for number, move in enumerate(moves, 1):
        source, target = divmod(int(move), 16)
        card = top_card(columns, cells, source)
        if card is None or not may_go(card, target, columns, cells, home, rules):
            return number
        destination = cells.index(None) if target == 8 else None
        if source < 8:
            columns[source].pop()
        else:
            cells[source - 8] = None
        if target < 8:
            columns[target].append(card)
        elif target == 8:
            cells[destination] = card
        else:
            home[card % 4] += 1
    return 0 if sum(home) == 52 else -1


def top_card(columns, cells, source):
    if source < 8:
        return columns[source][-1] if columns[source] else None
    return cells[source - 8] if source - 8 < len(cells) else None


def may_go(card, target, columns, cells, home, rules):
    if target < 8:
        return not columns[target] or fits(card, columns[target][-1], rules)
    if target == 8:
        return None in cells
    return target == 9 and is_next(card, home)
