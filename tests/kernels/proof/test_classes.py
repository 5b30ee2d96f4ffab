"""The table of a class against a set."""

import random

import numpy as np
import pytest

from kernels.cards import CARDS
from kernels.jit import kernel
from kernels.proof.classes import KINGS, doubled_loose, fewest_bits, insert_loose, new_loose

ALL_CARDS = (1 << CARDS) - 1
SOME_JOINTS = sum(1 << card for card in range(3, CARDS, 5))
BITS = 13
ROOM = (1 << BITS) * 5 // 8


@kernel
def insert_one(table, a, c):
    return insert_loose(table, a, c)


def insert(table, key):
    return bool(insert_one(table, np.uint64(key[0]), np.uint64(key[1])))


def keys_of(joints, there, count):
    """Planes a and c of positions of a class that differ in few loose cards, so that many share most bits."""
    source = random.Random(count)
    loose = [card for card in range(CARDS) if (there & ~joints) >> card & 1]

    def some(cards):
        return sum(1 << card for card in source.sample(cards, min(3, len(cards))))

    without_kings = [card for card in loose if not int(KINGS) >> card & 1]
    return [(joints | some(loose), some(without_kings)) for _ in range(count)]


def not_home(cards):
    return ALL_CARDS & ~((1 << (CARDS - cards)) - 1)


@pytest.mark.parametrize("there", [not_home(16), not_home(20), not_home(32)])
@pytest.mark.parametrize("joints", [0, SOME_JOINTS])
def test_only_what_is_new_is_inserted_before_and_after_doubling(joints, there):
    joints &= there
    keys = keys_of(joints, there, 2 * ROOM)
    bits = max(BITS, fewest_bits(joints, there))
    table, known = new_loose(joints, there, bits), set()
    for key in keys:
        if len(known) < ROOM:
            assert insert(table, key) == (key not in known)
            known.add(key)
    larger = doubled_loose(table)
    assert len(larger.slots) == 2 << bits
    assert np.count_nonzero(larger.slots) == len(known)
    assert not any(insert(larger, key) for key in known)
    for key in keys:
        assert insert(larger, key) == (key not in known)
        known.add(key)
    assert not larger.crowded[0]


@pytest.mark.parametrize(("cards", "before", "after"), [(16, 32, 32), (20, 64, 32), (32, 64, 64)])
def test_slots_are_as_short_as_the_rest_allows(cards, before, after):
    table = new_loose(0, not_home(cards), BITS)
    assert 8 * table.slots.itemsize == before
    assert 8 * doubled_loose(table).slots.itemsize == after


@pytest.mark.parametrize("cards", [16, 20])
def test_a_table_too_crowded_says_so(cards):
    table = new_loose(0, not_home(cards), 11)
    for key in dict.fromkeys(keys_of(0, not_home(cards), 20_000)):
        if np.count_nonzero(table.slots) < (1 << 11) - 1 and not table.crowded[0]:
            insert(table, key)
    assert table.crowded[0]
