"""The way to a won position that a walk through layers met.

That walk drops each layer, and all ways with it. So it is made once more with the records of every layer kept. Then the
way is found from its end: a layer is visited again, breadth first from its records on, until a position is met that one
move leads from to where the way goes on; where it began is a record of the layer, and the layers above are next.

    layer 0       o first position
                   \\
    layer 1         o--o--o
                           \\
    layer 2                 |        a move may skip a layer
                             \\
    layer 3                   o--o--won
"""

from collections.abc import Callable, Iterable

import numpy as np

from kernels.cards import ALL
from kernels.jit import kernel
from kernels.proof.around import CHILD_WORDS, MOST_CHILDREN, look_around
from kernels.proof.depth_first import Stopped
from kernels.proof.layers import Layers, never
from kernels.proof.numbered import copy_slots, enter, room, slots_for
from kernels.proof.path import WON, Planes
from kernels.proof.planes import PLANES, Facts
from kernels.proof.table import mixed
from kernels.words import U0, U1, U2, U3

Recall = Callable[[], np.ndarray]
"""Gives the records of a layer again, (n, 3) uint64."""

Keep = Callable[[Iterable[np.ndarray]], Recall]
"""Keeps the records of a layer, which come in blocks."""

FIRST_ROOM = 1 << 14
SLICE = np.uint64(1 << 18)
"""Positions to look around from between two returns to Python."""

VISITED, FOUND = np.uint64(0), np.uint64(1)
"""Entries of a visit's state: positions looked around from, and found."""

NO_END = 1 << 62
"""More positions than any exhaustion has."""

ALL_VISITED, AGAIN, MET = 0, 1, 2
"""What a visit returns: there is no more; call again, perhaps with more room; the last one visited leads on."""


def in_memory(blocks: Iterable[np.ndarray]) -> Recall:
    """Keep the records of a layer in memory."""
    records = np.concatenate([np.empty((0, PLANES), np.uint64), *blocks])
    return lambda: records


@kernel
def visit(positions, parents, slots, state, most, goal, facts, around):
    """Visit a layer breadth first, until a position is met that one move leads from to the goal.

    Parameters
    ----------
    positions : (n, 3) uint64
    parents : (n,) uint32
        The number of the position from which each was found.
    slots : (2^t,) uint64
    state : (2,) uint64
    most : uint64
        Positions that there is room for.
    goal : (3,) uint64
    facts : Facts
    around : (80, 5) uint64
        Scratch.
    """
    for _ in range(SLICE):
        number = state[VISITED]
        if number == state[FOUND]:
            return ALL_VISITED
        if state[FOUND] + np.uint64(MOST_CHILDREN) > most:
            return AGAIN
        a, b, c = positions[number, U0] & ALL, positions[number, U1], positions[number, U2]
        count, _ = look_around(a, b, c, facts, True, U0, around)
        for i in range(count):
            a, b, c = around[i, U0], around[i, U1], around[i, U2]
            if (a == goal[U0]) & (b == goal[U1]) & (c == goal[U2]):
                return MET
            if around[i, U3] == U0:
                parents[state[FOUND]] = number
                state[FOUND] += np.uint64(enter(positions, slots, state[FOUND], mixed(a, b, c), a, b, c, U0))
        state[VISITED] += U1
    return AGAIN


@kernel
def note_records(positions, parents, slots, records):
    """Enter the records of a layer, each its own parent; how many different ones there are."""
    found = U0
    for i in range(np.uint64(records.shape[0])):
        a, b, c = records[i, U0] & ALL, records[i, U1], records[i, U2]
        parents[found] = found
        found += np.uint64(enter(positions, slots, found, mixed(a, b, c), a, b, c, U0))
    return found


def way_through_layers(
    layers: Layers, facts: Facts, planes: np.ndarray, keep: Keep, asked_to_stop: Callable[[], bool]
) -> list[Planes]:
    """A way from the first position to a won one, both included, each position one move from the one before.

    Parameters
    ----------
    layers : Layers
        A walk that hasn't begun, from the first position; a won one can be reached.
    facts : Facts
    planes : (3,) uint64
        The first position.
    keep : callable
        Keeps the records of a layer.
    asked_to_stop : callable
        Asked several times a second.

    Raises
    ------
    Stopped
        If `asked_to_stop` said so.
    MemoryError
        If the walk, or a layer of it, doesn't fit into memory.
    """
    kept = []
    while not layers.won:
        if layers.is_done:
            raise AssertionError("no won position can be reached")
        kept.append(keep(layers.waiting(1)))
        layers.go_on(0, NO_END, asked_to_stop, never)
    way = [WON]
    while kept:
        way = [*_part_in_layer(kept.pop()(), facts, way[0], asked_to_stop), *way]
    if way[0] != tuple(map(int, planes)):
        raise AssertionError("the way through the layers doesn't begin at the first position")
    return way


def _part_in_layer(records: np.ndarray, facts: Facts, goal: Planes, asked_to_stop: Callable[[], bool]) -> list[Planes]:
    """The positions of a layer on the way to a goal below it; none where the way skips the layer."""
    size = max(FIRST_ROOM, 2 * len(records))
    positions, parents = np.empty((size, PLANES), np.uint64), np.empty(size, np.uint32)
    slots = np.zeros(slots_for(size), np.uint64)
    state = np.array([0, note_records(positions, parents, slots, records)], np.uint64)
    around = np.zeros((MOST_CHILDREN, CHILD_WORDS), np.uint64)
    target = np.array(goal, np.uint64)
    answer = AGAIN
    while answer == AGAIN:
        if asked_to_stop():
            raise Stopped
        if int(state[FOUND]) + MOST_CHILDREN > len(positions):
            positions, parents = _longer(positions), _longer(parents)
            larger = np.zeros(slots_for(len(positions)), np.uint64)
            copy_slots(slots, larger)
            slots = larger
        most = np.uint64(min(len(positions), room(len(slots))))
        answer = visit(positions, parents, slots, state, most, target, facts, around)
    if answer == ALL_VISITED:
        return []
    number, part = int(state[VISITED]), []
    while True:
        a, b, c = map(int, positions[number])
        part.append((a, b, c))
        if int(parents[number]) == number:
            return part[::-1]
        number = int(parents[number])


def _longer(array: np.ndarray) -> np.ndarray:
    longer = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
