"""One worker of a large exhaustion: it walks through partitions on its own, and knows when a budget is passed."""

from collections.abc import Callable

import numpy as np

from kernels.proof.around import MOST_CHILDREN
from kernels.proof.classes import MOST_BITS, fewest_bits
from kernels.proof.depth_first import Stopped
from kernels.proof.planes import Facts
from kernels.proof.shelf import Pen, Shelf, give_back, records_in
from kernels.proof.sweep import (
    DONE,
    FOUND,
    MOST_HOME,
    NO_ROOM,
    OUT_OF_ROOM,
    PHASE,
    SETTLED,
    SLICE,
    WON,
    count_classes,
    new_sweep,
    restarted,
    sweep_on,
    with_room,
)
from kernels.proof.table import copy_into, new_table, room
from kernels.words import U0

LARGEST_TABLE = 1 << 18
"""Slots of a table of whole positions; what needs more has a class that gets a table of its own."""


class Worker:
    """One thread: a pen of its own, a table and a stack that are kept from partition to partition.

    Attributes
    ----------
    pen : Pen
    found, settled, most_home : int
        Of all partitions that it worked through.
    under_way : (int, int)
        Found and settled so far in what it works on.
    won : bool
    """

    def __init__(self, shelf: Shelf, pen: Pen, facts: Facts) -> None:
        self._shelf, self.pen, self._facts = shelf, pen, facts
        self.under_way = 0, 0
        self._table = new_table(1 << 10)
        self._sweep = new_sweep()
        self.found = self.settled = self.most_home = 0
        self.won = False

    def partition(self, heads: np.ndarray, bounds: "Bounds") -> list[tuple[int, int]]:
        """Work through a partition but for the positions of its largest classes, which are returned."""
        large: list[tuple[int, int]] = []
        while crowd := self._others(heads, large, bounds):
            large += crowd
        if not large:
            give_back(self._shelf, self.pen, heads)
        return large

    def _others(self, heads: np.ndarray, large: list[tuple[int, int]], bounds: "Bounds") -> list[tuple[int, int]]:
        """Work through all but some classes; if the table gets too large, stop and return the classes that fill it."""
        classes = np.array(large, np.uint64).reshape(-1, 2)
        slots = 1 << max(8, int(records_in(self._shelf, heads)).bit_length())
        table = self._cleared(min(slots, LARGEST_TABLE))
        restarted(self._sweep)
        state = self._sweep.state
        while not self._is_through(bounds, self._swept(heads, classes, table, bounds)):
            if int(state[FOUND]) + MOST_CHILDREN > room(len(table)):
                if len(table) >= LARGEST_TABLE and (crowd := _crowd(table)):
                    self.under_way = 0, 0
                    return crowd
                table = self._grown(table)
        return []

    def _is_through(self, bounds: "Bounds", status: int) -> bool:
        """Whether a partition is done with, or of no interest any more; its counts are taken then.

        Raises
        ------
        Stopped
            If somebody asked for it.
        MemoryError
            If there is no room for positions that wait.
        """
        state = self._sweep.state
        self.under_way = int(state[FOUND]), int(state[SETTLED])
        if status == OUT_OF_ROOM:
            raise MemoryError(NO_ROOM)
        if status != DONE:
            if bounds.asked_to_stop():
                raise Stopped
            if not bounds.are_passed and (state[PHASE] == U0 or bounds.plainly):
                return False
        self.take(int(state[FOUND]), int(state[SETTLED]), int(state[MOST_HOME]), bool(state[WON]))
        return True

    def take(self, found: int, settled: int, most_home: int, won: bool) -> None:
        """Count what something is worked through came to."""
        self.under_way = 0, 0
        self.found += found
        self.settled += settled
        self.most_home = max(self.most_home, most_home)
        self.won = self.won or won

    def _swept(self, heads: np.ndarray, classes: np.ndarray, table: np.ndarray, bounds: "Bounds") -> int:
        """One call of the kernel, with a stack that is large enough."""
        self._sweep = with_room(self._sweep)
        most, steps = np.uint64(room(len(table))), np.uint64(SLICE)
        facts, plainly = self._facts, bounds.plainly
        return int(
            sweep_on(self._shelf, self.pen, heads, classes, False, table, most, self._sweep, facts, plainly, steps)
        )

    def _cleared(self, slots: int) -> np.ndarray:
        """An empty table: the beginning of the one that is kept, where that is long enough."""
        if len(self._table) < slots:
            self._table = new_table(slots)
            return self._table
        table = self._table[:slots]
        table[:] = 0
        return table

    def _grown(self, table: np.ndarray) -> np.ndarray:
        larger = new_table(2 * len(table))
        copy_into(table, larger)
        self._table = larger
        return larger


class Bounds:
    """What ends a walk early, asked by all workers while they work.

    Where a worker left anything out because a budget was passed, the final count is above that budget. Take the last
    time that one did. The sum was above the budget then, and nothing is left out afterwards: what was under way is
    finished, and a partition that is begun again with tables for its large classes finds all its positions again.
    So the final count is at least that sum. A sum is never too large: `under_way` is emptied before `found` grows, and
    is read after it.

    Parameters
    ----------
    plain, safe : int
        Positions that the walk may still find in all, and settled ones among them.
    workers : list of Worker
    asked_to_stop : callable
    """

    def __init__(self, plain: int, safe: int, workers: list[Worker], asked_to_stop: Callable[[], bool]) -> None:
        self._plain = plain + sum(worker.found for worker in workers)
        self._safe = safe + sum(worker.settled for worker in workers)
        self._workers, self.asked_to_stop = workers, asked_to_stop

    @property
    def plainly(self) -> bool:
        """Whether positions are followed that are reached without autoplay only."""
        return sum(worker.found + worker.under_way[0] for worker in self._workers) <= self._plain

    @property
    def are_passed(self) -> bool:
        """Whether the walk has more settled positions than it may have."""
        return sum(worker.settled + worker.under_way[1] for worker in self._workers) > self._safe


def _crowd(table: np.ndarray) -> list[tuple[int, int]]:
    """The classes that have a quarter of a table each."""
    classes = np.zeros((64, 3), np.uint64)
    number = int(count_classes(table, classes))
    return [
        (int(joints), int(there))
        for joints, there, positions in classes[:number]
        if int(positions) >= len(table) // 8 and fewest_bits(int(joints), int(there)) <= MOST_BITS
    ]
