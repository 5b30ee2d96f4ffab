"""The game, written from the rules: positions as tuples, one card at a time."""

from typing import NamedTuple


class Position(NamedTuple):
    """Columns (without the empty ones) and cells in sorted order, so that their order on the table doesn't matter."""

    columns: tuple
    cells: tuple
    home: tuple


def position_of(columns, cells, home):
    return Position(tuple(sorted(tuple(column) for column in columns if column)), tuple(sorted(cells)), tuple(home))


def first_position(board):
    """The deal laid out; `board` holds the cards in dealing order."""
    return position_of([[int(card) for card in board[column::8]] for column in range(8)], [], [0, 0, 0, 0])


def is_red(card):
    return card % 4 in (1, 2)


def fits(card, beneath, rules):
    if card // 4 + 1 != beneath // 4:
        return False
    return card % 4 == beneath % 4 if rules.in_suit else is_red(card) != is_red(beneath)


def is_next(card, home):
    return home[card % 4] == card // 4


def is_won(position):
    return sum(position.home) == 52


def after_home(card, home):
    return [count + (suit == card % 4) for suit, count in enumerate(home)]


def without_a_card(position):
    """Each card that can move, and what is left without it."""
    for index, column in enumerate(position.columns):
        others = position.columns[:index] + position.columns[index + 1 :]
        yield column[-1], (*others, column[:-1]), position.cells
    for index, card in enumerate(position.cells):
        yield card, position.columns, position.cells[:index] + position.cells[index + 1 :]


def children(position, rules):
    """The positions that one card's move leads to, other than the position itself."""
    found = set()
    for card, columns, cells in without_a_card(position):
        if is_next(card, position.home):
            found.add(position_of(columns, cells, after_home(card, position.home)))
        if len(cells) < rules.cells:
            found.add(position_of(columns, (*cells, card), position.home))
        taken = [column for column in columns if column]
        if len(taken) < 8:
            found.add(position_of([*taken, (card,)], cells, position.home))
        for index, column in enumerate(taken):
            if fits(card, column[-1], rules):
                grown = [*taken[:index], (*column, card), *taken[index + 1 :]]
                found.add(position_of(grown, cells, position.home))
    return found - {position}


def is_safe(card, home, rules):
    """Whether a card that is next may go home at once (Blake & Gent; in Baker's Game it always may)."""
    if rules.in_suit:
        return True
    rank = card // 4 + 1
    others = [home[suit] for suit in range(4) if is_red(suit) != is_red(card)]
    twin = next(home[suit] for suit in range(4) if is_red(suit) == is_red(card) and suit != card % 4)
    return min(others) >= rank - 1 or (min(others) >= rank - 2 and twin >= rank - 3)


def settled(position, rules):
    """The position after everything safe has gone home."""
    for card, columns, cells in without_a_card(position):
        if is_next(card, position.home) and is_safe(card, position.home, rules):
            return settled(position_of(columns, cells, after_home(card, position.home)), rules)
    return position
