"""A range of deals cut into shards (files) and tasks (what a worker gets at a time)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.config import Config
from pipeline.errors import UsageError

TASK = 5_000
"""Deals in a task: a fraction of a second of work, so that little is in flight, and the hand-over costs nothing."""

_NAME = re.compile(r"deals-(\d{10})-(\d{10})\.parquet")


@dataclass(frozen=True, order=True)
class Task:
    """Deals `first .. first + count - 1`, within one shard."""

    first: int
    count: int

    def halves(self) -> tuple["Task", "Task"]:
        """The task cut in two; only for more than one deal."""
        half = self.count // 2
        return Task(self.first, half), Task(self.first + half, self.count - half)


@dataclass(frozen=True, order=True)
class Shard:
    """Deals `first .. last`, kept in one file."""

    first: int
    last: int

    @property
    def count(self) -> int:
        """Number of deals."""
        return self.last - self.first + 1

    @property
    def name(self) -> str:
        """Name of the file: numbers of fixed width, so that names sort."""
        return f"deals-{self.first:010}-{self.last:010}.parquet"

    def tasks(self) -> Iterator[Task]:
        """The deals of the shard as tasks, in order."""
        for first in range(self.first, self.last + 1, TASK):
            yield Task(first, min(TASK, self.last + 1 - first))


def shards(config: Config) -> list[Shard]:
    """Every shard of a census: shard `k` begins at `first + k * shard`, the last one may be shorter."""
    first, last, size = config.range.first, config.range.last, config.store.shard
    return [Shard(start, min(start + size - 1, last)) for start in range(first, last + 1, size)]


def shard_of(config: Config, deal: int) -> Shard:
    """The shard that a deal of the range belongs to."""
    first, size = config.range.first, config.store.shard
    start = first + (deal - first) // size * size
    return Shard(start, min(start + size - 1, config.range.last))


def written(folder: Path) -> list[Shard]:
    """The shards that a folder holds, by the names of its files, in order of deals."""
    names = (_NAME.fullmatch(path.name) for path in folder.iterdir())
    return sorted(Shard(int(name[1]), int(name[2])) for name in names if name)


def missing(config: Config, folder: Path) -> list[Shard]:
    """The shards of a census that a folder does not hold yet.

    Raises
    ------
    UsageError
        If the folder holds a shard that this census doesn't have.
    """
    planned = shards(config)
    there = set(written(folder))
    if strange := sorted(there.difference(planned)):
        raise UsageError(f"{folder / strange[0].name} is no shard of the census {config.name!r}: move it away")
    return [shard for shard in planned if shard not in there]
