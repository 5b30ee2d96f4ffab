"""Looking around inside a layer: the kernel that reads the records of a partition and goes on from there."""

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from kernels.cards import ALL
from kernels.jit import inlined, popcount, threaded
from kernels.proof.around import CHILD_WORDS, MOST_CHILDREN, look_around
from kernels.proof.classes import expect_loose, insert_loose
from kernels.proof.planes import PLANES, home_cards
from kernels.proof.shelf import FREE, FRESH, FRESH_END, SAFELY, shelve
from kernels.proof.table import expect, insert
from kernels.words import U0, U1, U2, U3, U4, U52

SLICE = 1 << 18
"""Positions to expand between two returns to Python."""

PHASE, CHAIN, HERE, PLACE, WAITING, PUT_OFF, FOUND, SETTLED, MOST_HOME, WON, FIRST, STRIDE = map(np.uint64, range(12))
"""Entries of a sweep's state: the phase; where it reads (chain, chunk, record); positions on the stack and put off;
positions found and settled ones counted; the most cards home; whether a won position was met; the first record that it
reads of each chunk, and how many records further the next one is: others may read those between."""

NO_ROOM = "the room for positions that wait for their layer is used up"

DONE, AGAIN, CRAMPED, OUT_OF_ROOM = 0, 1, 2, 3
"""What a sweep returns: all done; call again; the table or the stack has to grow; no chunk is left."""


class Sweep(NamedTuple):
    """What a worker needs for a partition, besides the table.

    Attributes
    ----------
    stack : (n, 3) uint64
        Waiting positions from the beginning, put off ones from the end, each with its last move (`shelf`).
    state : (12,) uint64
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


def new_sweep(first: int = 0, stride: int = 1) -> Sweep:
    """A sweep that has not begun, with a short stack."""
    around = np.zeros((MOST_CHILDREN, CHILD_WORDS), np.uint64)
    sweep = Sweep(np.empty((1 << 10, PLANES), np.uint64), np.zeros(12, np.uint64), around)
    restarted(sweep, first, stride)
    return sweep


def restarted(sweep: Sweep, first: int = 0, stride: int = 1) -> None:
    """Make a sweep ready for another partition."""
    sweep.state[:] = 0
    sweep.state[FIRST], sweep.state[STRIDE] = first, stride


def with_room(sweep: Sweep, more: int = 0) -> Sweep:
    """A sweep whose stack takes so many more positions, and what one look around finds."""
    waiting, put_off = int(sweep.state[WAITING]), int(sweep.state[PUT_OFF])
    size = len(sweep.stack)
    while waiting + put_off + more + MOST_CHILDREN > size:
        size *= 2
    if size == len(sweep.stack):
        return sweep
    longer = np.empty((size, PLANES), np.uint64)
    longer[:waiting] = sweep.stack[:waiting]
    longer[size - put_off :] = sweep.stack[len(sweep.stack) - put_off :]
    return sweep._replace(stack=longer)


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
    while state[HERE] == U0 or state[PLACE] >= shelf.filled[state[HERE]]:
        state[PLACE] = state[FIRST]
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
            state[PLACE] += state[STRIDE]
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
