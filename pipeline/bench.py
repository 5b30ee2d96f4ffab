"""Speed of one census worker against Freecell Solver, in turns, and the signature of the search.

All times are processor time: other jobs on the machine disturb it less than the clock on the wall, and turns spread
what is left of the disturbance over both sides.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeVar

import numpy as np

from kernels.dealing import deal_block
from kernels.rules import FREECELL
from pipeline import known, rival, signature
from pipeline.census import QUICK_CLOSURE
from pipeline.chunks import Task
from pipeline.config import Search
from pipeline.rows import UNDECIDED, UNSOLVABLE
from pipeline.worker import Plan, decide_task, warm

RANGES = (
    (signature.FIRST, signature.LAST),
    (5_000_000, 5_100_000),
    (2**31, 2**31 + 20_000),
    (2**32, 2**32 + 20_000),
)
"""What everybody measures; a range that no weight was ever tuned on; one in each band that other programs got wrong."""

BANDS = (1, 2**31, 2**32)
"""First deals of the three ways of dealing."""

TURN = 10_000
"""Most deals in a turn: a few seconds for both sides, so that they meet the same state of the machine."""

DEALT, BLOCKS = 10_000, 100
"""Deals in a block, and blocks, that the dealer is timed with."""

UNSOLVABLE_DEALS = Path(__file__).parent.parent / "results" / "known" / "unsolvable-10m.txt"

SAME, CHANGED = 0, 1
"""Exit statuses: what the signature came to."""

Answer = TypeVar("Answer")


class Turn(NamedTuple):
    """A piece of a range, decided by both sides one after the other.

    Attributes
    ----------
    deals, undecided, positions : int
        Deals, those that our quick attempts leave to the deep pass, and the positions that we expanded.
    ours : float
        Seconds of processor time: dealing, search, referee and exhaustion.
    theirs : float, optional
        Seconds of processor time, or None without a rival.
    """

    deals: int
    undecided: int
    positions: int
    ours: float
    theirs: float | None


class Ratio(NamedTuple):
    """How many times faster we are: over the turns, the median and both ends."""

    median: float
    least: float
    most: float


class Speed(NamedTuple):
    """What the turns over a range came to; rates are a second of processor time."""

    first: int
    last: int
    turns: int
    deals: int
    undecided: int
    positions: int
    deals_per_second: float
    rival_deals_per_second: float | None
    ratio: Ratio | None
    positions_per_deal: float
    nanoseconds_per_position: float


class Dealing(NamedTuple):
    """Speed of the dealer from one deal on."""

    first: int
    deals_per_second: float


class Proofs(NamedTuple):
    """Search and exhaustion over the published unsolvable deals."""

    deals: int
    proved: int
    per_second: float


def bench(ranges: Sequence[tuple[int, int]], least_turns: int, as_json: bool) -> int:
    """Measure, print what was measured, and compare the signature; the exit status.

    Parameters
    ----------
    ranges : sequence of (int, int)
        First and last deals; empty for `RANGES`, and dealing and proofs after them.
    least_turns : int
        Turns over each range; a range of more than so many times `TURN` deals takes more.
    as_json : bool
        Whether standard output is a JSON object.

    Raises
    ------
    UsageError
        If the signature or the list of unsolvable deals can't be read.
    Contradiction
        As a census worker does.
    """
    announced = signature.announced(signature.FILE)
    unsolvable = [] if ranges else sorted(known.load(UNSOLVABLE_DEALS).deals)
    with_rival = rival.installed()
    if not with_rival:
        print(rival.HOW_TO_GET_IT, file=sys.stderr)
    tell: Callable[[str], None] = _silent if as_json else _say
    warm_up()

    tell(HEADER)
    speeds = []
    for first, last in ranges or RANGES:
        speeds.append(speed_over(first, last, least_turns, with_rival))
        tell(_row(speeds[-1]))
    dealings, proofs = [], None
    if not ranges:
        dealings = [dealing_from(first) for first in BANDS]
        proofs = proofs_of(unsolvable)
        tell("")
        tell("\n".join(f"dealing from {band.first:,} on: {band.deals_per_second:,.0f} deals/s" for band in dealings))
        tell(f"proofs: {proofs.proved} of {proofs.deals} unsolvable deals, {proofs.per_second:.1f} a second")
    counted = signature_of(speeds)
    tell(f"\n{signature.sentence(announced, counted, signature.FILE)}")
    status = SAME if counted == announced else CHANGED
    if as_json:
        print(json.dumps({**_report(speeds, dealings, proofs, announced, counted), "status": status}))
        if status == CHANGED:
            print(signature.sentence(announced, counted, signature.FILE), file=sys.stderr)
    return status


def warm_up() -> None:
    """Compile, or load from the cache, and touch the memory of the quick attempts before anything is timed."""
    print("loading the kernels; where they aren't compiled yet, that takes about a minute", file=sys.stderr)
    warm(len(Search().quick))
    decide_task(quick_plan(), Task(1, TURN // 10))


def quick_plan() -> Plan:
    """What a census has its workers do in the quick pass."""
    return Plan(FREECELL, Search().quick, 1, QUICK_CLOSURE, solutions=False)


def passes() -> Iterator[Plan]:
    """What a census has its workers do with a deal, one pass after another, for as long as it is undecided."""
    yield quick_plan()
    search = Search()
    for attempt, budget in enumerate(search.deep, len(search.quick) + 1):
        yield Plan(FREECELL, (budget,), attempt, search.closure, solutions=False)


def speed_over(first: int, last: int, least_turns: int, with_rival: bool) -> Speed:
    """Decide a range in turns: us, the rival, us, the rival."""
    turns = [turn(task, with_rival) for task in pieces(first, last, least_turns)]
    return summary(first, last, turns)


def pieces(first: int, last: int, least: int) -> list[Task]:
    """A range cut evenly into at least so many pieces, none larger than `TURN`; as many as it has deals at most."""
    deals = last - first + 1
    count = min(deals, max(least, -(-deals // TURN)))
    starts = [first + deals * piece // count for piece in range(count + 1)]
    return [Task(start, end - start) for start, end in pairwise(starts)]


def turn(task: Task, with_rival: bool) -> Turn:
    """Let both sides decide the same deals, us first."""
    rows, ours = timed(lambda: decide_task(quick_plan(), task))
    undecided = int(np.count_nonzero(rows.verdicts == UNDECIDED))
    theirs = rival.seconds(task.first, task.first + task.count - 1) if with_rival else None
    return Turn(task.count, undecided, int(rows.positions.sum(dtype=np.uint64)), ours, theirs)


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
    compared = len(theirs) == len(turns)
    ratios = [turn.theirs / turn.ours for turn in turns if turn.theirs is not None]
    return Speed(
        first,
        last,
        len(turns),
        deals,
        sum(turn.undecided for turn in turns),
        positions,
        deals / ours,
        deals / sum(theirs) if compared else None,
        Ratio(median(ratios), min(ratios), max(ratios)) if compared else None,
        positions / deals,
        ours / positions * 1e9,
    )


def dealing_from(first: int) -> Dealing:
    """Deal blocks from one deal on."""

    def deal() -> None:
        for block in range(BLOCKS):
            deal_block(first + block * DEALT, DEALT)

    deal_block(first, DEALT)
    _, seconds = timed(deal)
    return Dealing(first, DEALT * BLOCKS / seconds)


def proofs_of(deals: Sequence[int]) -> Proofs:
    """Prove deals unsolvable as a census does, the deep pass included."""
    proved, seconds = timed(lambda: sum(map(is_proved, deals)))
    return Proofs(len(deals), proved, len(deals) / seconds)


def is_proved(deal: int) -> bool:
    """Whether the passes of a census prove a deal unsolvable."""
    verdicts = (decide_task(plan, Task(deal, 1)).verdicts[0] for plan in passes())
    return bool(next((verdict for verdict in verdicts if verdict != UNDECIDED), UNDECIDED) == UNSOLVABLE)


def signature_of(speeds: Sequence[Speed]) -> int:
    """Positions over the range of the signature: from what was measured, or counted now."""
    for speed in speeds:
        if (speed.first, speed.last) == (signature.FIRST, signature.LAST):
            return speed.positions
    task = Task(signature.FIRST, signature.LAST - signature.FIRST + 1)
    return int(decide_task(quick_plan(), task).positions.sum(dtype=np.uint64))


HEADER = (
    f"{'range':>27} {'undecided':>9} {'ours /s':>9} {'rival /s':>9} {'ratio (of turns)':>22} "
    f"{'positions/deal':>14} {'ns/position':>11}"
)


def _row(speed: Speed) -> str:
    rival_speed, ratio = speed.rival_deals_per_second, speed.ratio
    theirs = "-" if rival_speed is None else f"{rival_speed:,.0f}"
    times = "-" if ratio is None else f"{ratio.median:.2f} ({ratio.least:.2f}..{ratio.most:.2f})"
    return (
        f"{f'{speed.first:,}..{speed.last:,}':>27} {speed.undecided:>9,} {speed.deals_per_second:>9,.0f} "
        f"{theirs:>9} {times:>22} {speed.positions_per_deal:>14.1f} {speed.nanoseconds_per_position:>11.0f}"
    )


def _report(
    speeds: Sequence[Speed],
    dealings: Sequence[Dealing],
    proofs: Proofs | None,
    announced: int | None,
    counted: int,
) -> dict[str, object]:
    seconds = sum(speed.deals / speed.deals_per_second for speed in speeds)
    return {
        "deals_per_second": sum(speed.deals for speed in speeds) / seconds,
        "ranges": [{**speed._asdict(), "ratio": speed.ratio and speed.ratio._asdict()} for speed in speeds],
        "dealing": [band._asdict() for band in dealings],
        "proofs": proofs and proofs._asdict(),
        "signature": {"announced": announced, "counted": counted},
    }


def _say(line: str) -> None:
    print(line, flush=True)


def _silent(line: str) -> None:
    pass
