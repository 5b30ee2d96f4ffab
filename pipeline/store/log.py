"""run.jsonl: what happened when in a folder of results, a line of JSON an event. Results never depend on it.

A store can't append and has no lock. There the log is one object. Each run reads it, and writes it anew with its own
start and end. The times of the shards are those of their objects. A run that finds a later run's lines after its own
knows that the folder has changed hands.
"""

import json
import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from io import RawIOBase
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from kernels.dealing import FIRST_DEAL, LAST_DEAL
from pipeline.atomic import named_as
from pipeline.errors import UsageError
from pipeline.places import Place, Remote

LOG = "run.jsonl"

START, SHARD, AGAIN, STOP = "start", "shard", "again", "stop"
"""Events: a run begins; a shard is written; it is written again, with what the deep pass decided, which older logs call
"shard" as well; a run ends by itself."""

LIBRARIES = ("numba", "numpy", "pyarrow")

Event: TypeAlias = dict[str, Any]
"""A line: when, what, and what belongs to it; of a shard also how many deals."""


class Log(Protocol):
    """What a run tells about itself."""

    def write(self, event: str, **entries: object) -> None:
        """Add a line: the time, the event, and what belongs to it."""

    def claim(self) -> None:
        """Make sure that the folder still is this run's.

        Raises
        ------
        UsageError
            If another run has begun in it.
        """


class FileLog:
    """Lines at the end of a file; the folder's lock is held."""

    def __init__(self, path: Path, file: RawIOBase) -> None:
        self._path, self._file = path, file

    def write(self, event: str, **entries: object) -> None:
        """Add a line."""
        with named_as(self._path):
            self._file.write(_line(event, entries).encode())

    def claim(self) -> None:
        """Nothing to do: the lock keeps other runs out."""


class ObjectLog:
    """An object in a store, written anew for each line. Lines about shards are left out."""

    def __init__(self, place: Remote) -> None:
        self._place = place
        self._text = place.read_text(encoding="utf-8") if place.is_file() else ""
        self._begun = False

    def write(self, event: str, **entries: object) -> None:
        """Add a line."""
        if event in (SHARD, AGAIN):
            return
        if self._begun:
            self.claim()
        self._begun = True
        self._text += _line(event, entries)
        self._place.write_bytes(self._text.encode())

    def claim(self) -> None:
        """Compare with what this run wrote last."""
        if self._place.read_text(encoding="utf-8") != self._text:
            raise UsageError(f"another run has begun, says {self._place}: this one ends; its shards stay")


def versions() -> dict[str, str]:
    """Versions of what results may depend on, for the start of a run."""
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


def _line(event: str, entries: dict[str, object]) -> str:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": now, "event": event, **entries}) + "\n"


def events(folder: Place) -> Iterator[Event]:
    """What a folder's log tells, in order; nothing where there is no log.

    Lines that a crash cut short, or that no run writes, are passed over.
    """
    path = folder / LOG
    if not path.is_file():
        return
    for line in path.read_bytes().decode(errors="replace").splitlines():
        try:
            event = json.loads(line)
            event["time"] = datetime.fromisoformat(event["time"]).astimezone(UTC)
            if event["event"] in (SHARD, AGAIN):
                first, last = int(event["first"]), int(event["last"])
                if not FIRST_DEAL <= first <= last <= LAST_DEAL:
                    raise ValueError("no deals of ours")
                event |= {"first": first, "last": last, "deals": last - first + 1}
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
        yield event


def events_of_last_run(folder: Place) -> list[Event]:
    """The events of the last run, from its start on; none if there is no log."""
    run: list[Event] = []
    for event in events(folder):
        if event["event"] == START:
            run = []
        run.append(event)
    return run
