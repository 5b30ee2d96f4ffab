"""The single-card moves of a solution while they are found: none that changes nothing, no card twice in a row.

Two positions are equal if they are so up to the order of columns and cells, that is, if beneath each card lies the
same: another card, the table, or nothing since it is in a cell or home. So a step says which card moves, what comes to
lie beneath it and what lay there, but names no column or cell; those are chosen when all is written:

      17     12 11     6 5     0
     +---------+--------+-------+
     | before  | after  | card  |      0..51 a card, 52 the table, 53 a cell, 54 the foundation
     +---------+--------+-------+

A card that moves twice in a row moves at once. Where it goes back to what lay beneath it, nothing is left of it, and
the steps around it meet: what follows fits there as well.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import CARDS
from kernels.jit import inlined, lowest
from kernels.words import U0, U1, U4, U6, U8, U12, U52, U63

LONGEST = (1 << 16) - 1
"""Room for one solution, in single-card moves. A longer one can't be kept."""

MOST_STEPS = 1 << 20
"""Room for the steps of a path whose detours haven't been taken back yet."""

ON_TABLE, IN_CELL, AT_HOME = (np.uint64(beneath) for beneath in range(52, 55))
"""What lies beneath a card, where it isn't another card."""

NO_STEP = U63
"""Stands before the first step: its card is none."""

_CELLS = np.uint64(0xFF00)
_FOUNDATION = np.uint64(9)


class Trail(NamedTuple):
    """Steps from the deal to the position where the playing is now.

    Attributes
    ----------
    steps : (1048577,) uint32
        From number 1 on.
    beneath : (64,) uint8
        By card, what lies beneath it.
    piles : (64,) uint64
        Scratch: by card, the pile where it lies, as a source. Behind the cards: the first empty column, the first free
        cell, and the foundation, as targets.
    moves : (65535,) uint8
        The solution, a byte a move: source * 16 + target. Sources 0..7 columns, 8..15 cells; targets 0..7 columns, 8
        the first free cell, 9 the foundation.
    """

    steps: np.ndarray
    beneath: np.ndarray
    piles: np.ndarray
    moves: np.ndarray


class End(NamedTuple):
    """Where a trail ends so far.

    Attributes
    ----------
    count, last : uint64
        Number of steps, and the last of them.
    """

    count: int
    last: int


def new_trail(longest: int = LONGEST) -> Trail:
    """Room for the steps of one deal, and for a solution of so many moves."""
    return Trail(
        np.zeros(MOST_STEPS + 1, np.uint32),
        np.zeros(64, np.uint8),
        np.zeros(64, np.uint64),
        np.zeros(longest, np.uint8),
    )


@inlined
def set_out(board, trail):
    """Begin at a deal; the end of a trail without steps."""
    for index in range(U8):
        trail.beneath[board[index]] = ON_TABLE
    for index in range(U8, U52):
        trail.beneath[board[index]] = board[index - U8]
    trail.steps[0] = NO_STEP
    return End(U0, NO_STEP)


@inlined
def note(trail, end, card, after):
    """Note that a card moves, and what comes to lie beneath it; the end of the trail then.

    Once a step has found no room, all later are lost.
    """
    count, last = end
    if count == np.uint64(MOST_STEPS):
        return end
    before = np.uint64(trail.beneath[card])
    trail.beneath[card] = after
    if last & U63 == card:
        before = last >> U12
        count -= U1
    if after == before:
        return End(count, np.uint64(trail.steps[count]))
    step = before << U12 | after << U6 | card
    trail.steps[count + U1] = step
    return End(count + U1, step)


@inlined
def write_moves(board, cells, trail, count):
    """Write so many steps as moves into `trail.moves`; their number, 0 if there is no room for all."""
    if count > np.uint64(trail.moves.size):
        return 0
    for index in range(np.uint64(CARDS)):
        trail.piles[board[index]] = index % U8
    trail.piles[AT_HOME] = _FOUNDATION
    places = ((U1 << cells) - U1) << U8
    for number in range(count):
        step = np.uint64(trail.steps[number + U1])
        card, after, before = step & U63, step >> U6 & U63, step >> U12
        trail.piles[ON_TABLE] = lowest(places | _CELLS)
        trail.piles[IN_CELL] = lowest(places & _CELLS | np.uint64(1 << 16))
        source, target = trail.piles[card], trail.piles[after]
        places ^= np.uint64(before >= ON_TABLE) << source
        places ^= np.uint64((after == ON_TABLE) | (after == IN_CELL)) << target
        trail.piles[card] = target
        trail.moves[number] = source << U4 | min(target, U8 + np.uint64(after == AT_HOME))
    return np.int64(count)
