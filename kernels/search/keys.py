"""The keys of the positions that a search has met: an open table that grows with what it holds.

A slot holds a key, 0 where it is free; where a slot is taken the next one is tried. A table that is half full is
replaced by one of twice the size. Tables take turns at the two ends of one array, so that the smaller one is still
there when its keys are entered into the larger one:

      0            S/4                 S                 S + S/2
     +------------------------------------+------------------+
     | the largest table, S slots         |  that of S/2     |
     | before it, that of S/4             |                  |
     +------------------------------------+------------------+

So a search clears, and touches, little more memory than its keys need, however large its budget is.
"""

from typing import NamedTuple

import numpy as np

from kernels.jit import inlined, kernel
from kernels.words import U0, U1, U2, U3, U20

FIRST_SLOTS = 1 << 12
"""Slots that a search begins with, unless its budget needs fewer."""

START, SLOTS, FREE = (np.uint64(i) for i in range(3))
"""Entries of a table's state: where it begins, its slots, and how many keys it takes before it has to grow."""


class Keys(NamedTuple):
    """Keys met.

    Attributes
    ----------
    slots : (S + S/2,) uint64
        As drawn above; S is a power of two.
    state : (3,) uint64
        `START`, `SLOTS` and `FREE` of the present table.
    """

    slots: np.ndarray
    state: np.ndarray


def most_slots(keys: int) -> int:
    """Slots of the largest table of a search that may meet so many keys: at most half of them are taken."""
    return 1 << (2 * keys - 1).bit_length()


def no_keys(keys: int) -> Keys:
    """Room for so many keys; memory that no search came to need is never touched."""
    most = most_slots(keys)
    return Keys(np.zeros(most + most // 2, np.uint64), np.zeros(3, np.uint64))


def keys_bytes(keys: int) -> int:
    """Bytes that `no_keys` may come to hold."""
    return most_slots(keys) * 12


@inlined
def open_table(keys, start, slots):
    """Begin a table without keys."""
    for slot in range(start, start + slots):
        keys.slots[slot] = U0
    keys.state[START] = start
    keys.state[SLOTS] = slots
    keys.state[FREE] = slots // U2


@inlined
def largest(keys):
    """Slots of the largest table that there is room for."""
    return np.uint64(keys.slots.size) // U3 * U2


@inlined
def clear_keys(keys):
    """Forget all keys."""
    slots = largest(keys)
    start = U0
    while slots > np.uint64(FIRST_SLOTS):
        slots //= U2
        start = largest(keys) - start
    open_table(keys, start, slots)


@inlined
def slot_of(keys, start, slots, key):
    """The slot of a key, or the free one where it is to be entered."""
    mask = slots - U1
    slot = (key >> U20) & mask
    while keys.slots[start + slot] != U0 and keys.slots[start + slot] != key:
        slot = (slot + U1) & mask
    return start + slot


@kernel
def grow(keys):
    """Enter all keys into a table of twice the size."""
    start, slots = keys.state[START], keys.state[SLOTS]
    open_table(keys, largest(keys) - start, slots * U2)
    for slot in range(start, start + slots):
        key = keys.slots[slot]
        if key != U0:
            keys.slots[slot_of(keys, keys.state[START], keys.state[SLOTS], key)] = key
    keys.state[FREE] -= slots // U2


@inlined
def is_new(keys, key):
    """Enter a key; False where it was there already."""
    slot = slot_of(keys, keys.state[START], keys.state[SLOTS], key)
    if keys.slots[slot] == key:
        return False
    if keys.state[FREE] == U0:
        grow(keys)
        slot = slot_of(keys, keys.state[START], keys.state[SLOTS], key)
    keys.slots[slot] = key
    keys.state[FREE] -= U1
    return True
