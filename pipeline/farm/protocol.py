"""What the farm asks of an engine; its pools are `concurrent.futures` executors: submit and result only."""

from concurrent.futures import Executor
from typing import NamedTuple, Protocol


class EngineGone(Exception):
    """No task can be given to the engine any more; what its workers are doing is lost."""


class Room(NamedTuple):
    """What fits into the memory of an engine's workers at a time.

    Attributes
    ----------
    workers : int, optional
        How many workers may take a task of the size in question; None where that needs no limit.
    said : str
        What memory there is, in words.
    """

    workers: int | None
    said: str


class Engine(Protocol):
    """What the farm, and the census about it, ask of an engine."""

    def pool(self, most: int | None) -> Executor:
        """A pool of all workers there are, or of so many of them at most."""

    def size(self, pool: Executor) -> int:
        """How many workers a pool has just now; each works on one task at a time."""

    def lost(self, pool: Executor) -> bool:
        """Whether a worker of a pool has died, and the pool can't go on without it."""

    def drop(self, pool: Executor) -> None:
        """End a pool at once, with whatever its workers are doing."""

    def room(self, each: int) -> Room:
        """How many tasks that take so many bytes of memory each may run at a time."""

    def close(self) -> None:
        """The run is over."""
