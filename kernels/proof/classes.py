"""A table of the positions of one class, in one word each: for classes of millions of positions.

A class is what no move inside a layer changes: which joints are left, and which cards are home. The other cards are
*loose*: n of them, m without kings. Given the class, two planes tell the place of each: a and c; and a king is never
on another card, so plane c needs no bit for it. The bits of the loose cards, packed, are the exact key:

     n + m - 1          n n - 1          0
    +--------------------+----------------+
    |  plane c, no kings |    plane a     |
    +--------------------+----------------+
            rest        t t - 1           0
    +------------------------+------------+
    |          rest          |    low     |
    +------------------------+------------+

The table has 2^t slots. The first slot of a key is its `low` bits, multiplied by an odd number and then toggled by a
mix of `rest`: both can be undone, so slot and rest tell the key, and only the rest is kept. Where a slot is taken, the
next one is tried; how many were passed is kept as well, so that the first slot is known. Several threads may fill a
table: a free slot is taken by an atomic exchange, and none is ever freed.

     63 or 31                  10 9        0
    +----------------------------+----------+
    |            rest            | passed+1 |      0 where the slot is free
    +----------------------------+----------+

A slot has 32 bits as soon as the table has so many slots that a rest fits into 22 bits: then it takes half the memory.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import exchanged, inlined, kernel, popcount, prefetch
from kernels.words import U0, U1, U8, U64

KINGS = np.uint64(0xF << 48)
U10 = np.uint64(10)
PASSED = np.uint64((1 << 10) - 1)
MOST_REST, SHORT_REST = 54, 22
"""Bits of a rest at most, and where a slot has 32 bits."""

MOST_BITS = 31
"""Slots of a table are at most 2 to this power: 8 or 16 GB."""

HUGE = 1 << 32
"""Bytes of a table that is filled more, since it would take gigabytes to grow."""

BYTES = 7
"""Bytes of a set of cards."""

_ODD = 0x9E3779B97F4A7C15
_FACTOR = np.uint64(_ODD)
_INVERSE = np.uint64(pow(_ODD, -1, 1 << 64))
_MIX = np.uint64(0xC2B2AE3D27D4EB4F)


class Loose(NamedTuple):
    """How the keys of a class are made, and their table.

    Attributes
    ----------
    slots : (2^t,) uint64 or uint32
    packed : (2, 7, 256) uint64
        By plane (a, c), byte of the plane and its value: the packed bits.
    sizes : (2,) uint64
        n and m.
    crowded : (1,) uint64
        1 once a position passed more slots than can be told.
    """

    slots: np.ndarray
    packed: np.ndarray
    sizes: np.ndarray
    crowded: np.ndarray


@kernel
def pack_tables(loose, packed):
    """Fill the packing of the loose cards of a class."""
    for plane in range(2):
        cards = loose if plane == 0 else loose & ~KINGS
        for byte in range(np.uint64(BYTES)):
            below = popcount(cards & ((U1 << (byte * U8)) - U1))
            here = (cards >> (byte * U8)) & np.uint64(255)
            for value in range(np.uint64(256)):
                word, place = U0, below
                for bit in range(U8):
                    if (here >> bit) & U1:
                        word |= ((value >> bit) & U1) << place
                        place += U1
                packed[plane, byte, value] = word


def fewest_bits(joints: int, there: int) -> int:
    """The smallest t that a class may have: log2 of slots. `there` is the set of cards that aren't home."""
    return max(10, sum(sizes_of(joints, there)) - MOST_REST)


def sizes_of(joints: int, there: int) -> tuple[int, int]:
    """The numbers n and m of a class: its loose cards, and those that are no kings."""
    loose = there & ~joints & int(ALL)
    return loose.bit_count(), (loose & ~int(KINGS)).bit_count()


def slot_type(key_bits: int, slots: int) -> type[np.uint32] | type[np.uint64]:
    """The type of the slots of a table with so many of them, for keys of n + m bits."""
    return np.uint32 if key_bits - (slots.bit_length() - 1) <= SHORT_REST else np.uint64


