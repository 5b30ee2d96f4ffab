"""From the positions on a way to the moves along it, in the bytes that the referee takes.

A depth-first way wanders. From each position, the way is cut to the furthest later position that one move reaches.
"""

from itertools import pairwise

import numpy as np

from kernels.cards import CARDS
from kernels.jit import kernel
from kernels.proof.planes import (
    AT_BOTTOM,
    COLUMNS,
    HOME,
    IN_CELL,
    MOST_CHILDREN,
    ON_LOWER_SUIT,
    Facts,
    look_around,
)
from kernels.rules import Rules

Planes = tuple[int, int, int]
WON: Planes = (0, 0, 0)

CELLS, TO_CELL, TO_HOME = 8, 8, 9
"""Cells as sources, a cell and the foundations as targets."""


@kernel
def children(a, b, c, facts, around):
    """Write the positions that one move leads to; their number."""
    count, _ = look_around(a, b, c, facts, False, around)
    return count


def shortened(way: np.ndarray, facts: Facts) -> list[Planes]:
    """The positions of a way and the won one, without detours.

    Parameters
    ----------
    way : (n, 3) uint64
        From the first position on, each one move from the one before; the last is one move from the won one.
    """
    positions = [(int(a), int(b), int(c)) for a, b, c in way] + [WON]
    number = {position: index for index, position in enumerate(positions)}
    around = np.zeros((MOST_CHILDREN, 4), np.uint64)
    short = [positions[0]]
    while short[-1] != WON:
        count = int(children(*map(np.uint64, short[-1]), facts, around))
        reached = [(int(a), int(b), int(c)) for a, b, c, _ in around[:count]]
        short.append(positions[max(number[position] for position in reached if position in number)])
    return short


def moves_along(positions: list[Planes], board: np.ndarray, rules: Rules, accepts: np.ndarray) -> bytes:
    """The moves from position to position, a byte each: source * 16 + target, as `playout` says.

    Parameters
    ----------
    positions : list of (int, int, int)
        The planes, each position one move from the one before.
    board : (52,) uint8
        Cards in dealing order.
    rules : Rules
    accepts : (64,) uint64
        By card, the set of cards that it fits on.
    """
    columns = [[int(card) for card in board[column::COLUMNS]] for column in range(COLUMNS)]
    cells: list[int | None] = [None] * rules.cells
    moves = bytearray()
    for before, after in pairwise(positions):
        card = ((before[0] ^ after[0]) | (before[1] ^ after[1]) | (before[2] ^ after[2])).bit_length() - 1
        if card in cells:
            source = CELLS + cells.index(card)
            cells[source - CELLS] = None
        else:
            source = next(number for number, cards in enumerate(columns) if cards[-1:] == [card])
            columns[source].pop()
        code = sum((plane >> card & 1) << bit for bit, plane in enumerate(after))
        if code == HOME:
            target = TO_HOME
        elif code == IN_CELL:
            target = TO_CELL
            cells[cells.index(None)] = card
        else:
            target = _column_for(card, code, columns, accepts)
            columns[target].append(card)
        moves.append(source * 16 + target)
    return bytes(moves)


def _column_for(card: int, code: int, columns: list[list[int]], accepts: np.ndarray) -> int:
    """The column that a card goes to: an empty one, or one whose top card is the one that the code names."""
    if code == AT_BOTTOM:
        return columns.index([])
    fitting = [other for other in range(CARDS) if int(accepts[card]) >> other & 1]
    beneath = fitting[code - ON_LOWER_SUIT]
    return next(number for number, cards in enumerate(columns) if cards[-1:] == [beneath])
