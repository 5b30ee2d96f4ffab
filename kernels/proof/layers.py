"""The large exhaustion: layer by layer, each dropped once it is done.

A broken joint never comes back, nor does a card that went home. So positions fall into layers by

    joints left - cards home

and a move leads to a position of the same layer, or of one or two layers lower: two for a card that breaks its joint
by going home. Layers are worked on from the highest down. What is found for a lower one waits on the `shelf`, the
same position perhaps several times; it is looked up when its layer comes.

Inside a layer no move changes the *class*: which joints are left, which cards are home. So a layer falls into
partitions by a mix of the class. Each has a small table of its own, which fits the processor's cache, and workers take
partitions independently of each other. A class of very many positions has a table of another form (`classes`).

Both counts come from one walk, as `depth_first` says, partition by partition: records that are reached with safe
autoplay first, then all others. Once the plain count is larger than asked for, only the former are followed.
"""

from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import threaded
from kernels.proof.crew import Begun, Class, Crew, of_class, on_all
from kernels.proof.planes import PLANES, Facts
from kernels.proof.shelf import MOST_PARTITIONS, SAFELY, Shelf, give_back, new_pens, records_in, shared_out, shelve
from kernels.proof.sweep import NO_ROOM
from kernels.proof.worker import Bounds, Worker
from kernels.words import U0, U1, U2

A_PARTITION = 12_000
"""Positions that a partition is to have: their table fits a processor's second-level cache."""


class Layered(NamedTuple):
    """What a walk came to.

    Attributes
    ----------
    found, settled, most_home : int
        Positions found, settled ones among them, and the most cards that were home.
    won : bool
        Whether a won position was met.
    plain_ended, safe_ended : bool
        Whether everything was found without autoplay, and with it.
    """

    found: int
    settled: int
    most_home: int
    won: bool
    plain_ended: bool
    safe_ended: bool


