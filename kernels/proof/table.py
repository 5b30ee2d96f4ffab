"""An open table of exact positions.

A slot holds the three words of a position, all of which are compared; a slot of zeros is free (all zeros would be the
won position, which is never looked up). Where a slot is taken the next one is tried.
"""

import numpy as np

from kernels.jit import inlined, kernel, popcount, prefetch
from kernels.proof.planes import PLANES
from kernels.words import U0, U1, U2, U32, U64

_FACTOR_0 = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_1 = np.uint64(0xC2B2AE3D27D4EB4F)
_FACTOR_2 = np.uint64(0x165667B19E3779F9)


def new_table(slots: int) -> np.ndarray:
    """A table without positions: (slots, 3) uint64. The number of slots has to be a power of two."""
    return np.zeros((slots, PLANES), np.uint64)


def room(slots: int) -> int:
    """Number of positions that a table takes before it has to grow: three quarters of its slots."""
    return slots * 3 // 4


@inlined
def mixed(a, b, c):
    """A mix of three words, whose high bits depend on all of them."""
    mix = a * _FACTOR_0 + b * _FACTOR_1 + c * _FACTOR_2
    return (mix ^ (mix >> U32)) * _FACTOR_0


@inlined
def first_slot(a, b, c, mask):
    """The slot where a position is looked for first: the high bits of a mix of its words.

    High bits, because they keep their order when the table grows: then it is read and written from front to back.
    """
    return mixed(a, b, c) >> (U64 - popcount(mask))


@inlined
def expect(table, a, b, c):
    """Say that a position will be looked up soon: large tables lie in slow memory."""
    prefetch(table, first_slot(a, b, c, np.uint64(table.shape[0]) - U1) * np.uint64(PLANES))


@inlined
def insert(table, a, b, c):
    """Look a position up and note it; whether it is new. There must be a free slot."""
    mask = np.uint64(table.shape[0]) - U1
    slot = first_slot(a, b, c, mask)
    while table[slot, U0] | table[slot, U1] | table[slot, U2]:
        if (table[slot, U0] == a) & (table[slot, U1] == b) & (table[slot, U2] == c):
            return False
        slot = (slot + U1) & mask
    table[slot, U0] = a
    table[slot, U1] = b
    table[slot, U2] = c
    return True


@inlined
def slot_of(table, a, b, c):
    """The slot that holds a position; one past the last where none does."""
    mask = np.uint64(table.shape[0]) - U1
    slot = first_slot(a, b, c, mask)
    while table[slot, U0] | table[slot, U1] | table[slot, U2]:
        if (table[slot, U0] == a) & (table[slot, U1] == b) & (table[slot, U2] == c):
            return slot
        slot = (slot + U1) & mask
    return mask + U1


@kernel
def copy_into(table, larger):
    """Insert all positions of a table into another."""
    for slot in range(np.uint64(table.shape[0])):
        a, b, c = table[slot, U0], table[slot, U1], table[slot, U2]
        if a | b | c:
            insert(larger, a, b, c)


def doubled(table: np.ndarray) -> np.ndarray:
    """A table of twice the size with the same positions."""
    larger = new_table(2 * len(table))
    copy_into(table, larger)
    return larger
