"""The table: it finds what was entered, whatever size it has grown to."""

import numpy as np
import pytest

from kernels.cards import ALL
from kernels.jit import kernel
from kernels.optimal.table import (
    FIRST_SLOTS,
    FULL,
    LEAST_POSITIONS,
    double,
    doublings,
    is_free,
    reserved,
    set_slot,
    slot_for,
)
from kernels.words import U0


@kernel
def enter(table, slots, entries):
    """Enter positions; how many were there."""
    there = 0
    for i in range(np.uint64(len(entries))):
        a, b, c = entries[i, 0] & ALL, entries[i, 1] & ALL, entries[i, 2] & ALL
        slot = slot_for(table, a, b, c, slots)
        if is_free(table, slot):
            set_slot(table, slot, entries[i, 0], entries[i, 1], entries[i, 2])
        elif (table[slot, 0] == entries[i, 0]) & (table[slot, 1] == entries[i, 1]) & (table[slot, 2] == entries[i, 2]):
            there += 1
    return there


@pytest.mark.parametrize("first", [FIRST_SLOTS, 2 * FIRST_SLOTS - 1])
def test_nothing_is_lost_as_it_grows(first):
    entries = np.random.default_rng(1).integers(1, 1 << 63, (int(first * FULL), 3), np.uint64)
    memory = reserved(8 * first)
    assert enter(memory, np.uint64(first), entries) == 0
    for slots in (first, 2 * first, 4 * first):
        double(memory, slots)
        assert enter(memory, np.uint64(2 * slots), entries) == len(entries)
        assert np.count_nonzero(memory.any(axis=1)) == len(entries)


@pytest.mark.parametrize("most", [1, LEAST_POSITIONS, 100_000, 100_000_000, 123_456_789])
def test_it_grows_to_the_size_that_was_asked_for(most):
    slots, times = doublings(most)
    assert FIRST_SLOTS <= slots < 2 * FIRST_SLOTS
    assert 0 <= max(FIRST_SLOTS, most / FULL) - (slots << times) <= 1 << times


def test_moves_and_the_rest_do_not_hide_a_position():
    table = reserved(FIRST_SLOTS)
    entries = np.array([[1, 2, 4], [1 | 5 << 52, 2, 4 | 7 << 58]], np.uint64)
    assert enter(table, np.uint64(FIRST_SLOTS), entries) == U0
    assert np.count_nonzero(table.any(axis=1)) == 1
