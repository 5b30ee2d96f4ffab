"""The evaluation, counted term by term on a plain table."""

from collections import Counter

from tests.naive.moves import autoplay
from tests.naive.position import joints, next_cards, on_cells, prefix_size

LOW_TERMS = ("on_ace", "on_two", "on_three", "on_four")
CELL_TERMS = ("cell_1", "cell_2", "cell_3", "cell_4")


def value_of(table, rules, weights):
    return sum(getattr(weights, term) * count for term, count in terms(table, rules).items())


def terms(table, rules):
    """How often each weight counts; bonuses count below zero."""
    counts = Counter(home=52 - sum(table.home), depth=table.moves)
    for number in range(len(on_cells(table))):
        counts[CELL_TERMS[min(number, 3)]] += 1
    add_empties(counts, sum(not column for column in table.columns))
    for column in filter(None, table.columns):
        add_joints(counts, column, rules)
        add_lying(counts, column, prefix_size(column, rules))
        add_digging(counts, column, prefix_size(column, rules), next_cards(table))
    return counts


def add_empties(counts, empties):
    counts["empty_1"] -= min(empties, 1)
    counts["empty_more"] -= max(empties - 1, 0)


def add_joints(counts, column, rules):
    rows = joints(column, rules)
    for row in rows:
        rank, beneath = column[row] // 4, column[row - 1] // 4
        counts["joint"] += 1
        counts["first_joint"] += row == rows[0]
        counts["king_joint"] += rank == 12
        counts["sorted_joint"] -= rank < beneath
    if not rows:
        counts["low_base"] += 12 - column[0] // 4


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
