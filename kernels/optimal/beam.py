"""Beam search for a short solution: layer after layer of moves, and of each layer only the positions that promise most.

A layer holds positions that as many moves lead to. The next one is made of what one move leads to from them and is new.
Of these, those with the lowest bound on the moves to come are kept, as many as the beam is wide; among equal bounds
those with the fewest cards in cells and the most empty columns. The first layer from which a move wins ends it.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import inlined, kernel, popcount
from kernels.layout import Layout
from kernels.optimal.bound import Dealt, Sight, cards_in_the_way, dealt, new_sight
from kernels.optimal.table import (
    NO_CARD,
    code_of,
    expect,
    is_free,
    packed,
    reserved,
    set_slot,
    slot_for,
    unpacked,
    way_to,
)
from kernels.proof.around import CARD_BITS, CHILD_WORDS, MOST_CHILDREN, look_around
from kernels.proof.path import WON, Planes
from kernels.proof.planes import PLANES, facts_from
from kernels.rules import Rules
from kernels.words import U0, U1, U2, U3, U4

NARROWEST = 50
"""Width of the first beam; each further one is twice as wide."""

KEYS = 1 << 11
"""More than there are keys: see `key_of`."""

MET, FOUND, KEPT, LEFT_OUT = (np.uint64(i) for i in range(4))
"""Entries of a tally: whether a move wins, positions found in all, positions in the layer, those left out of layers."""

_NO_CARD, _LAST_KEY = np.uint64(NO_CARD), np.uint64(KEYS - 1)


class Beam(NamedTuple):
    """A layer, and what is found on from it.

    Attributes
    ----------
    layer : (width, 3) uint64
        Positions, as words of a slot; where a move wins, the first one is that it wins from.
    found : (width * 80, 4) uint64
        New positions one move away, and the key of each.
    counts : (2048,) uint64
        How many of them have a key.
    tally : (4,) uint64
    around : (80, 5) uint64
        Scratch: what was found around a position.
    deal : Dealt
    sight : Sight
    """

    layer: np.ndarray
    found: np.ndarray
    counts: np.ndarray
    tally: np.ndarray
    around: np.ndarray
    deal: Dealt
    sight: Sight


def new_beam(width: int, deal: Dealt) -> Beam:
    """Room for layers of so many positions."""
    return Beam(
        np.zeros((width, PLANES), np.uint64),
        np.zeros((width * MOST_CHILDREN, PLANES + 1), np.uint64),
        np.zeros(KEYS, np.uint64),
        np.zeros(4, np.uint64),
        np.zeros((MOST_CHILDREN, CHILD_WORDS), np.uint64),
        deal,
        new_sight(),
    )


@inlined
def key_of(a, b, c, way):
    """What a layer goes by, lowest first: the bound, then cards in cells (up to 8) and columns that aren't empty."""
    return ((popcount(a | b | c) + way) << U4) + min(popcount(a & ~b & ~c) + popcount(b & ~a & ~c), np.uint64(15))


@kernel
def set_out(table, slots, planes, beam):
    """Make the first position the first layer."""
    a, b, c = planes[U0], planes[U1], planes[U2]
    way = cards_in_the_way(a, b, c, U0, beam.deal, beam.sight)
    first, second, third = packed(a, b, c, U0, way, U0, _NO_CARD, U0)
    set_slot(table, slot_for(table, a, b, c, slots), first, second, third)
    set_slot(beam.layer, U0, first, second, third)
    beam.tally[KEPT] = beam.tally[FOUND] = U1


