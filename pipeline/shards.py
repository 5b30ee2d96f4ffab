"""A range of deals cut into shards (files) and tasks (what a worker gets at a time)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

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


class Part(NamedTuple):
    """Every `of`-th shard, from the `number`-th on; numbers are from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Part(1, 1)
"""All shards."""


def part_named(text: str) -> Part:
    """A part as `K/N`.

    Raises
    ------
    UsageError
        If it isn't one.
    """
    numbers = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", text)
    if not numbers or not 1 <= int(numbers[1]) <= int(numbers[2]):
        raise UsageError(f"part {text}: K/N is needed, with K from 1 to N, as 3/8")
    return Part(int(numbers[1]), int(numbers[2]))


def shards(config: Config, part: Part = WHOLE) -> list[Shard]:
    """The shards of a census: shard `k` begins at `first + k * shard`, the last one may be shorter."""
    first, last, size = config.range.first, config.range.last, config.store.shard
    starts = range(first, last + 1, size)[part.number - 1 :: part.of]
    return [Shard(start, min(start + size - 1, last)) for start in starts]


def shard_of(config: Config, deal: int) -> Shard:
    """The shard that a deal of the range belongs to."""
    first, size = config.range.first, config.store.shard
    start = first + (deal - first) // size * size
    return Shard(start, min(start + size - 1, config.range.last))


def shard_named(name: str) -> Shard | None:
    """The shard that a file is, by its name; None for other files."""
    numbers = _NAME.fullmatch(name)
    return Shard(int(numbers[1]), int(numbers[2])) if numbers else None
