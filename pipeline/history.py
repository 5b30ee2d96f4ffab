"""What run.jsonl tells of a run: when it ran, what it wrote when, and how each time it ended."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.folder import LOG

AGAIN = "again"
SHARD = ("shard", AGAIN)
"""Events: a shard was written; written again, with what the deep pass decided. Older logs call both "shard"."""


class Written(NamedTuple):
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
    written : list of Written
    """

    began: datetime
    seconds: float
    host: str
    end: str
    written: list[Written]

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


def sessions(folder: Path) -> list[Session]:
    """The sessions of a run, in order; none where it left no log.

    Lines that a crash cut short are passed over, and so are events that say nothing about time.
    """
    path = folder / LOG
    if not path.is_file():
        return []
    seen: set[tuple[int, int]] = set()
    groups: list[list[dict[str, Any]]] = []
    for event in _events(path):
        if event["event"] == "start":
            groups.append([])
        if groups:
            groups[-1].append(event)
    return [_session(group, seen) for group in groups]


def _events(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().decode(errors="replace").splitlines():
        try:
            event = json.loads(line)
            event["time"] = datetime.fromisoformat(event["time"])
            if event["event"] in SHARD:
                event["deals"] = int(event["last"]) - int(event["first"]) + 1
        except (ValueError, KeyError, TypeError):
            continue
        yield event


def _session(events: list[dict[str, Any]], seen: set[tuple[int, int]]) -> Session:
    began = events[0]["time"]
    written = []
    for event in events:
        if event["event"] in SHARD:
            shard = (event["first"], event["last"])
            written.append(
                Written(_between(began, event["time"]), event["deals"], event["event"] == AGAIN or shard in seen)
            )
            seen.add(shard)
    return Session(began, _between(began, events[-1]["time"]), str(events[0].get("host", "")), _end(events), written)


def _between(began: datetime, time: datetime) -> float:
    return max(0.0, (time - began).total_seconds())  # a clock may be set back


def _end(events: list[dict[str, Any]]) -> str:
    for event in reversed(events):
        if event["event"] == "contradiction":
            return "contradiction"
        if event["event"] == "stop":
            if event.get("reason"):
                return f"stopped: {event['reason']}"
            if not event.get("complete"):
                return "ended, shards missing"
            return "complete" if not event.get("undecided") else "complete, deals undecided"
    return "no end noted: killed, or still running"
