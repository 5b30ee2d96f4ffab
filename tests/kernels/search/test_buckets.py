"""The queue against stacks in a dictionary."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.search.buckets import (
    BUCKETS,
    FAR,
    MOST_GAP,
    START,
    bucket_of,
    child_word,
    empty_queue,
    gap_of,
    move_of,
    parent_of,
)
from tests.kernels import probes


class Stacks:
    """Children by bucket; the latest of the lowest bucket comes out first."""

    def __init__(self):
        self.stacks = {}

    def put(self, bucket, number):
        self.stacks.setdefault(bucket, []).append(number)

    def get(self):
        if not self.stacks:
            return 0
        low = min(self.stacks)
        number = self.stacks[low].pop()
        if not self.stacks[low]:
            del self.stacks[low]
        return number


ROOM = 200
QUEUE = empty_queue(ROOM + 1)


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(0, BUCKETS - 1), st.integers(0, 3)), max_size=ROOM))
def test_the_latest_of_the_lowest_bucket_comes_out_first(steps):
    """Numbers are buckets to put a child into, None takes one out. What was left before is forgotten."""
    plain = Stacks()
    probes.empty(QUEUE)
    for number, bucket in enumerate(steps, 1):
        if bucket is None:
            assert probes.get(QUEUE) == plain.get()
        else:
            probes.put(QUEUE, np.uint64(bucket), np.uint64(number), np.uint64(number << 7))
            plain.put(bucket, number)
            assert QUEUE.children[number] == number << 7
    while number := plain.get():
        assert probes.get(QUEUE) == number
    assert probes.get(QUEUE) == 0


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 10**6), st.integers(0, (52 << 8) - 1))
def test_a_child_word_holds_what_was_put_in(parent, gap, move):
    child = np.uint64(child_word(np.uint64(parent), np.int64(gap), np.uint64(move)))
    assert parent_of(child) == parent
    assert move_of(child) == move
    assert gap_of(child) == min(gap // 4, MOST_GAP) * 4


def plain_bucket(points):
    """32 points a bucket; from bucket 1,792 on, 16 buckets to each factor of two."""
    bucket = max(points // 32 + START, 0)
    width, first, beyond = 1, FAR, bucket
    while beyond >= first + 16 * width:
        first += 16 * width
        width *= 2
    if bucket < FAR:
        return bucket
    return min(FAR + 16 * (width.bit_length() - 1) + (bucket - first) // width, BUCKETS - 1)


def test_buckets_widen_far_away_and_the_ends_hold_the_rest():
    points = [*range(-80_000, 80_000, 5), *range(80_000, 60_000_000, 4_999)]
    buckets = [int(bucket_of(np.int64(value))) for value in points]
    assert buckets == [plain_bucket(value) for value in points]
    assert buckets == sorted(buckets)
    assert (buckets[0], buckets[-1]) == (0, BUCKETS - 1)


def test_values_far_apart_never_share_the_last_bucket():
    """A search whose waiting children all share one bucket takes the latest first, and dives."""
    assert bucket_of(np.int64(10**6)) < bucket_of(np.int64(2 * 10**6)) < bucket_of(np.int64(2 * 10**7)) < BUCKETS - 1
