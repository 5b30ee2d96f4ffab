"""The evaluation, counted term by term on a plain table."""

from collections import Counter

from tests.naive.moves import CELL, FOUNDATION, autoplay, placeable, run_of, segment_of
from tests.naive.position import joints, next_cards, on_cells, prefix_size, tops

LOW_TERMS = ("on_ace", "on_two", "on_three", "on_four")
CELL_TERMS = ("cell_1", "cell_2", "cell_3", "cell_4")


def value_of(table, rules, weights):
    return points_of(terms(table, rules), weights)


def points_of(counts, weights):
    return sum(getattr(weights, term) * count for term, count in counts.items())


def terms(table, rules):
    """How often each weight counts; bonuses count below zero."""
    counts = Counter(home=52 - sum(table.home), depth=table.moves)
    add_cells(counts, len(on_cells(table)))
    add_empties(counts, sum(not column for column in table.columns))
    for column in filter(None, table.columns):
        prefix = prefix_size(column, rules)
        add_joints(counts, column, rules)
        add_lying(counts, column, prefix)
        add_digging(counts, column, prefix, next_cards(table))
        if prefix == 0:
            add_base(counts, column[0])
    return counts


def add_cells(counts, cards, sign=1):
    for number in range(cards):
        counts[CELL_TERMS[min(number, 3)]] += sign


def add_empties(counts, empties, sign=1):
    counts["empty_1"] -= sign * min(empties, 1)
    counts["empty_more"] -= sign * max(empties - 1, 0)


def add_base(counts, card):
    counts["low_base"] += 12 - card // 4


def add_joints(counts, column, rules):
    rows = joints(column, rules)
    for row in rows:
        rank, beneath = column[row] // 4, column[row - 1] // 4
        counts["joint"] += 1
        counts["first_joint"] += row == rows[0]
        counts["king_joint"] += rank == 12
        counts["sorted_joint"] -= rank < beneath


def add_lying(counts, column, prefix):
    """What lies on what: low cards count in the prefix alone, where they are buried."""
    for row, card in enumerate(column[:prefix]):
        counts["any_below"] += any(card // 4 > other // 4 for other in column[:row])
        if card // 4 < len(LOW_TERMS):
            counts[LOW_TERMS[card // 4]] += len(column) - 1 - row


def add_digging(counts, column, prefix, next_ones):
    """Cards above next cards: all of these in the prefix, in the run the uppermost alone."""
    in_run = [row for row in range(prefix, len(column)) if column[row] in next_ones]
    for row in [row for row in range(prefix) if column[row] in next_ones] + in_run[-1:]:
        counts["dig"] += len(column) - 1 - row


def estimate_of(table, move, rules, weights):
    """What a move is estimated to change, before it is made.

    As the values before and after, but: cards that come or go burden each next card beneath them, and only these; an
    emptied column counts as one of several; what has become the base of a column counts where it was put down alone.
    """
    head, source, target = move
    size = len(segment_of(table, move))
    counts = Counter(home=-(target == FOUNDATION))
    add_cells(counts, len(on_cells(table)) + (target == CELL) - (source == CELL))
    add_cells(counts, len(on_cells(table)), -1)
    if source != CELL:
        add_leaving(counts, table, table.columns[source], size, rules)
    if target < 8 and table.columns[target]:
        add_arriving(counts, table, table.columns[target], size, rules)
    elif target < 8:
        empties = table.columns.count([])
        add_empties(counts, empties - 1)
        add_empties(counts, empties, -1)
        add_base(counts, head)
    return points_of(counts, weights)


def add_arriving(counts, table, column, size, rules):
    """For each card that lies on a column: low cards in its prefix, and next cards."""
    for card in column[: prefix_size(column, rules)]:
        if card // 4 < len(LOW_TERMS):
            counts[LOW_TERMS[card // 4]] += size
    counts["dig"] += size * len(set(column).intersection(next_cards(table)))


def add_leaving(counts, table, column, size, rules):
    rest = column[:-size]
    if not rest:
        counts["empty_more"] -= 1
        return
    before, after = Counter(), Counter()
    for found, cards in (before, column), (after, rest):
        add_joints(found, cards, rules)
        add_lying(found, cards, prefix_size(cards, rules))
    after.subtract(before)
    counts.update(after)
    counts["dig"] -= size * len(set(rest).intersection(next_cards(table)))
    spots, run = placeable(tops(table), rules), run_of(rest, rules)
    counts["uncovers_fitting"] -= run[-1] in spots
    counts["uncovers_run"] -= run[0] in spots
    counts["uncovers_next"] -= run[-1] in next_cards(table)


def loose(column):
    """Number of cards above the longest part, from the bottom, in which none is higher than the one beneath."""
    rises = (row for row in range(1, len(column)) if column[row] // 4 > column[row - 1] // 4)
    return len(column) - next(rises, len(column))


def is_certain_win(table):
    room = table.cells.count(None) + sum(not column for column in table.columns)
    return sum(map(loose, table.columns)) <= room


def clears_up(table, rules):
    """Whether putting loose cards aside, and sending home all that can go, wins. Changes the table."""
    autoplay(table, rules, everything=True)
    while any(map(loose, table.columns)):
        card = next(column for column in table.columns if loose(column)).pop()
        if None in table.cells:
            table.cells[table.cells.index(None)] = card
        elif [] in table.columns:
            table.columns[table.columns.index([])].append(card)
        else:
            return False
        autoplay(table, rules, everything=True)
    return sum(table.home) == 52
