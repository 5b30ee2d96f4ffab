"""Ranges against the plain way, a deal at a time."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pipeline.evidence.ranges import Range, hold, joined, pieces

RANGES = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 9)).map(lambda pair: (pair[0], sum(pair))), max_size=6)


def deals(ranges: list[Range]) -> set[int]:
    return {deal for first, last in ranges for deal in range(first, last + 1)}


@given(RANGES)
def test_joined(ranges: list[Range]) -> None:
    apart = joined(ranges)
    assert deals(apart) == deals(ranges)
    assert all(one[1] + 1 < other[0] for one, other in pairwise(apart))
    assert [hold(apart, deal) for deal in range(60)] == [deal in deals(ranges) for deal in range(60)]


@given(RANGES, RANGES)
def test_pieces(ranges: list[Range], others: list[Range]) -> None:
    cut = list(pieces(joined(ranges), joined(others)))
    covered = [deal for first, last, _ in cut for deal in range(first, last + 1)]
    assert covered == sorted(deals(ranges))
    for first, last, shared in cut:
        assert deals([(first, last)]) & deals(others) == (deals([(first, last)]) if shared else set())
