"""What a search in haste does at once, on a plain table."""

from tests.naive.moves import CELL, is_legal, placeable, run_of
from tests.naive.position import on_cells, tops
from tests.naive.rules import fits


def move_at_once(table, rules, runs_too):
    """The highest card on a cell, or the whole run of the shortest column, that can go onto a top; `None` for none."""
    spots = placeable(tops(table), rules)
    in_cells = sorted(card for card in on_cells(table) if card in spots)
    if in_cells:
        return in_cells[-1], CELL, onto(table, in_cells[-1], rules)
    if not runs_too:
        return None
    runs = [(len(column), index, run_of(column, rules)[0]) for index, column in enumerate(table.columns) if column]
    moves = [(head, index, onto(table, head, rules)) for _, index, head in sorted(runs) if head in spots]
    return next((move for move in moves if is_legal(table, move, rules)), None)


def onto(table, card, rules):
    """The column that a card fits on; of two the one with the lower top card."""
    fitting = [(column[-1], index) for index, column in enumerate(table.columns) if column]
    return min((top, index) for top, index in fitting if fits(card, top, rules))[1]
