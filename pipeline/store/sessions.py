"""What run.jsonl tells of a run: when it ran, what it wrote when, and how each time it ended."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from pipeline.places import Place, Remote
from pipeline.shards import shard_named
from pipeline.store.log import AGAIN, SHARD, START, STOP, Event, events
from pipeline.store.parquet import DEALS


class Stored(NamedTuple):
    """A shard that was written: seconds after the session began, its deals, whether it had been written before."""

    after: float
    deals: int
    again: bool


class Step(NamedTuple):
    """A stretch of a session at whose end a shard was complete; seconds after the session began."""

    begin: float
    end: float
    deals: int


class Session(NamedTuple):
    """From one start of a run to its end.

    Attributes
    ----------
    began : datetime
    seconds : float
        Until its last sign of life.
    host : str
    end : str
        How it ended, in words.
    written : list of Stored
    """

    began: datetime
    seconds: float
    host: str
    end: str
    written: list[Stored]

    @property
    def deals(self) -> int:
        """Deals of the shards that were written for the first time."""
        return sum(shard.deals for shard in self.written if not shard.again)

    @property
    def steps(self) -> list[Step]:
        """Stretches from one first writing of a shard to the next one."""
        steps: list[Step] = []
        for shard in self.written:
            begin = steps[-1].end if steps else 0.0
            if shard.again:
                continue
            if shard.after > begin:
                steps.append(Step(begin, shard.after, shard.deals))
            elif steps:
                steps[-1] = steps[-1]._replace(deals=steps[-1].deals + shard.deals)
        return steps


def sessions(folder: Place) -> list[Session]:
    """The sessions of a run, in order; none where it left no log.

    Lines that a crash cut short are passed over, and so are events that say nothing about time. The log in a store says
    nothing of shards: there, each counts when it was last written.
    """
    told = list(events(folder))
    if isinstance(folder, Remote):
        told = sorted([*told, *_written_in_store(folder)], key=lambda event: event["time"])
    seen: set[tuple[int, int]] = set()
    groups: list[list[Event]] = []
    for event in told:
        if event["event"] == START:
            groups.append([])
        if groups:
            groups[-1].append(event)
    return [_session(group, seen) for group in groups]


def _written_in_store(folder: Remote) -> Iterator[Event]:
    for name, time in (folder / DEALS).times().items():
        if shard := shard_named(name):
            entries = {"first": shard.first, "last": shard.last, "deals": shard.count}
            yield {"time": datetime.fromtimestamp(time, UTC), "event": SHARD, **entries}


def _session(group: list[Event], seen: set[tuple[int, int]]) -> Session:
    began = group[0]["time"]
    written = []
    for event in group:
        if event["event"] in (SHARD, AGAIN):
            shard = (event["first"], event["last"])
            written.append(
                Stored(_between(began, event["time"]), event["deals"], event["event"] == AGAIN or shard in seen)
            )
            seen.add(shard)
    return Session(began, _between(began, group[-1]["time"]), str(group[0].get("host", "")), _end(group), written)


def _between(began: datetime, time: datetime) -> float:
    return max(0.0, (time - began).total_seconds())  # a clock may be set back


def _end(group: list[Event]) -> str:
    for event in reversed(group):
        if event["event"] == "contradiction":
            return "contradiction"
        if event["event"] == STOP:
            if event.get("reason"):
                return f"stopped: {event['reason']}"
            if not event.get("complete"):
                return "ended, shards missing"
            return "complete" if not event.get("undecided") else "complete, deals undecided"
    return "no end noted: killed, or still running"
