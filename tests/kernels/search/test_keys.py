"""The table of keys against a set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.search.keys import FIRST_SLOTS, SLOTS, keys_bytes, no_keys
from tests.kernels import probes

ROOM = 5 * FIRST_SLOTS
TABLE = no_keys(ROOM)


@settings(deadline=None, max_examples=30)
@given(st.randoms(use_true_random=False), st.integers(1, ROOM), st.sampled_from([20, 34, 64]))
def test_a_key_is_new_once(choose, count, bits):
    """Of few bits, so that keys come again and that many want the same slot. What was met before is forgotten."""
    keys = np.array([(choose.getrandbits(bits) << 64 - bits | 1) for _ in range(count)], np.uint64)
    probes.forget(TABLE)
    new = np.zeros(count, np.bool_)
    probes.meet(TABLE, keys, new)
    met = set()
    assert new.tolist() == [not (key in met or met.add(key)) for key in keys.tolist()]


@pytest.mark.parametrize("count", [1, FIRST_SLOTS // 2, FIRST_SLOTS // 2 + 1, FIRST_SLOTS + 1, ROOM])
def test_a_table_has_two_slots_for_each_key_and_no_more_than_twice_that(count):
    probes.forget(TABLE)
    keys = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    probes.meet(TABLE, keys, np.zeros(count, np.bool_))
    assert max(FIRST_SLOTS, 2 * count) <= TABLE.state[SLOTS] <= max(FIRST_SLOTS, 4 * count)


def test_a_small_search_touches_little_of_a_large_table():
    table = no_keys(1 << 20)
    probes.forget(table)
    probes.meet(table, np.arange(1, 87, dtype=np.uint64) << np.uint64(20), np.zeros(86, np.bool_))
    assert np.count_nonzero(table.slots) == 86
    assert table.state[SLOTS] == FIRST_SLOTS


@pytest.mark.parametrize("count", [1, 2, 100, FIRST_SLOTS, ROOM])
def test_the_size_of_a_table_is_known_beforehand(count):
    assert keys_bytes(count) == no_keys(count).slots.nbytes
    probes.forget(no_keys(count))


def test_all_the_room_there_is_can_be_used():
    """Also by a table that is smaller than what others begin with."""
    for count in (1, 2, 3, 100, 1 << 12, (1 << 12) + 1):
        table, new = no_keys(count), np.zeros(count, np.bool_)
        probes.forget(table)
        probes.meet(table, np.arange(1, count + 1, dtype=np.uint64), new)
        assert new.all()