def partition_bits(positions: int) -> int:
    """Into how many partitions, as a power of two, the layer after one of so many positions falls."""
    wanted = min(MOST_PARTITIONS, max(1, positions // A_PARTITION))
    return (wanted - 1).bit_length()


class Standing(NamedTuple):
    """A walk between two partitions: with the records that wait, all that is needed to go on with it.

    Attributes
    ----------
    found, settled, most_home : int
        Counts so far.
    last, in_layer : int
        Positions that the last layer had, and that were found so far in the one under way.
    plainly : bool
        Whether positions are still followed that are reached without autoplay only.
    """

    found: int = 0
    settled: int = 0
    most_home: int = 0
    last: int = 1
    in_layer: int = 0
    plainly: bool = True


Waiting = tuple[Iterable[np.ndarray], Iterable[np.ndarray], Iterable[np.ndarray]]
"""What waits of the layer under way, of the next one and of the one after that: records in blocks (n, 3) uint64."""


def first_waiting(planes: np.ndarray) -> Waiting:
    """What waits before the first layer: the deal's position alone."""
    record = planes.reshape(1, PLANES).copy()
    record[0, 0] |= SAFELY
    return [], [record], []


@threaded
def put_back(shelf, pen, records, layer):
    """Write kept records onto the shelf; False where there is no room."""
    for i in range(np.uint64(records.shape[0])):
        a, b, c = records[i, U0], records[i, U1], records[i, U2]
        if not shelve(shelf, pen, a & ALL, b, c, layer + U1, a & ~ALL):
            return False
    return True


@threaded
def take_out(shelf, heads, records):
    """Copy the records of some chains."""
    count = U0
    for i in range(np.uint64(heads.shape[0])):
        chunk = heads[i]
        while chunk != U0:
            for place in range(shelf.filled[chunk]):
                for plane in range(np.uint64(PLANES)):
                    records[count, plane] = shelf.records[chunk, place, plane]
                count += U1
            chunk = shelf.link[chunk]


class Layers:
    """A walk through the layers of a deal.

    Parameters
    ----------
    facts : Facts
    standing : Standing
    waiting : Waiting
        Where it begins.
    shelf : Shelf
        Empty.
    threads : int
    begun : Begun, optional
        What the walk through a large class had come to.
    """

    def __init__(
        self,
        facts: Facts,
        standing: Standing,
        waiting: Waiting,
        shelf: Shelf,
        threads: int = 1,
        begun: Begun | None = None,
    ) -> None:
        self._shelf, self._threads, self._facts = shelf, threads, facts
        self._begun = begun
        self._classes: list[tuple[np.ndarray, list[Class]]] = []
        self._crew: Crew | None = None
        self._pens = new_pens(shelf, threads)
        self._workers = [Worker(shelf, pen, facts) for pen in self._pens]
        self._last, self._in_layer, self._plainly = standing.last, standing.in_layer, standing.plainly
        self.found, self.settled, self.most_home = standing.found, standing.settled, standing.most_home
        self.won = False
        self._counted = self._done()
        under_way, *below = waiting
        self._put_back(under_way, 0)
        self._chains = self._next_chains()
        for layer, blocks in enumerate(below):
            self._put_back(blocks, layer)

    def _put_back(self, blocks: Iterable[np.ndarray], layer: int) -> None:
        pen = self._pens[0]
        pen.shifts[layer] = 64 - partition_bits(self._last)
        for records in blocks:
            if not put_back(self._shelf, pen, records, np.uint64(layer)):
                raise MemoryError(NO_ROOM)

    @property
    def is_done(self) -> bool:
        """Whether no position waits any more."""
        return not self._chains and not self._classes and not any(pen.heads.any() for pen in self._pens)

    @property
    def so_far(self) -> tuple[int, int]:
        """Positions found and settled, also in the partitions under way; never more than there are."""
        found = self.found + sum(worker.found + worker.under_way[0] for worker in self._workers)
        settled = self.settled + sum(worker.settled + worker.under_way[1] for worker in self._workers)
        return found - self._counted[0], settled - self._counted[1]

    def standing(self) -> Standing:
        """What the walk has come to with the partitions done so far."""
        return Standing(self.found, self.settled, self.most_home, self._last, self._in_layer, self._plainly)

    def waiting(self, layer: int) -> Iterator[np.ndarray]:
        """The records of the layer under way (0), the next one (1) or the one after it (2), partition by partition."""
        chains = self._chains
        if layer:
            heads = np.stack([pen.heads[layer - 1] for pen in self._pens], axis=1)
            chains = [row[row > 0] for row in heads[heads.any(axis=1)]]
        for chain in chains:
            yield self._records(chain)
        if not layer:
            for heads, classes in self._classes:
                records = self._records(heads)
                yield from (of_class(records, one) for one in classes)

    def _records(self, heads: np.ndarray) -> np.ndarray:
        records = np.empty((int(records_in(self._shelf, heads)), PLANES), np.uint64)
        take_out(self._shelf, heads, records)
        return records

    @property
    def begun(self) -> Begun | None:
        """What the walk through a large class has come to, where one is under way."""
        return self._crew.begun if self._crew else self._begun

    def go_on(
        self, plain: int, safe: int, asked_to_stop: Callable[[], bool], asked_to_pause: Callable[[], bool]
    ) -> None:
        """Work through the layer under way or, where none is, the next one.

        Ends early once there are more settled positions than there may be, and for a pause as soon as each worker is
        through with its partition; each does at least one.

        Parameters
        ----------
        plain : int
            Positions that the plain count may have; once there are more, only those with autoplay are followed. With
            0, they are from the beginning.
        safe : int
            Positions that the count with autoplay may have.
        asked_to_stop, asked_to_pause : callable
            Asked some times a second.

        Raises
        ------
        Stopped
            If somebody asked to stop; the partitions under way are lost then, and the walk with them.
        MemoryError
            If there is no room for positions that wait.
        """
        if not self._chains and not self._classes:
            self._chains = self._next_chains()
        plain_left = plain - self.found if self._plainly and plain else -1
        bounds = Bounds(plain_left, safe - self.settled, self._workers, asked_to_stop)
        lock = Lock()

        def work(worker: Worker) -> None:
            while not (bounds.are_passed or self._is_won):
                with lock:
                    if not self._chains:
                        return
                    heads = self._chains.pop()
                if large := worker.partition(heads, bounds):
                    self._classes.append((heads, large))
                if asked_to_pause():
                    return

        on_all(self._workers, work)
        if not self._chains:
            self._large_classes(bounds, asked_to_pause)
        before, self._counted = self._counted, self._done()
        self.found += self._counted[0] - before[0]
        self._in_layer += self._counted[0] - before[0]
        self.settled += self._counted[1] - before[1]
        self.most_home = max(self.most_home, *(worker.most_home for worker in self._workers))
        self.won = self._is_won
        self._plainly = self._plainly and self.found <= plain
        shared_out(self._pens)
        if not self._chains and not self._classes:
            self._last, self._in_layer = self._in_layer, 0

    def _large_classes(self, bounds: Bounds, asked_to_pause: Callable[[], bool]) -> None:
        """All workers together: one large class after another, until none is left, or for a pause."""
        while self._classes and not bounds.are_passed and not self._is_won:
            self._begun_last()
            heads, classes = self._classes[-1]
            if self._crew is None:
                begun = self._begun if self._begun and self._begun.one == classes[-1] else None
                self._begun = None
                self._crew = Crew(classes[-1], heads, self._shelf, self._facts, self._workers, begun)
            if self._crew.is_through(bounds):
                self._crew = None
                classes.pop()
                if not classes:
                    self._classes.pop()
                    give_back(self._shelf, self._pens[0], heads)
            if asked_to_pause():
                return

    def _begun_last(self) -> None:
        """Bring the class whose walk was kept to the end, which is worked on first."""
        if self._begun:
            one = self._begun.one
            self._classes.sort(key=lambda entry: one in entry[1])
            self._classes[-1][1].sort(key=lambda other: other == one)

    @property
    def _is_won(self) -> bool:
        return any(worker.won for worker in self._workers)

    def _done(self) -> tuple[int, int]:
        """Positions found and settled in all partitions that the workers are through with."""
        return sum(worker.found for worker in self._workers), sum(worker.settled for worker in self._workers)

    def _next_chains(self) -> list[np.ndarray]:
        """Take the chains of the next layer off the pens, by partition, and make the pens ready for those below it."""
        heads = np.stack([pen.heads[0].copy() for pen in self._pens], axis=1)
        shift = self._pens[0].shifts[1]
        for pen in self._pens:
            pen.heads[0] = pen.heads[1]
            pen.heads[1] = 0
            pen.shifts[0] = shift
            pen.shifts[1] = 64 - partition_bits(self._last)
        chains = [row[row > 0] for row in heads[heads.any(axis=1)]]
        if self._threads > 1:  # the largest is taken first, so that no thread is left alone with it
            chains.sort(key=lambda chain: int(records_in(self._shelf, chain)))
        return chains


def never() -> bool:
    """Nobody asks."""
    return False


def walk_down(
    layers: Layers,
    plain: int,
    safe: int,
    asked_to_stop: Callable[[], bool] = never,
    asked_to_pause: Callable[[], bool] = never,
) -> Iterator[Layered]:
    """Walk through all layers; what the walk has come to after each, and whenever somebody asked for a pause.

    Parameters
    ----------
    plain, safe : int
        Positions that the exhaustion without autoplay, and the one with it, may count.
    """
    while not layers.is_done:
        layers.go_on(plain, safe, asked_to_stop, asked_to_pause)
        safe_ended = layers.is_done and not layers.won and layers.settled <= safe
        plain_ended = safe_ended and layers.standing().plainly
        yield Layered(layers.found, layers.settled, layers.most_home, layers.won, plain_ended, safe_ended)
        if layers.won or layers.settled > safe:
            return
