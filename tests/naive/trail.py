"""Moves of a solution without those that change nothing, on plain tables."""

from copy import deepcopy

from tests.naive.moves import CELL, FOUNDATION, make, move_of_byte
from tests.naive.position import lay_out, on_cells, unordered


def without_idle_moves(board, rules, moves):
    """What is left of single-card moves when no card may move twice in a row, and none without changing the position.

    Moves are taken one by one. One of the card that moved last takes the last one's place; one that leads to the
    position before it, up to the order of columns and cells, is dropped.
    """
    table = lay_out(board, rules)
    way = [(None, unordered(table))]
    for byte in moves:
        move = move_of_byte(table, byte)
        make(table, move)
        if way[-1][0] == move[0]:
            way.pop()
        if unordered(table) != way[-1][1]:
            way.append((move[0], unordered(table)))
    return _written(lay_out(board, rules), way[1:])


def _written(table, way):
    """The byte of each move: it goes to the first of the columns and cells that make its position."""
    written = []
    for card, position in way:
        for target in _targets(table):
            after = deepcopy(table)
            byte = _source(after, card) * 16 + target
            make(after, move_of_byte(after, byte))
            if unordered(after) == position:
                break
        written.append(byte)
        table = after
    return written


def _targets(table):
    return [*range(8), *([CELL] if None in table.cells else []), FOUNDATION]


def _source(table, card):
    if card in on_cells(table):
        return 8 + table.cells.index(card)
    return next(index for index, column in enumerate(table.columns) if column and column[-1] == card)
