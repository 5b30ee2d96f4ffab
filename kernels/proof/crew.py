"""A large class, walked through by all workers together.

They share one table (`classes`), in which a slot is taken by an atomic exchange, so that each position is new for one
of them only. Each has a stack of its own. They work in rounds: between two of them, workers with little to do get half
of what others have, the table grows, and what the walk has come to may be kept.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np

from kernels.cards import ALL
from kernels.proof.around import MOST_CHILDREN
from kernels.proof.classes import doubled_loose, fewest_bits, loose_room, new_loose
from kernels.proof.depth_first import Stopped
from kernels.proof.planes import Facts
from kernels.proof.shelf import Shelf
from kernels.proof.sweep import (
    CHAIN,
    DONE,
    FOUND,
    HERE,
    MOST_HOME,
    NO_ROOM,
    OUT_OF_ROOM,
    PHASE,
    PLACE,
    PUT_OFF,
    SETTLED,
    SLICE,
    WAITING,
    WON,
    Sweep,
    new_sweep,
    sweep_on,
    with_room,
)
from kernels.proof.worker import Bounds, Worker

Class = tuple[int, int]
"""Joints left, and cards that aren't home: two sets of cards."""

FIRST_BITS = 19
"""Log2 of the slots that a table begins with."""

WORTH_GIVING = 1_000
"""Positions on a stack that are worth giving half of them to somebody else."""

Member = TypeVar("Member")


class Begun(NamedTuple):
    """What the walk through a class has come to between two rounds; records are read again from their beginning.

    Attributes
    ----------
    one : (int, int)
    phase, found, settled, most_home : int
    slots : (2^t,) uint64 or uint32
    waiting, put_off : (n, 3) uint64
    """

    one: Class
    phase: int
    found: int
    settled: int
    most_home: int
    slots: np.ndarray
    waiting: np.ndarray
    put_off: np.ndarray


def of_class(records: np.ndarray, one: Class) -> np.ndarray:
    """Those of some records that are of a class."""
    a = records[:, 0] & ALL
    joints, there = (np.uint64(cards) for cards in one)
    return np.ascontiguousarray(records[(a & records[:, 1] == joints) & (a | records[:, 1] | records[:, 2] == there)])


def on_all(members: Sequence[Member], work: Callable[[Member], None]) -> None:
    """Let each member work in a thread of its own."""
    if len(members) == 1:
        work(members[0])
        return
    with ThreadPoolExecutor(len(members)) as pool:
        for future in [pool.submit(work, member) for member in members]:
            future.result()


