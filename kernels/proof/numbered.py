"""Positions numbered in the order in which they are found, and a table that finds their numbers.

    positions                                          slots (2^t)
      0 | a with the last move | b | c |                 63        32 31         0
      1 | a with the last move | b | c |                +------------+------------+
      2 | a with the last move | b | c |                |    mix     |  number+1  |      0 where the slot is free
        :                                               +------------+------------+

A slot has a third of the size of a position, so what is read and written in no order is small, and so is what a
growing table copies. The first slot is the highest t bits of the mix; where it is taken, the next one is tried. Where
the mix is the same, the position decides: all its words are compared.

      63        63 62             52 51                    0
     +------------+-----------------+----------------------+
     |     0      |    last move    |       plane a        |
     +------------+-----------------+----------------------+
"""

import numpy as np

from kernels.cards import ALL
from kernels.jit import inlined, kernel, popcount, prefetch
from kernels.words import U0, U1, U2, U32, U52, U64

NUMBER = np.uint64((1 << 32) - 1)


def room(slots: int) -> int:
    """Number of positions that so many slots take before there have to be more: five eighths of them."""
    return slots * 5 // 8


def slots_for(positions: int) -> int:
    """The fewest slots that take so many positions."""
    slots = 1 << 4
    while room(slots) < positions:
        slots *= 2
    return slots


@inlined
def expect(slots, mix):
    """Say that a position with this mix will be looked up soon."""
    prefetch(slots, mix >> (U64 - popcount(np.uint64(slots.shape[0]) - U1)))


@inlined
def enter(positions, slots, number, mix, a, b, c, last):
    """Look a position up, and note it under a number if it is new; whether it is. There must be a free slot.

    What is at that number is overwritten in any case: whether a position is new can't be foretold, by the processor
    neither, so nothing should depend on it.
    """
    mask = np.uint64(slots.shape[0]) - U1
    slot = mix >> (U64 - popcount(mask))
    word = slots[slot]
    while word != U0:
        if (word ^ mix) >> U32 == U0:
            other = (word & NUMBER) - U1
            if (positions[other, U0] & ALL == a) & (positions[other, U1] == b) & (positions[other, U2] == c):
                break
        slot = (slot + U1) & mask
        word = slots[slot]
    is_new = word == U0
    slots[slot] = (mix & ~NUMBER) | (number + U1) if is_new else word
    positions[number, U0] = a | (last << U52)
    positions[number, U1] = b
    positions[number, U2] = c
    return is_new


@kernel
def copy_slots(slots, larger):
    """Fill empty slots with all that others hold; from front to back, since the mix gives the slot."""
    mask = np.uint64(larger.shape[0]) - U1
    shift = U64 - popcount(mask)
    for i in range(np.uint64(slots.shape[0])):
        word = slots[i]
        if word != U0:
            slot = word >> shift
            while larger[slot] != U0:
                slot = (slot + U1) & mask
            larger[slot] = word