@kernel
def advance(table, slots, facts, beam, most):
    """Make the next layer, unless a move wins.

    Parameters
    ----------
    table : (slots + 4096, 3) uint64
        Holds all positions that were found.
    slots : uint64
    facts : Facts
    beam : Beam
    most : uint64
        Moves that a solution may have.
    """
    layer, found, counts, around, tally = beam.layer, beam.found, beam.counts, beam.around, beam.tally
    counts[:] = U0
    new = U0
    for i in range(tally[KEPT]):
        (a, b, c), moves, way, last, _ = unpacked(layer[i, U0], layer[i, U1], layer[i, U2])
        count, settled = look_around(a, b, c, facts, True, U0, around)
        for j in range(count):
            expect(table, around[j, U0], around[j, U1], around[j, U2], slots)
        for j in range(count):
            x, y, z, card = around[j, U0], around[j, U1], around[j, U2], around[j, U4] & CARD_BITS
            if card == last and settled:  # one move would do
                continue
            if x | y | z == U0:
                tally[MET] = U1
                set_slot(layer, U0, layer[i, U0], layer[i, U1], layer[i, U2])
                return
            slot = slot_for(table, x, y, z, slots)
            if not is_free(table, slot):
                continue
            ahead = way
            if (x | y | z) & (U1 << card):
                ahead = cards_in_the_way(x, y, z, max(way, U1) - U1, beam.deal, beam.sight)
            if moves + U1 + popcount(x | y | z) + ahead > most:
                continue
            key = key_of(x, y, z, ahead)
            one, two, three = packed(x, y, z, moves + U1, ahead, U0, card, code_of(a, b, c, card))
            set_slot(table, slot, one, two, three)
            set_slot(found, new, one, two, three)
            found[new, U3] = key
            counts[key] += U1
            new += U1
    tally[FOUND] += new
    keep_lowest(layer, found, new, counts, tally)


@inlined
def keep_lowest(layer, found, new, counts, tally):
    """Make a layer of the positions with the lowest keys, among equal ones of those that were found first."""
    left, key = np.uint64(layer.shape[0]), U0
    while key < _LAST_KEY and counts[key] <= left:
        left -= counts[key]
        key += U1
    kept = U0
    for i in range(new):
        at_the_edge = found[i, U3] == key
        if found[i, U3] < key or (at_the_edge and left > U0):
            left -= U1 if at_the_edge else U0
            set_slot(layer, kept, found[i, U0], found[i, U1], found[i, U2])
            kept += U1
    tally[KEPT] = kept
    tally[LEFT_OUT] += new - kept


def short_way(layout: Layout, rules: Rules, most: int, budget: int) -> list[Planes]:
    """The way of the best solution that beams of rising width find.

    Parameters
    ----------
    layout : Layout
        Not a won one.
    rules : Rules
    most : int
        Moves that it may have.
    budget : int
        No further beam once so many positions were found.

    Returns
    -------
    list of (int, int, int)
        The planes from the first position to the won one; empty if nothing was found.
    """
    best: list[Planes] = []
    width = NARROWEST
    while budget > 0:
        way, found, left_out = _one_beam(layout, rules, most, width)
        if way:
            best, most = way, len(way) - 2
        elif not left_out:  # there is no better one
            break
        budget -= found
        width *= 2
    return best


def _one_beam(layout: Layout, rules: Rules, most: int, width: int) -> tuple[list[Planes], int, int]:
    """What one beam finds, the positions that it took, and how many of them it left out."""
    facts, planes = facts_from(layout, rules.cells, rules.in_suit)
    beam = new_beam(width, dealt(layout, facts.accepts))
    tally = beam.tally
    slots = 1 << (512 * width).bit_length()
    table = reserved(slots)
    set_out(table, np.uint64(slots), planes, beam)
    room = slots * 3 // 4 - width * MOST_CHILDREN
    while tally[KEPT] and tally[FOUND] < room and not tally[MET]:
        advance(table, np.uint64(slots), facts, beam, np.uint64(most))
    if not tally[MET]:
        return [], int(tally[FOUND]), int(tally[LEFT_OUT] + tally[KEPT])
    a, b, c = (int(word) & int(ALL) for word in beam.layer[0])
    return [*way_to(table, slots, (a, b, c)), WON], int(tally[FOUND]), int(tally[LEFT_OUT])
