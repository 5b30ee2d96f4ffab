"""Ranges of deals, both ends included, in ascending order and apart from each other."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

Range = tuple[int, int]


class Piece(NamedTuple):
    """Deals `first .. last`, and whether other ranges hold all of them or none."""

    first: int
    last: int
    shared: bool


def joined(ranges: Iterable[Range]) -> list[Range]:
    """Any ranges in order, those that overlap or touch made one."""
    apart: list[Range] = []
    for first, last in sorted(ranges):
        if apart and first <= apart[-1][1] + 1:
            apart[-1] = (apart[-1][0], max(last, apart[-1][1]))
        else:
            apart.append((first, last))
    return apart


def hold(ranges: Sequence[Range], deal: int) -> bool:
    """Whether a deal lies in one of the ranges."""
    index = bisect_right(ranges, (deal, inf)) - 1
    return index >= 0 and deal <= ranges[index][1]


def pieces(ranges: Iterable[Range], others: Sequence[Range]) -> Iterator[Piece]:
    """The ranges cut where the others begin and end."""
    for first, last in ranges:
        index = max(bisect_right(others, (first, inf)) - 1, 0)
        for low, high in map(others.__getitem__, range(index, len(others))):
            if low > last:
                break
            if high < first:
                continue
            if low > first:
                yield Piece(first, low - 1, False)
            yield Piece(max(first, low), min(last, high), True)
            first = high + 1
        if first <= last:
            yield Piece(first, last, False)
