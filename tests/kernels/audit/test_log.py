"""The log of positions: what is entered once is there, before and after it grows, and nothing else is."""

import itertools

import numpy as np
import pytest

from kernels.audit.log import FIRST_PLACES, MOST_PLACES, new_log, room, with_more_room
from tests.kernels.audit.probes import enter_all

WORDS = (0, 1, 2, 1 << 40)


@pytest.mark.parametrize("places", [128, FIRST_PLACES])
def test_positions_that_differ_in_one_word(places):
    """64 positions; in 128 places most are compared with others that came to the same place before."""
    log = new_log(places)
    positions = np.array(list(itertools.product(WORDS, repeat=3)), np.uint64)
    assert enter_all(log, positions, 0) == 64
    assert enter_all(log, positions[::-1].copy(), 64) == 64
    larger = with_more_room(log, 64)
    assert room(len(larger.index)) == 2 * room(places)
    assert enter_all(larger, positions, 64) == 64
    assert enter_all(larger, positions + np.uint64(3), 64) == 128
    assert larger.positions[1:65].tolist() == positions.tolist()


def test_a_log_ends_where_its_numbers_do():
    largest = new_log(2)._replace(index=np.broadcast_to(np.uint32(0), MOST_PLACES))
    with pytest.raises(MemoryError, match="2,147,483,648 positions"):
        with_more_room(largest, room(MOST_PLACES))
