"""The command `bench`: how fast a census worker is, and whether the search is still the one that was announced."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kernels.dealing import deal_block
from pipeline.config import PROJECT
from pipeline.evidence import known_list
from pipeline.farm.worker import announce_compilation, warm
from pipeline.shards import Task
from pipeline.speed import freecell_solver, signature
from pipeline.speed.one_process import SEARCH, quick_pass, undecided
from pipeline.speed.rates import Speed, deep_timed, speed_over, timed
from pipeline.store.rows import UNSOLVABLE

RANGES = (
    (signature.FIRST, signature.LAST),
    (5_000_000, 5_100_000),
    (2**31, 2**31 + 20_000),
    (2**32, 2**32 + 20_000),
)
"""What everybody measures; a range that no weight was tuned on; one in each band where 32-bit arithmetic breaks."""

BANDS = (1, 2**31, 2**32)
"""First deals of the three ways of dealing."""

DEALT, BLOCKS = 10_000, 100
"""Deals in a block, and blocks, that the dealer is timed with."""

UNSOLVABLE_DEALS = PROJECT / "results" / "known" / "unsolvable-10m.txt"

SAME, CHANGED = 0, 1
"""Exit statuses: what became of the signature."""


class Dealing(NamedTuple):
    """Speed of the dealer from one deal on."""

    first: int
    deals_per_second: float


class Proofs(NamedTuple):
    """Search and exhaustion over the published unsolvable deals."""

    deals: int
    proved: int
    per_second: float


class Measured(NamedTuple):
    """The outcome of `bench`: all that is measured; `dealing` and `proofs` only along with all ranges."""

    speeds: list[Speed]
    dealing: list[Dealing]
    proofs: Proofs | None
    announced: int | None
    counted: int

    @property
    def status(self) -> int:
        """Whether the signature is the announced one."""
        return SAME if self.counted == self.announced else CHANGED

    def lines(self) -> Iterator[str]:
        """A table of the ranges, then dealing, proofs and the signature."""
        yield HEADER
        yield from map(row, self.speeds)
        for band in self.dealing:
            yield f"dealing from {band.first:,} on: {band.deals_per_second:,.0f} deals/s"
        if self.proofs:
            found = self.proofs
            yield f"proofs: {found.proved} of {found.deals} unsolvable deals, {found.per_second:.1f} a second"
        yield signature.sentence(self.announced, self.counted, signature.FILE)

    def as_json(self) -> dict[str, Any]:
        """The same; `deals_per_second` is ours over all ranges together."""
        seconds = sum(speed.deals / speed.deals_per_second for speed in self.speeds)
        return {
            "deals_per_second": sum(speed.deals for speed in self.speeds) / seconds,
            "ranges": [{**speed._asdict(), "ratio": speed.ratio and speed.ratio._asdict()} for speed in self.speeds],
            "dealing": [band._asdict() for band in self.dealing],
            "proofs": self.proofs and self.proofs._asdict(),
            "signature": {"announced": self.announced, "counted": self.counted},
        }


def bench(ranges: Sequence[tuple[int, int]] = (), least_turns: int = 5) -> Measured:
    """Measure one thing after another, and compare the signature; progress goes to standard error.

    Parameters
    ----------
    ranges : sequence of (int, int)
        First and last deals; empty for `RANGES`, and dealing and proofs after them.
    least_turns : int
        Turns over each range, at least.

    Raises
    ------
    UsageError
        If the signature or the list of unsolvable deals can't be read.
    Contradiction
        As a census worker does.
    """
    if not freecell_solver.installed():
        print(freecell_solver.HOW_TO_GET_IT, file=sys.stderr)
    announced = signature.announced(signature.FILE)
    unsolvable = [] if ranges else sorted(known_list.load(UNSOLVABLE_DEALS).deals)
    warm_up()
    speeds = []
    for first, last in ranges or RANGES:
        print(f"measuring {first:,}..{last:,}", file=sys.stderr, flush=True)
        speeds.append(speed_over(first, last, least_turns, freecell_solver.installed()))
    dealing, proofs = [], None
    if not ranges:
        print("measuring dealing and proofs", file=sys.stderr, flush=True)
        dealing = [dealing_from(first) for first in BANDS]
        proofs = proofs_of(unsolvable)
    return Measured(speeds, dealing, proofs, announced, signature_of(speeds))


def warm_up() -> None:
    """Compile, or load from the cache, and touch the memory of the quick attempts before anything is timed."""
    announce_compilation()
    warm(len(SEARCH.quick))
    quick_pass(Task(1, 1_000))


def dealing_from(first: int) -> Dealing:
    """Deal blocks from one deal on."""

    def deal() -> None:
        for block in range(BLOCKS):
            deal_block(first + block * DEALT, DEALT)

    _, seconds = timed(deal)
    return Dealing(first, DEALT * BLOCKS / seconds)


def proofs_of(deals: Sequence[int]) -> Proofs:
    """Prove deals unsolvable as a census does: all in the quick pass, then in the deep pass what is left."""
    tasks = [Task(deal, 1) for deal in deals]
    quick, quick_seconds = timed(lambda: [quick_pass(task) for task in tasks])
    left = [deal for task, rows in zip(tasks, quick, strict=True) for deal in undecided(task, rows)]
    deep, deep_seconds = deep_timed(left)
    proved = sum(int(rows.verdicts[0] == UNSOLVABLE) for rows in quick + deep)
    return Proofs(len(deals), proved, len(deals) / (quick_seconds + deep_seconds))


def signature_of(speeds: Sequence[Speed]) -> int:
    """Positions over the range of the signature: from what was measured, or counted now."""
    for speed in speeds:
        if (speed.first, speed.last) == (signature.FIRST, signature.LAST):
            return speed.positions
    return speed_over(signature.FIRST, signature.LAST, 1, with_rival=False).positions


HEADER = (
    f"{'range':>28} {'ours /s':>9} {'rival /s':>9} {'ratio (of turns)':>20} {'deep pass':>9} "
    f"{'positions/deal':>14} {'ns/position':>11}"
)


def row(speed: Speed) -> str:
    """A range as a line below `HEADER`."""
    rival_speed, ratio = speed.rival_deals_per_second, speed.ratio
    theirs = "-" if rival_speed is None else f"{rival_speed:,.0f}"
    times = "-" if ratio is None else f"{ratio.median:.2f} ({ratio.least:.2f}..{ratio.most:.2f})"
    return (
        f"{f'{speed.first:,}..{speed.last:,}':>28} {speed.deals_per_second:>9,.0f} {theirs:>9} {times:>20} "
        f"{speed.deep_share:>9.1%} {speed.positions_per_deal:>14.1f} {speed.nanoseconds_per_position:>11.0f}"
    )
