"""What of a census is done, how fast it goes on, and whether it does: from its folder alone."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from pipeline.config import Config
from pipeline.places import Place, Remote
from pipeline.progress import duration
from pipeline.shards import WHOLE, part_named, shard_named
from pipeline.store import log
from pipeline.store.folder import CONFIG, is_active, missing
from pipeline.store.parquet import DEALS
from pipeline.store.result import ResultSet, folders_in, open_result

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
        Of the quick pass, from shard to shard: neither what other runs did nor a start-up counts.
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


class Written(NamedTuple):
    """A shard in the quick pass: when, in seconds since 1970, and how many deals it holds."""

    time: float
    deals: int


def status(folder: Place, as_json: bool) -> int:
    """Print what is done; the exit status.

    Raises
    ------
    UsageError
        If this is not the folder of a run.
    Corrupt
        If a shard's footer can't be read.
    """
    result = open_result(folder)
    runs = [last_run(result.config, place) for place in folders_in(folder)]
    span, counts = result.config.range, result.counts
    total, done = span.last - span.first + 1, sum(counts)
    rate = going_rate(runs) if any(run.left for run in runs) else None
    left = (total - done) / rate if rate else None
    complete = done == total and not counts.undecided
    if as_json:
        report = {"name": result.config.name, "deals": total, "done": done, **counts._asdict(), "complete": complete}
        pace = {"active": _any_active(runs), "deals_per_second": rate, "seconds_left": left}
        print(json.dumps({**report, **pace, "runs": [run._asdict() for run in runs]}))
    else:
        lines = [
            f"{result.config.name}: {done:,} of {total:,} deals ({done / total:.1%}), {counts.solved:,} solved, "
            f"{counts.unsolvable:,} unsolvable, {counts.undecided:,} undecided",
            *(_described(run) for run in runs if run.active is not False),
            *([] if complete else [_outlook(result, runs, rate, left)]),
        ]
        print("\n".join(lines))
    return COMPLETE if complete else INCOMPLETE


def last_run(config: Config, folder: Place) -> LastRun:
    """What a folder tells about the last run in it."""
    events = log.events_of_last_run(folder)
    start = events[0] if events else {}
    began, shards = _in_store(folder) if isinstance(folder, Remote) else _in_log(events)
    part = part_named(str(start["part"])) if "part" in start else WHOLE
    return LastRun(
        str(folder),
        is_active(folder),
        start.get("pid"),
        start.get("host"),
        began,
        shards[-1].time if shards else None,
        pace(began, shards),
        sum(shard.count for shard in missing(config, folder, part)),
    )


def _in_log(events: Sequence[log.Event]) -> tuple[float | None, list[Written]]:
    """When a run began and wrote its shards, by its log."""
    shards = [Written(event["time"].timestamp(), event["deals"]) for event in events if event["event"] == log.SHARD]
    return events[0]["time"].timestamp() if events else None, shards


def _in_store(folder: Remote) -> tuple[float | None, list[Written]]:
    """The same by the store's clock: each run puts the configuration before anything else."""
    began = folder.times()[CONFIG]
    named = ((time, shard_named(name)) for name, time in (folder / DEALS).times().items())
    return began, sorted(Written(time, shard.count) for time, shard in named if shard and time >= began)


def pace(began: float | None, shards: Sequence[Written]) -> float | None:
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


def _any_active(runs: Sequence[LastRun]) -> bool | None:
    states = [run.active for run in runs]
    return True if True in states else None if None in states else False


def _described(run: LastRun) -> str:
    who = f"process {run.process} on {run.host}, begun {_at(run.began)}"
    if run.active:
        return f"running in {run.folder}: {who}"
    return f"perhaps running in {run.folder}: {who}; last shard {_at(run.last_shard)}"


def _at(seconds: float | None) -> str:
    return "unknown" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _outlook(result: ResultSet, runs: Sequence[LastRun], rate: float | None, left: float | None) -> str:
    idle = _any_active(runs) is False
    if not result.missing:
        return f"the undecided are left for the deep pass{'; no run is active' if idle else ''}"
    if not any(run.left for run in runs):
        return "nothing is missing of the parts that are here; the other deals are those of other parts"
    if rate is None or left is None:
        return "no run is active" if idle else "no rate yet"
    told = f"{rate:,.0f} deals/s, {duration(left)} left"
    return f"no run is active; the last one's {told}" if idle else told
