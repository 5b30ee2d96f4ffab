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
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from kernels.cards import ALL
from kernels.jit import inlined, popcount, threaded
from kernels.proof.around import CHILD_WORDS, MOST_CHILDREN, look_around
from kernels.proof.classes import (
    MOST_BITS,
    Loose,
    doubled_loose,
    expect_loose,
    fewest_bits,
    insert_loose,
    loose_room,
    new_loose,
)
from kernels.proof.depth_first import Stopped
from kernels.proof.planes import PLANES, Facts, home_cards
from kernels.proof.shelf import (
    FREE,
    FRESH,
    FRESH_END,
    MOST_PARTITIONS,
    SAFELY,
    Pen,
    Shelf,
    give_back,
    new_pens,
    records_in,
    shared_out,
    shelve,
)
from kernels.proof.table import copy_into, expect, insert, new_table, room
from kernels.words import U0, U1, U2, U3, U4, U52

A_PARTITION = 12_000
"""Positions that a partition is to have: their table fits a processor's second-level cache."""

LARGEST_TABLE = 1 << 18
"""Slots of a table of whole positions; what needs more has a class that gets a table of its own."""

SLICE = 1 << 18
"""Positions to expand between two returns to Python."""

PHASE, CHAIN, HERE, PLACE, WAITING, PUT_OFF, FOUND, SETTLED, MOST_HOME, WON = (np.uint64(i) for i in range(10))
"""Entries of a sweep's state: the phase; where it reads (chain, chunk, record); positions on the stack and put off;
positions found and settled ones counted; the most cards home; whether a won position was met."""

NO_ROOM = "the room for positions that wait for their layer is used up"

DONE, AGAIN, CRAMPED, OUT_OF_ROOM = 0, 1, 2, 3
"""What a sweep returns: all done; call again; the table or the stack has to grow; no chunk is left."""


class Sweep(NamedTuple):
    """What a worker needs for a partition, besides the table.

    Attributes
    ----------
    stack : (n, 3) uint64
        Waiting positions from the beginning, put off ones from the end, each with its last move (`shelf`).
    state : (10,) uint64
    around : (80, 5) uint64
        Scratch.
    """

    stack: np.ndarray
    state: np.ndarray
    around: np.ndarray


def note(table, a, b, c):
    """Look a position up in a table of either form and note it; whether it is new."""


@overload(note, jit_options={"forceinline": True, "error_model": "numpy", "_nrt": False})
def _note(table, a, b, c):
    if isinstance(table, types.Array):
        return lambda table, a, b, c: insert(table, a, b, c)
    return lambda table, a, b, c: insert_loose(table, a, c)


def announce(table, a, b, c):
    """Say that a position will be looked up soon in a table of either form."""


@overload(announce, jit_options={"forceinline": True, "error_model": "numpy", "_nrt": False})
def _announce(table, a, b, c):
    if isinstance(table, types.Array):
        return lambda table, a, b, c: expect(table, a, b, c)
    return lambda table, a, b, c: expect_loose(table, a, c)


@inlined
def is_among(classes, a, b, c):
    """Whether a position is of one of some classes."""
    joints, there = a & b, a | b | c
    found = False
    for i in range(np.uint64(classes.shape[0])):
        found |= classes[i, U0] == joints and classes[i, U1] == there
    return found


@inlined
def next_record(shelf, heads, state):
    """Step to the next record of the chains; False at their end."""
    while state[HERE] == U0 or state[PLACE] == shelf.filled[state[HERE]]:
        state[PLACE] = U0
        if state[HERE] != U0:
            state[HERE] = shelf.link[state[HERE]]
        if state[HERE] == U0:
            if state[CHAIN] == np.uint64(heads.shape[0]):
                return False
            state[HERE] = heads[state[CHAIN]]
            state[CHAIN] += U1
    return True