class Crew:
    """The walk through the positions of one class.

    Parameters
    ----------
    one : (int, int)
    heads : (n,) uint64
        The chains of its partition.
    shelf : Shelf
    facts : Facts
    workers : list of Worker
    begun : Begun, optional
        Where it goes on.
    """

    def __init__(
        self,
        one: Class,
        heads: np.ndarray,
        shelf: Shelf,
        facts: Facts,
        workers: list[Worker],
        begun: Begun | None = None,
    ) -> None:
        self._one, self._heads, self._shelf, self._facts, self._workers = one, heads, shelf, facts, workers
        self._table = new_loose(*one, max(fewest_bits(*one), FIRST_BITS))
        self._sweeps = [new_sweep(number, len(workers)) for number in range(len(workers))]
        if begun:
            self._go_on_from(begun)

    def _go_on_from(self, begun: Begun) -> None:
        self._table = self._table._replace(slots=begun.slots)
        first = self._sweeps[0] = with_room(self._sweeps[0], len(begun.waiting) + len(begun.put_off))
        first.state[WAITING], first.state[PUT_OFF] = len(begun.waiting), len(begun.put_off)
        first.stack[: len(begun.waiting)] = begun.waiting
        first.stack[len(first.stack) - len(begun.put_off) :] = begun.put_off
        first.state[FOUND], first.state[SETTLED] = begun.found, begun.settled
        first.state[MOST_HOME] = begun.most_home
        for sweep in self._sweeps:
            sweep.state[PHASE] = begun.phase

    @property
    def begun(self) -> Begun:
        """What the walk has come to."""
        found, settled, most_home = self._counts()
        return Begun(
            self._one,
            int(self._sweeps[0].state[PHASE]),
            found,
            settled,
            most_home,
            self._table.slots,
            np.concatenate([sweep.stack[: int(sweep.state[WAITING])] for sweep in self._sweeps]),
            np.concatenate([sweep.stack[len(sweep.stack) - int(sweep.state[PUT_OFF]) :] for sweep in self._sweeps]),
        )

    def is_through(self, bounds: Bounds) -> bool:
        """Go on for a round; whether the class is done with, or of no interest any more. Its counts are taken then.

        Raises
        ------
        Stopped
            If somebody asked for it; what the round did is lost, and the walk with it.
        MemoryError
            If there is no room for positions that wait.
        """
        answers = self._round(bounds)
        for worker, sweep in zip(self._workers, self._sweeps, strict=True):
            worker.under_way = int(sweep.state[FOUND]), int(sweep.state[SETTLED])
        if OUT_OF_ROOM in answers:
            raise MemoryError(NO_ROOM)
        if self._table.crowded[0]:
            raise AssertionError("a table of a class is crowded beyond what its slots can tell")
        if bounds.asked_to_stop():
            raise Stopped
        won = any(sweep.state[WON] for sweep in self._sweeps)
        plainly = self._sweeps[0].state[PHASE] > 0
        if not won and not bounds.are_passed and (not plainly or bounds.plainly):
            if any(answer != DONE for answer in answers):
                self._share()
                return False
            if not plainly and bounds.plainly:
                self._begin_plain_phase()
                return False
        for worker in self._workers:
            worker.under_way = 0, 0
        self._workers[0].take(*self._counts(), won)
        return True

    def _counts(self) -> tuple[int, int, int]:
        states = np.array([sweep.state for sweep in self._sweeps])
        return int(states[:, FOUND].sum()), int(states[:, SETTLED].sum()), int(states[:, MOST_HOME].max())

    def _round(self, bounds: Bounds) -> list[int]:
        """One call of the kernel by each worker, with stacks and a table that are large enough; what they returned."""
        members = range(len(self._workers))
        least = max(SLICE // 16, 2 * MOST_CHILDREN)
        while (each := (loose_room(self._table) - self._counts()[0]) // len(members)) < least:
            self._table = doubled_loose(self._table)
        self._sweeps = [with_room(sweep) for sweep in self._sweeps]
        answers = [DONE] * len(members)
        classes, plainly = np.array([self._one], np.uint64), bool(self._sweeps[0].state[PHASE]) and bounds.plainly

        def work(number: int) -> None:
            sweep = self._sweeps[number]
            answers[number] = sweep_on(
                self._shelf,
                self._workers[number].pen,
                self._heads,
                classes,
                True,
                self._table,
                sweep.state[FOUND] + np.uint64(each),
                sweep,
                self._facts,
                plainly,
                np.uint64(SLICE),
            )

        on_all(members, work)
        return answers

    def _begin_plain_phase(self) -> None:
        for sweep in self._sweeps:
            sweep.state[PHASE] = 1
            sweep.state[[CHAIN, HERE, PLACE]] = 0
        self._share()

    def _share(self) -> None:
        """Let those with the longest stacks give half of the difference to those with the shortest."""
        kind = PUT_OFF if self._sweeps[0].state[PHASE] else WAITING
        order = sorted(range(len(self._sweeps)), key=lambda number: int(self._sweeps[number].state[kind]))
        for poor, rich in zip(order[: len(order) // 2], order[::-1], strict=False):
            count = (int(self._sweeps[rich].state[kind]) - int(self._sweeps[poor].state[kind])) // 2
            if count >= WORTH_GIVING // 2:
                self._sweeps[poor] = with_room(self._sweeps[poor], count)
                _give(self._sweeps[rich], self._sweeps[poor], kind, count)


def _give(rich: Sweep, poor: Sweep, kind: np.uint64, count: int) -> None:
    """Move the uppermost positions from one stack to another: waiting ones, or those put off."""
    rich.state[kind] -= np.uint64(count)
    left, there = int(rich.state[kind]), int(poor.state[kind])
    if kind == WAITING:
        poor.stack[there : there + count] = rich.stack[left : left + count]
    else:
        end, to = len(rich.stack) - left, len(poor.stack) - there
        poor.stack[to - count : to] = rich.stack[end - count : end]
    poor.state[kind] += np.uint64(count)