def new_loose(joints: int, there: int, bits: int) -> Loose:
    """An empty table for a class."""
    sizes = sizes_of(joints, there)
    slots = np.zeros(1 << bits, slot_type(sum(sizes), 1 << bits))
    packed = np.zeros((2, BYTES, 256), np.uint64)
    table = Loose(slots, packed, np.array(sizes, np.uint64), np.zeros(1, np.uint64))
    pack_tables(np.uint64(there & ~joints & int(ALL)), table.packed)
    return table


@inlined
def packed_bits(table, plane, cards):
    """The packed bits of the loose cards in a plane."""
    word = U0
    for byte in range(np.uint64(BYTES)):
        word |= table[plane, byte, (cards >> (byte * U8)) & np.uint64(255)]
    return word


@inlined
def key_parts(loose, a, c, bits):
    """The low bits of a key and its rest."""
    n = loose.sizes[U0]
    first = packed_bits(loose.packed, U0, a)
    second = packed_bits(loose.packed, U1, c)
    word = first | (second << n)
    above = second >> (U64 - n)
    return word & ((U1 << bits) - U1), (word >> bits) | (above << (U64 - bits))


@inlined
def first_slot_of(low, rest, bits):
    """The slot where a key is looked for first."""
    return ((low * _FACTOR) & ((U1 << bits) - U1)) ^ ((rest * _MIX) >> (U64 - bits))


@inlined
def put_rest(slots, slot, rest, crowded):
    """Look a rest up from its first slot on, and note it; whether it is new."""
    mask = np.uint64(slots.shape[0]) - U1
    word = (rest << U10) | U1
    while True:
        there = np.uint64(slots[slot])
        if there == U0:
            there = exchanged(slots, slot, U0, word)
            if there == U0:
                return True
        if there == word:
            return False
        slot = (slot + U1) & mask
        word += U1
        if word & PASSED == U0:
            crowded[0] = U1
            return False


@inlined
def expect_loose(loose, a, c):
    """Say that a position will be looked up soon."""
    bits = popcount(np.uint64(loose.slots.shape[0]) - U1)
    low, rest = key_parts(loose, a, c, bits)
    prefetch(loose.slots, first_slot_of(low, rest, bits))


@inlined
def insert_loose(loose, a, c):
    """Look a position up and note it; whether it is new. There must be a free slot."""
    bits = popcount(np.uint64(loose.slots.shape[0]) - U1)
    low, rest = key_parts(loose, a, c, bits)
    return put_rest(loose.slots, first_slot_of(low, rest, bits), rest, loose.crowded)


@kernel
def copy_loose(slots, larger, crowded):
    """Insert all keys of a table into one of twice the size."""
    bits = popcount(np.uint64(slots.shape[0]) - U1)
    mask = np.uint64(slots.shape[0]) - U1
    for slot in range(np.uint64(slots.shape[0])):
        word = np.uint64(slots[slot])
        if word != U0:
            rest = word >> U10
            first = (slot - (word & PASSED) + U1) & mask
            low = ((first ^ ((rest * _MIX) >> (U64 - bits))) * _INVERSE) & mask
            low |= (rest & U1) << bits
            rest >>= U1
            put_rest(larger, first_slot_of(low, rest, bits + U1), rest, crowded)


def loose_room(loose: Loose) -> int:
    """Number of positions that a table takes before it has to grow: five eighths of its slots, or six of a huge one."""
    return len(loose.slots) * (5 if loose.slots.nbytes < HUGE else 6) // 8


def doubled_loose(loose: Loose) -> Loose:
    """A table of twice the size with the same positions."""
    slots = 2 * len(loose.slots)
    larger = np.zeros(slots, slot_type(int(loose.sizes.sum()), slots))
    copy_loose(loose.slots, larger, loose.crowded)
    return loose._replace(slots=larger)
