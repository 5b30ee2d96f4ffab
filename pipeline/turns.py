"""A range decided by both sides in turns: us, the rival, us, the rival.

All times are processor time: other jobs on the machine disturb it less than the clock on the wall, and turns spread
what is left of the disturbance over both sides.
"""

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple, TypeVar

import numpy as np

from pipeline import rival
from pipeline.chunks import Task
from pipeline.passes import deep_pass, quick_pass, undecided

TURN = 10_000
"""Most deals in a turn: a few seconds for both sides, so that they meet the same state of the machine."""

Answer = TypeVar("Answer")


class Turn(NamedTuple):
    """A piece of a range, decided by both sides one after the other.

    Attributes
    ----------
    deals, positions : int
        Deals, and the positions that we expanded for them.
    quick, deep : float
        Our seconds of processor time in the two passes.
    theirs : float, optional
        The rival's seconds of processor time; None without a rival, or where it refused.
    """

    deals: int
    positions: int
    quick: float
    deep: float
    theirs: float | None

    @property
    def ours(self) -> float:
        """Our seconds until every deal was decided."""
        return self.quick + self.deep


class Ratio(NamedTuple):
    """How many times faster we are: over the turns, the median and both ends."""

    median: float
    least: float
    most: float


class Speed(NamedTuple):
    """What the turns over a range came to: rates by the second of processor time, until every deal is decided.

    `deep_share` is the part of our time that went into the deals that the quick pass leaves over.
    """

    first: int
    last: int
    turns: int
    deals: int
    positions: int
    deals_per_second: float
    rival_deals_per_second: float | None
    ratio: Ratio | None
    deep_share: float
    positions_per_deal: float
    nanoseconds_per_position: float


def speed_over(first: int, last: int, least_turns: int, with_rival: bool) -> Speed:
    """Decide a range in at least so many turns."""
    return summary(first, last, [turn(task, with_rival) for task in pieces(first, last, least_turns)])


def pieces(first: int, last: int, least: int) -> list[Task]:
    """A range cut evenly into at least so many pieces, none larger than `TURN`; as many as it has deals at most."""
    deals = last - first + 1
    count = min(deals, max(least, -(-deals // TURN)))
    starts = [first + deals * piece // count for piece in range(count + 1)]
    return [Task(start, end - start) for start, end in pairwise(starts)]


def turn(task: Task, with_rival: bool) -> Turn:
    """Let both sides decide the same deals, us first."""
    rows, quick = timed(lambda: quick_pass(task))
    left, deep = timed(lambda: [deep_pass(deal) for deal in undecided(task, rows)])
    positions = sum(int(block.positions.sum(dtype=np.uint64)) for block in (rows, *left))
    theirs = rival.seconds(task.first, task.first + task.count - 1) if with_rival else None
    return Turn(task.count, positions, quick, deep, theirs)


def timed(work: Callable[[], Answer]) -> tuple[Answer, float]:
    """What some work answers, and the processor time of this process that it took, in seconds."""
    start = time.process_time()
    answer = work()
    return answer, time.process_time() - start


def summary(first: int, last: int, turns: Sequence[Turn]) -> Speed:
    """The turns over a range in one line; a rival that refused one of them has no speed."""
    deals, positions = sum(turn.deals for turn in turns), sum(turn.positions for turn in turns)
    ours = sum(turn.ours for turn in turns)
    theirs = [turn.theirs for turn in turns if turn.theirs is not None]
    ratios = [turn.theirs / turn.ours for turn in turns if turn.theirs is not None]
    compared = len(theirs) == len(turns)
    return Speed(
        first,
        last,
        len(turns),
        deals,
        positions,
        deals / ours,
        deals / sum(theirs) if compared else None,
        Ratio(median(ratios), min(ratios), max(ratios)) if compared else None,
        sum(turn.deep for turn in turns) / ours,
        positions / deals,
        ours / positions * 1e9,
    )