@threaded
def sweep_on(shelf, pen, heads, classes, inside, table, most, sweep, facts, plainly, steps):
    """Go on with a partition: what of its records is of the classes, or with `inside` False all others.

    Parameters
    ----------
    shelf, pen
        Where records are read, and where those for lower layers go.
    heads : (n,) uint64
        The chains of the partition.
    classes : (n, 2) uint64
        Joints, and cards that aren't home, of each class.
    table
        (slots, 3) uint64, or `Loose` for a single class.
    most : uint64
        Positions that it may hold.
    plainly : bool
        Whether positions count that are reached without autoplay only.
    steps : uint64
        Positions to expand at most.
    """
    state, stack, around = sweep.state, sweep.stack, sweep.around
    size = np.uint64(stack.shape[0])
    tight = np.uint64(MOST_CHILDREN)
    for _ in range(steps):
        if state[FOUND] + tight > most or state[WAITING] + state[PUT_OFF] + tight > size:
            return CRAMPED
        if pen.stock[FREE] + pen.stock[FRESH_END] - pen.stock[FRESH] < tight:
            return OUT_OF_ROOM
        safely = state[PHASE] == U0
        if safely and state[WAITING] > U0:
            state[WAITING] -= U1
            marked, b, c = stack[state[WAITING], U0], stack[state[WAITING], U1], stack[state[WAITING], U2]
            a = marked & ALL
        elif not safely and state[PUT_OFF] > U0:
            last = size - state[PUT_OFF]
            state[PUT_OFF] -= U1
            marked, b, c = stack[last, U0], stack[last, U1], stack[last, U2]
            a = marked & ALL
        elif next_record(shelf, heads, state):
            here, place = state[HERE], state[PLACE]
            marked = shelf.records[here, place, U0]
            b, c = shelf.records[here, place, U1], shelf.records[here, place, U2]
            state[PLACE] += U1
            if (marked & SAFELY != U0) != safely:
                continue
            a, marked = marked & ALL, marked & ~SAFELY
            if is_among(classes, a, b, c) != inside or not note(table, a, b, c):
                continue
            state[FOUND] += U1
            state[MOST_HOME] = max(state[MOST_HOME], popcount(home_cards(a, b, c)))
        elif safely and plainly:
            state[PHASE] = U1
            state[CHAIN] = state[HERE] = state[PLACE] = U0
            continue
        else:
            return DONE
        count, settled = look_around(a, b, c, facts, safely, marked >> U52, around)
        if safely and settled:
            state[SETTLED] += U1
        elif safely:
            state[PUT_OFF] += U1
            last = size - state[PUT_OFF]
            stack[last, U0], stack[last, U1], stack[last, U2] = marked, b, c
        for i in range(count):
            if around[i, U3] == U0:
                announce(table, around[i, U0], around[i, U1], around[i, U2])
        for i in range(count):
            a, b, c, lower = around[i, U0], around[i, U1], around[i, U2], around[i, U3]
            move = around[i, U4] << U52
            if lower != U0:
                if a | b | c == U0:
                    state[WON] = U1
                    return DONE
                shelve(shelf, pen, a, b, c, lower, move | (SAFELY if safely else U0))
            elif note(table, a, b, c):
                state[FOUND] += U1
                if safely:
                    place = state[WAITING]
                    state[WAITING] += U1
                else:
                    state[PUT_OFF] += U1
                    place = size - state[PUT_OFF]
                stack[place, U0], stack[place, U1], stack[place, U2] = a | move, b, c
    return AGAIN


@threaded
def count_classes(table, found):
    """Count the positions of a table by class, of the classes that come first; how many there are.

    Parameters
    ----------
    found : (n, 3) uint64
        Joints, cards that aren't home, and positions of each class.
    """
    number = U0
    for slot in range(np.uint64(table.shape[0])):
        a, b, c = table[slot, U0], table[slot, U1], table[slot, U2]
        if a | b | c != U0:
            joints, there, i = a & b, a | b | c, U0
            while i < number and (found[i, U0] != joints or found[i, U1] != there):
                i += U1
            if i == number and number < np.uint64(found.shape[0]):
                found[number, U0], found[number, U1], found[number, U2] = joints, there, U0
                number += U1
            if i < number:
                found[i, U2] += U1
    return number


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


