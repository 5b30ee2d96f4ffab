"""How much of a census is done, how fast, and whether a run is active: from its folder alone."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pipeline.config import Config
from pipeline.places import Place, Remote, place
from pipeline.progress import duration
from pipeline.shards import WHOLE, part_named, shard_named
from pipeline.store import log
from pipeline.store.folder import CONFIG, holder, is_active, missing
from pipeline.store.parquet import DEALS, Counts
from pipeline.store.result import folders_in, open_result

COMPLETE, INCOMPLETE = 0, 3
"""Exit statuses."""


class LastRun(NamedTuple):
    """The last run that wrote to a folder.

    Attributes
    ----------
    folder : str
    active : bool, optional
        None where that can't be known.
    process, host : optional
        Which process it is, or was, on which machine.
    began, last_shard : float, optional
        Seconds since 1970; the last shard of the quick pass.
    deals_per_second : float, optional
        Rate of this run in the quick pass, from its first shard to its last; the start-up is left out.
    left : int
        Deals that the quick pass still has to do here.
    """

    folder: str
    active: bool | None
    process: int | None
    host: str | None
    began: float | None
    last_shard: float | None
    deals_per_second: float | None
    left: int


class Timed(NamedTuple):
    """A shard in the quick pass: when, in seconds since 1970, and how many deals it holds."""

    time: float
    deals: int


@dataclass(frozen=True)
class CensusStatus:
    """How far a census is.

    Attributes
    ----------
    name : str
        Of the configuration.
    deals, done : int
        Deals of the census, and those that are in shards.
    counts : Counts
        Deals by verdict in these.
    holes : bool
        Whether deals of the census are in no shard.
    runs : list of LastRun
        The last run in each folder.
    deals_per_second : float, optional
    """

    name: str
    deals: int
    done: int
    counts: Counts
    holes: bool
    runs: list[LastRun]
    deals_per_second: float | None

    @property
    def complete(self) -> bool:
        """Whether every deal is decided."""
        return self.done == self.deals and not self.counts.undecided

    @property
    def status(self) -> int:
        """0 when every deal is decided, otherwise 3."""
        return COMPLETE if self.complete else INCOMPLETE

    @property
    def active(self) -> bool | None:
        """Whether any run is active; None where that can't be known."""
        states = [run.active for run in self.runs]
        return True if True in states else None if None in states else False

    @property
    def seconds_left(self) -> float | None:
        """How long the quick pass still takes at the present rate."""
        return (self.deals - self.done) / self.deals_per_second if self.deals_per_second else None

    def lines(self) -> list[str]:
        """What is done, each run that is or may be active, and what is left."""
        counts = self.counts
        return [
            f"{self.name}: {self.done:,} of {self.deals:,} deals ({self.done / self.deals:.1%}), "
            f"{counts.solved:,} solved, {counts.unsolvable:,} unsolvable, {counts.undecided:,} undecided",
            *(_described(run) for run in self.runs if run.active is not False),
            *([] if self.complete else [self._outlook()]),
        ]

    def _outlook(self) -> str:
        idle = self.active is False
        if not self.holes:
            return f"the undecided are left for the deep pass{'; no run is active' if idle else ''}"
        if not any(run.left for run in self.runs):
            return "nothing is missing of the parts that are here; the other deals are those of other parts"
        if self.deals_per_second is None or self.seconds_left is None:
            return "no run is active" if idle else "no rate yet"
        told = f"{self.deals_per_second:,.0f} deals/s, {duration(self.seconds_left)} left"
        return f"no run is active; the last one's {told}" if idle else told

    def as_json(self) -> dict[str, Any]:
        """The same as one object."""
        done = {"name": self.name, "deals": self.deals, "done": self.done, **self.counts._asdict()}
        pace = {"deals_per_second": self.deals_per_second, "seconds_left": self.seconds_left}
        runs = [run._asdict() for run in self.runs]
        return {**done, "complete": self.complete, "active": self.active, **pace, "runs": runs}


def status(folder: str | Place) -> CensusStatus:
    """Find out how far a census is.

    Parameters
    ----------
    folder : str, Path or Remote
        Folder of a run, or one that holds the parts of a census, or its URL.

    Raises
    ------
    UsageError
        If this is not the folder of a run.
    Corrupt
        If a shard's footer can't be read.
    """
    where = place(folder)
    result = open_result(where)
    runs = [last_run(result.config, inside) for inside in folders_in(where)]
    span = result.config.range
    rate = going_rate(runs) if any(run.left for run in runs) else None
    counts = result.counts
    deals = span.last - span.first + 1
    return CensusStatus(result.config.name, deals, sum(counts), counts, bool(result.missing), runs, rate)


def last_run(config: Config, folder: Place) -> LastRun:
    """What a folder tells about the last run in it."""
    events = log.events_of_last_run(folder)
    start = events[0] if events else {}
    began, shards = _in_store(folder) if isinstance(folder, Remote) else _in_log(events)
    part = part_named(str(start["part"])) if "part" in start else WHOLE
    run = LastRun(
        str(folder),
        is_active(folder),
        start.get("pid"),
        start.get("host"),
        began,
        shards[-1].time if shards else None,
        pace(began, shards),
        sum(shard.count for shard in missing(config, folder, part)),
    )
    if run.active and not isinstance(folder, Remote) and (process := holder(folder)) not in (None, run.process):
        # It holds the lock, but compiles still: the log's last start is that of another process.
        return run._replace(process=process, host=platform.node(), began=None, last_shard=None)
    return run


def _in_log(events: Sequence[log.Event]) -> tuple[float | None, list[Timed]]:
    """When a run began and wrote its shards, by its log."""
    shards = [Timed(event["time"].timestamp(), event["deals"]) for event in events if event["event"] == log.SHARD]
    return events[0]["time"].timestamp() if events else None, shards


def _in_store(folder: Remote) -> tuple[float | None, list[Timed]]:
    """The same by the store's clock: each run puts the configuration before anything else."""
    began = folder.times()[CONFIG]
    named = ((time, shard_named(name)) for name, time in (folder / DEALS).times().items())
    return began, sorted(Timed(time, shard.count) for time, shard in named if shard and time >= began)


def pace(began: float | None, shards: Sequence[Timed]) -> float | None:
    """Deals a second between the first shard of a run and its last; of a single one, since the run began."""
    if len(shards) > 1 and shards[-1].time > shards[0].time:
        return sum(shard.deals for shard in shards[1:]) / (shards[-1].time - shards[0].time)
    if shards and began is not None and shards[-1].time > began:
        return sum(shard.deals for shard in shards) / (shards[-1].time - began)
    return None


def going_rate(runs: Sequence[LastRun]) -> float | None:
    """Deals a second of all runs that go on, or may; where none does, of the last one that did."""
    known = [run for run in runs if run.deals_per_second]
    if going := [run for run in known if run.active is not False and run.left]:
        return sum(run.deals_per_second or 0 for run in going)
    return max(known, key=lambda run: run.began or 0).deals_per_second if known else None


def _described(run: LastRun) -> str:
    if run.active and run.began is None:
        return f"starting in {run.folder}: process {run.process} on {run.host}"
    who = f"process {run.process} on {run.host}, begun {_at(run.began)}"
    if run.active:
        return f"running in {run.folder}: {who}"
    return f"perhaps running in {run.folder}: {who}; last shard {_at(run.last_shard)}"


def _at(seconds: float | None) -> str:
    return "unknown" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
