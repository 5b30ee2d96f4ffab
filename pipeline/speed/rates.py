"""A range decided by both sides in turns: us, the rival, us, the rival; at last what our quick pass left over.

All times are processor time: other jobs on the machine disturb it less than the clock on the wall, and turns spread
what is left of the disturbance over both sides.
"""

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple, TypeVar

import numpy as np

from pipeline.shards import Task
from pipeline.speed import freecell_solver
from pipeline.speed.one_process import deep_pass, quick_pass, undecided
from pipeline.store.rows import Rows

TURN = 10_000
"""Most deals in a turn: a few seconds for both sides, so that they meet the same state of the machine."""

Answer = TypeVar("Answer")


class Turn(NamedTuple):
    """One turn: a piece of a range, decided by both sides one after the other.

    Attributes
    ----------
    deals, positions : int
        Deals, and the positions that our quick pass expanded for them.
    left : list of int
        The deals that it left over.
    ours : float
        Seconds of processor time of our quick pass.
    theirs : float, optional
        The rival's seconds of processor time; None without a rival, or where it refused.
    """

    deals: int
    positions: int
    left: list[int]
    ours: float
    theirs: float | None


class Deep(NamedTuple):
    """Our deep pass over what the turns left: positions expanded, seconds of processor time."""

    positions: int
    seconds: float


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
    turns = [turn(task, with_rival) for task in pieces(first, last, least_turns)]
    rows, seconds = deep_timed([deal for turn in turns for deal in turn.left])
    return summary(first, last, turns, Deep(sum(positions_of(row) for row in rows), seconds))


def pieces(first: int, last: int, least: int) -> list[Task]:
    """A range cut evenly into at least so many pieces, none larger than `TURN`; as many as it has deals at most."""
    deals = last - first + 1
    return evenly(first, last, min(deals, max(least, -(-deals // TURN))))


def evenly(first: int, last: int, count: int) -> list[Task]:
    """A range cut into so many pieces of the same size, or one deal more."""
    deals = last - first + 1
    starts = [first + deals * piece // count for piece in range(count + 1)]
    return [Task(start, end - start) for start, end in pairwise(starts)]


def turn(task: Task, with_rival: bool) -> Turn:
    """Let both sides decide the same deals, us first."""
    rows, ours = timed(lambda: quick_pass(task))
    theirs = freecell_solver.seconds(task.first, task.first + task.count - 1) if with_rival else None
    return Turn(task.count, positions_of(rows), undecided(task, rows), ours, theirs)


def deep_timed(deals: Sequence[int]) -> tuple[list[Rows], float]:
    """A row for each of some deals after the deep pass, and the seconds of processor time that it took.

    The first deal is decided once before, so that the room for its attempts is there: a worker makes it once a run.
    """
    if deals:
        deep_pass(deals[0])
    return timed(lambda: [deep_pass(deal) for deal in deals])


def positions_of(rows: Rows) -> int:
    """Positions expanded for all deals of some rows."""
    return int(rows.positions.sum(dtype=np.uint64))


def timed(work: Callable[[], Answer]) -> tuple[Answer, float]:
    """What some work answers, and the processor time of this process that it took, in seconds."""
    start = time.process_time()
    answer = work()
    return answer, time.process_time() - start


def summary(first: int, last: int, turns: Sequence[Turn], deep: Deep) -> Speed:
    """The turns over a range in one line.

    Each turn bears the deep pass by its number of deals. A rival that refused one of the turns has no speed.
    """
    deals = sum(turn.deals for turn in turns)
    positions = sum(turn.positions for turn in turns) + deep.positions
    seconds = sum(turn.ours for turn in turns) + deep.seconds
    theirs = [turn.theirs for turn in turns if turn.theirs is not None]
    ratios = [
        turn.theirs / (turn.ours + deep.seconds * turn.deals / deals) for turn in turns if turn.theirs is not None
    ]
    compared = len(theirs) == len(turns)
    return Speed(
        first,
        last,
        len(turns),
        deals,
        positions,
        deals / seconds,
        deals / sum(theirs) if compared else None,
        Ratio(median(ratios), min(ratios), max(ratios)) if compared else None,
        deep.seconds / seconds,
        positions / deals,
        seconds / positions * 1e9,
    )
