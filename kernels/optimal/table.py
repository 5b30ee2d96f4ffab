"""An open table of exact positions that grows where it lies, and what the search knows of each.

A slot is three words: the planes of a position, and above their 52 bits what else is known.

      63   61 60 58 57     52 51                 0
     +-------------------------+------------------+
     |          moves          |     plane a      |     made from the first position on
     +-------------+-----------+------------------+
     |    later    |in the way |     plane b      |     what `search` goes by: see there; the cards in the way
     +-------+-----+-----------+------------------+
     |   0   |came |   card    |     plane c      |     the card that moved last, 63 for none, and its code before
     +-------+-----+-----------+------------------+

A slot of zeros is free. A position is looked for from the slot that its mix points at, in the order of mixes, and goes
into the next free one. So positions lie in the order of their mixes but for short detours, in a table of any size. When
it grows, they move up one after another from the last on, and none is in another one's way.
"""

import numpy as np

from kernels.cards import ALL
from kernels.jit import inlined, kernel, prefetch
from kernels.proof.path import Planes
from kernels.proof.planes import PLANES
from kernels.proof.table import mixed
from kernels.words import U0, U1, U2, U3, U7, U32, U52, U63

FIRST_SLOTS = 1 << 16
NO_CARD = 63
"""Stands for the card that moved last, in the first position."""

BEHIND = 1 << 12
"""Slots behind the last one that a mix points at: detours end there."""

FULL = 0.8
"""Part of the slots that is filled before a table grows."""

LEAST_POSITIONS, MOST_POSITIONS = int(FIRST_SLOTS * FULL), 1 << 31
"""That a table may be asked to hold."""

HEAD = 1 << 15
"""Slots at the beginning that are cleared before the others move up: detours there may be longer than the way up."""

U58 = np.uint64(58)


def reserved(slots: int) -> np.ndarray:
    """Room for a table of up to so many slots; the system gives memory as it is used."""
    return np.zeros((slots + BEHIND, PLANES), np.uint64)


@inlined
def points_at(a, b, c, slots):
    """The slot where a position is looked for first."""
    return ((mixed(a, b, c) >> U32) * slots) >> U32


@inlined
def expect(table, a, b, c, slots):
    """Say that a position will be looked up soon."""
    prefetch(table, points_at(a, b, c, slots) * U3)


@inlined
def slot_for(table, a, b, c, slots):
    """The slot that holds a position, or the free one that it would go into."""
    slot = points_at(a, b, c, slots)
    while table[slot, U0] | table[slot, U1] | table[slot, U2]:
        if (
            ((table[slot, U0] ^ a) & ALL == U0)
            & ((table[slot, U1] ^ b) & ALL == U0)
            & ((table[slot, U2] ^ c) & ALL == U0)
        ):
            return slot
        slot += U1
    return slot


@inlined
def is_free(table, slot):
    """Whether a slot holds no position."""
    return (table[slot, U0] | table[slot, U1] | table[slot, U2]) == U0


@inlined
def set_slot(table, slot, first, second, third):
    """Write the words of a slot."""
    table[slot, U0], table[slot, U1], table[slot, U2] = first, second, third


@inlined
def code_of(a, b, c, card):
    """The code of a card in a position: where it is."""
    return ((a >> card) & U1) | (((b >> card) & U1) << U1) | (((c >> card) & U1) << U2)


@inlined
def packed(a, b, c, moves, way, later, card, came):
    """The three words of a slot."""
    return a | moves << U52, b | way << U52 | later << U58, c | card << U52 | came << U58


@inlined
def unpacked(first, second, third):
    """What the words of a slot hold but `later`: planes, moves, cards in the way, the card and its code before."""
    planes = first & ALL, second & ALL, third & ALL
    return planes, first >> U52, (second >> U52) & U63, (third >> U52) & U63, (third >> U58) & U7


@kernel
def move_up(table, slots):
    """Move all positions behind the head to where they belong among twice as many slots, from the last on."""
    slot = slots + np.uint64(BEHIND)
    while slot > np.uint64(HEAD):
        slot -= U1
        if not is_free(table, slot):
            a, b, c = table[slot, U0], table[slot, U1], table[slot, U2]
            set_slot(table, slot, U0, U0, U0)
            set_slot(table, slot_for(table, a & ALL, b & ALL, c & ALL, U2 * slots), a, b, c)


@kernel
def add_all(table, entries, slots):
    """Write positions that aren't there into a table."""
    for i in range(np.uint64(entries.shape[0])):
        a, b, c = entries[i, U0], entries[i, U1], entries[i, U2]
        if a | b | c:
            set_slot(table, slot_for(table, a & ALL, b & ALL, c & ALL, slots), a, b, c)


def double(table: np.ndarray, slots: int) -> None:
    """Spread the positions of a table over twice as many slots; the array has to have room for them.

    A position that made a detour of d slots to slot s moves to 2 (s - d) or behind it. That is not before s, where
    others still wait for their turn, unless d is more than half of s: the head is cleared for that.
    """
    head = table[:HEAD].copy()
    table[:HEAD] = 0
    move_up(table, np.uint64(slots))
    add_all(table, head, np.uint64(2 * slots))


def doublings(most: int) -> tuple[int, int]:
    """The first number of slots, and how often it can be doubled, for a table of so many positions in the end."""
    slots, times = max(FIRST_SLOTS, int(most / FULL)), 0
    while slots >= 2 * FIRST_SLOTS:
        slots, times = slots // 2, times + 1
    return slots, times


@kernel
def words_at(table, a, b, c, slots, words):
    """Copy the words of the slot that holds a position."""
    slot = slot_for(table, a, b, c, slots)
    words[U0], words[U1], words[U2] = table[slot, U0], table[slot, U1], table[slot, U2]


def way_to(table: np.ndarray, slots: int, planes: Planes) -> list[Planes]:
    """The positions on the way to one in a table, from the first one on."""
    way, words = [planes], np.zeros(PLANES, np.uint64)
    while True:
        a, b, c = map(np.uint64, planes)
        words_at(table, a, b, c, np.uint64(slots), words)
        card, came = int(words[2]) >> 52 & 63, int(words[2]) >> 58
        if card == NO_CARD:
            return way[::-1]
        a, b, c = (plane & ~(1 << card) | (came >> bit & 1) << card for bit, plane in enumerate(planes))
        planes = (a, b, c)
        way.append(planes)
