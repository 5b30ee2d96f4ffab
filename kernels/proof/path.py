"""From the positions on a way to the moves along it, in the bytes that the referee takes.

A depth-first walk wanders: its own way to a won position may have thousands of moves. So the positions that it found
are searched again, breadth first: then the way is the shortest one through them.
"""

from itertools import pairwise

import numpy as np

from kernels.cards import ALL, CARDS
from kernels.jit import kernel
from kernels.layout import Layout
from kernels.proof.around import CHILD_WORDS, MOST_CHILDREN, look_around
from kernels.proof.planes import AT_BOTTOM, HOME, IN_CELL, ON_LOWER_SUIT, Facts
from kernels.proof.table import insert, new_table, slot_of
from kernels.rules import Rules
from kernels.words import U0, U1, U2

Planes = tuple[int, int, int]
WON: Planes = (0, 0, 0)

CELLS, TO_CELL, TO_HOME = 8, 8, 9
"""Cells as sources, a cell and the foundations as targets."""


@kernel
def spread(table, facts, order, parents, reached, around):
    """Visit the positions of a table by their distance from the first one, until one move wins.

    Parameters
    ----------
    table : (slots, 3) uint64
    order : (n,) uint64
        The slots visited, the first position's given, the winning one's last.
    parents : (n,) uint64
        By place in `order`, the place of the position before.
    reached : (slots,) bool
        By slot, whether it is in `order`.
    around : (80, 5) uint64
        Scratch.

    Returns
    -------
    place : uint64
        The place in `order` of the position that one move wins from; the number visited where there is none.
    """
    place, visited = U0, U1
    reached[order[U0]] = True
    while place < visited:
        slot = order[place]
        count, _ = look_around(table[slot, U0], table[slot, U1], table[slot, U2], facts, False, U0, around)
        for i in range(count):
            a, b, c = around[i, U0], around[i, U1], around[i, U2]
            if a | b | c == U0:
                return place
            slot = slot_of(table, a, b, c)
            if slot < np.uint64(table.shape[0]) and not reached[slot]:
                reached[slot] = True
                order[visited], parents[visited] = slot, place
                visited += U1
        place += U1
    return visited


@kernel
def fill(table, positions):
    """Insert positions into a table; the slot of the first one."""
    for i in range(np.uint64(positions.shape[0])):
        insert(table, positions[i, U0] & ALL, positions[i, U1], positions[i, U2])
    return slot_of(table, positions[U0, U0] & ALL, positions[U0, U1], positions[U0, U2])


def shortest_way(positions: np.ndarray, facts: Facts) -> list[Planes]:
    """The shortest way through some positions from the first of them to the won one, both included.

    Parameters
    ----------
    positions : (n, 3) uint64
        What was found on the way to the won one.
    facts : Facts
    """
    table = new_table(1 << (2 * len(positions)).bit_length())
    order, parents = np.empty(len(positions), np.uint64), np.zeros(len(positions), np.uint64)
    order[0] = fill(table, positions)
    reached, around = np.zeros(len(table), np.bool_), np.zeros((MOST_CHILDREN, CHILD_WORDS), np.uint64)
    place = int(spread(table, facts, order, parents, reached, around))
    way = [WON, _position(table[int(order[place])])]
    while place:
        place = int(parents[place])
        way.append(_position(table[int(order[place])]))
    return way[::-1]


def _position(planes: np.ndarray) -> Planes:
    a, b, c = map(int, planes)
    return a, b, c


def moves_along(positions: list[Planes], layout: Layout, rules: Rules, accepts: np.ndarray) -> bytes:
    """The moves from position to position, a byte each: source * 16 + target, as `playout` says.

    Parameters
    ----------
    positions : list of (int, int, int)
        The planes, each position one move from the one before.
    layout : Layout
        The first of them.
    rules : Rules
    accepts : (64,) uint64
        By card, the set of cards that it fits on.
    """
    columns = [list(column) for column in layout.columns]
    cells = [*layout.cells, *[None] * (rules.cells - len(layout.cells))]
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