class Worker:
    """One thread: a pen of its own, tables and a stack that are kept from partition to partition.

    Attributes
    ----------
    found, settled, most_home : int
        Of all partitions that it worked through.
    under_way : (int, int)
        Found and settled so far in the partition that it works on.
    won : bool
    """

    def __init__(self, shelf: Shelf, pen: Pen, facts: Facts) -> None:
        self._shelf, self._pen, self._facts = shelf, pen, facts
        self.under_way = 0, 0
        self._table = new_table(1 << 10)
        self._stack = np.empty((1 << 10, PLANES), np.uint64)
        self._around = np.zeros((MOST_CHILDREN, CHILD_WORDS), np.uint64)
        self.found = self.settled = self.most_home = 0
        self.won = False

    def partition(self, heads: np.ndarray, bounds: "Bounds") -> None:
        """Work through a partition: positions of large classes on their own, then all others together."""
        large: list[tuple[int, int]] = []
        while crowd := self._others(heads, large, bounds):
            large += crowd
        for one in large:
            if not self.won and not bounds.are_passed:
                self._class(heads, one, bounds)
        give_back(self._shelf, self._pen, heads)

    def _others(self, heads: np.ndarray, large: list[tuple[int, int]], bounds: "Bounds") -> list[tuple[int, int]]:
        """Work through all but some classes; if the table gets too large, stop and return the classes that fill it."""
        classes = np.array(large, np.uint64).reshape(-1, 2)
        slots = 1 << max(8, int(records_in(self._shelf, heads)).bit_length())
        table = self._cleared(min(slots, LARGEST_TABLE))
        state = np.zeros(10, np.uint64)
        while not self._is_through(state, bounds, self._sweep(heads, classes, False, table, state, bounds)):
            if int(state[FOUND]) + MOST_CHILDREN > room(len(table)):
                if len(table) >= LARGEST_TABLE and (crowd := _crowd(table)):
                    self.under_way = 0, 0
                    return crowd
                table = self._grown(table)
        return []

    def _class(self, heads: np.ndarray, one: tuple[int, int], bounds: "Bounds") -> None:
        """Work through the positions of one class."""
        loose = new_loose(*one, max(fewest_bits(*one), LARGEST_TABLE.bit_length()))
        state = np.zeros(10, np.uint64)
        classes = np.array([one], np.uint64)
        while not self._is_through(state, bounds, self._sweep(heads, classes, True, loose, state, bounds)):
            if int(state[FOUND]) + MOST_CHILDREN > loose_room(loose):
                loose = doubled_loose(loose)

    def _is_through(self, state: np.ndarray, bounds: "Bounds", status: int) -> bool:
        """Whether a partition is done with, or of no interest any more; its counts are taken then.

        Raises
        ------
        Stopped
            If somebody asked for it.
        MemoryError
            If there is no room for positions that wait.
        """
        self.under_way = int(state[FOUND]), int(state[SETTLED])
        if status == OUT_OF_ROOM:
            raise MemoryError(NO_ROOM)
        if status != DONE:
            if bounds.asked_to_stop():
                raise Stopped
            if not bounds.are_passed and (state[PHASE] == U0 or bounds.plainly):
                return False
        self.under_way = 0, 0
        self.found += int(state[FOUND])
        self.settled += int(state[SETTLED])
        self.most_home = max(self.most_home, int(state[MOST_HOME]))
        self.won = self.won or bool(state[WON])
        return True

    def _sweep(
        self,
        heads: np.ndarray,
        classes: np.ndarray,
        inside: bool,
        table: np.ndarray | Loose,
        state: np.ndarray,
        bounds: "Bounds",
    ) -> int:
        """One call of the kernel, with a stack that is large enough."""
        if int(state[WAITING]) + int(state[PUT_OFF]) + MOST_CHILDREN > len(self._stack):
            self._stack = _longer(self._stack, int(state[WAITING]), int(state[PUT_OFF]))
        most = loose_room(table) if isinstance(table, Loose) else room(len(table))
        status = sweep_on(
            self._shelf,
            self._pen,
            heads,
            classes,
            inside,
            table,
            np.uint64(most),
            Sweep(self._stack, state, self._around),
            self._facts,
            bounds.plainly,
            np.uint64(SLICE),
        )
        if isinstance(table, Loose) and table.crowded[0]:
            raise AssertionError("a table of a class is crowded beyond what its slots can tell")
        return int(status)

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


def _longer(stack: np.ndarray, waiting: int, put_off: int) -> np.ndarray:
    longer = np.empty((2 * len(stack), PLANES), np.uint64)
    longer[:waiting] = stack[:waiting]
    longer[len(longer) - put_off :] = stack[len(stack) - put_off :]
    return longer


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
    """

    def __init__(self, facts: Facts, standing: Standing, waiting: Waiting, shelf: Shelf, threads: int = 1) -> None:
        self._shelf, self._threads = shelf, threads
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
        return not self._chains and not any(pen.heads.any() for pen in self._pens)

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
            records = np.empty((int(records_in(self._shelf, chain)), PLANES), np.uint64)
            take_out(self._shelf, chain, records)
            yield records

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
        self._chains = self._chains or self._next_chains()
        plain_left = plain - self.found if self._plainly and plain else -1
        bounds = Bounds(plain_left, safe - self.settled, self._workers, asked_to_stop)
        lock = Lock()

        def work(worker: Worker) -> None:
            while not (bounds.are_passed or any(other.won for other in self._workers)):
                with lock:
                    if not self._chains:
                        return
                    heads = self._chains.pop()
                worker.partition(heads, bounds)
                if asked_to_pause():
                    return

        _on_all(self._workers, work)
        before, self._counted = self._counted, self._done()
        self.found += self._counted[0] - before[0]
        self._in_layer += self._counted[0] - before[0]
        self.settled += self._counted[1] - before[1]
        self.most_home = max(self.most_home, *(worker.most_home for worker in self._workers))
        self.won = any(worker.won for worker in self._workers)
        self._plainly = self._plainly and self.found <= plain
        shared_out(self._pens)
        if not self._chains:
            self._last, self._in_layer = self._in_layer, 0

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


def _on_all(workers: list[Worker], work: Callable[[Worker], None]) -> None:
    if len(workers) == 1:
        work(workers[0])
        return
    with ThreadPoolExecutor(len(workers)) as pool:
        for future in [pool.submit(work, worker) for worker in workers]:
            future.result()


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
