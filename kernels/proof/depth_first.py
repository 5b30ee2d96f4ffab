"""The small exhaustion: depth first, all positions in one table, so that a won position is met early.

Two phases give both counts in one walk. The first goes by the rules with safe autoplay: a position with a safe move
home has no other move and isn't counted; it is put off. The second goes on without autoplay: it expands what was put
off by all moves, and everything that is new from there. Then the table holds what single-card moves reach.

What waits and what is put off share one array, from both ends:

     0     waiting                   size - put_off     size
     +-- waits --+                           +-- put off --+
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kernels.cards import CARDS
from kernels.jit import inlined, kernel, popcount
from kernels.proof.planes import CHILD_WORDS, MOST_CHILDREN, PLANES, Facts, home_cards, look_around
from kernels.proof.table import copy_into, expect, insert, new_table, room
from kernels.words import U0, U1, U2, U3, U4

FIRST_SLOTS = 1 << 14
AT_A_TIME = np.uint64(4)
"""Positions to look around from before what they found is looked up: meanwhile the table's memory arrives."""

MARGIN = int(AT_A_TIME) * MOST_CHILDREN
"""Slots that have to be free then."""

SLICE = 1 << 19
"""Positions to find between two returns to Python, which then can take a signal."""

WAITING, PUT_OFF, FOUND, SETTLED, MOST_HOME, WON = (np.uint64(i) for i in range(6))
"""Entries of a tally: positions on the stack, put off, found in all, settled ones counted; the most cards that were
home; whether a won position was met."""


class Stopped(Exception):
    """Somebody asked the walk to stop."""


class Walk(NamedTuple):
    """A walk through the positions of a deal.

    Attributes
    ----------
    table : (slots, 3) uint64
        All positions found.
    stack : (slots, 4) uint64
        As drawn above: positions, each with the bit of the card that moved last.
    tally : (6,) uint64
    around : (4, 80, 5) uint64
        Scratch: what was found around some positions.
    counts : (4,) uint64
        Scratch: how many around each.
    """

    table: np.ndarray
    stack: np.ndarray
    tally: np.ndarray
    around: np.ndarray
    counts: np.ndarray


@inlined
def enter(walk, a, b, c, moved, place):
    """Write a position onto the stack, with the bit of the card that moved last."""
    walk.stack[place, U0] = a
    walk.stack[place, U1] = b
    walk.stack[place, U2] = c
    walk.stack[place, U3] = moved


@inlined
def note_new(walk, count, put_off):
    """Put what is new around some positions on the stack, or with what is put off; False where a position is won.

    Parameters
    ----------
    count : uint64
        Positions that were looked around from.
    """
    tally = walk.tally
    for place in range(count):
        for i in range(walk.counts[place]):
            a, b, c = walk.around[place, i, U0], walk.around[place, i, U1], walk.around[place, i, U2]
            moved = walk.around[place, i, U4]
            if a | b | c == U0:
                tally[WON] = U1
                return False
            if insert(walk.table, a, b, c):
                tally[FOUND] += U1
                if put_off:
                    tally[PUT_OFF] += U1
                    enter(walk, a, b, c, moved, np.uint64(walk.stack.shape[0]) - tally[PUT_OFF])
                else:
                    enter(walk, a, b, c, moved, tally[WAITING])
                    tally[WAITING] += U1
    return True


@inlined
def look_from(walk, a, b, c, moved, facts, autoplay, place):
    """Look around from a position, and ask for the memory where what is found will be looked up; `settled`."""
    walk.tally[MOST_HOME] = max(walk.tally[MOST_HOME], popcount(home_cards(a, b, c)))
    around = walk.around[place]
    count, settled = look_around(a, b, c, facts, autoplay, moved, around)
    walk.counts[place] = count
    for i in range(count):
        expect(walk.table, around[i, U0], around[i, U1], around[i, U2])
    return settled


@kernel
def walk_safely(walk, facts, found_limit, settled_limit):
    """The first phase, until nothing waits, a position is won, or one of the limits is passed."""
    tally, stack = walk.tally, walk.stack
    while tally[WAITING] > U0 and tally[FOUND] <= found_limit and tally[SETTLED] <= settled_limit:
        count = min(tally[WAITING], AT_A_TIME)
        for place in range(count):
            tally[WAITING] -= U1
            last = tally[WAITING]
            a, b, c, moved = stack[last, U0], stack[last, U1], stack[last, U2], stack[last, U3]
            if look_from(walk, a, b, c, moved, facts, True, place):
                tally[SETTLED] += U1
            else:
                tally[PUT_OFF] += U1
                enter(walk, a, b, c, moved, np.uint64(stack.shape[0]) - tally[PUT_OFF])
        if not note_new(walk, count, False):
            return


@kernel
def walk_plainly(walk, facts, found_limit):
    """The second phase, until nothing is put off any more, a position is won, or the limit is passed."""
    tally, stack = walk.tally, walk.stack
    while tally[PUT_OFF] > U0 and tally[FOUND] <= found_limit:
        count = min(tally[PUT_OFF], AT_A_TIME)
        for place in range(count):
            last = np.uint64(stack.shape[0]) - tally[PUT_OFF]
            tally[PUT_OFF] -= U1
            a, b, c, moved = stack[last, U0], stack[last, U1], stack[last, U2], stack[last, U3]
            look_from(walk, a, b, c, moved, facts, False, place)
        if not note_new(walk, count, True):
            return


@kernel
def set_out(walk, a, b, c):
    """Find the first position."""
    insert(walk.table, a, b, c)
    enter(walk, a, b, c, U0, U0)
    walk.tally[WAITING] = walk.tally[FOUND] = U1


def new_walk(planes: np.ndarray) -> Walk:
    """A walk that has found the first position."""
    walk = Walk(
        new_table(FIRST_SLOTS),
        np.empty((FIRST_SLOTS, PLANES + 1), np.uint64),
        np.zeros(6, np.uint64),
        np.zeros((int(AT_A_TIME), MOST_CHILDREN, CHILD_WORDS), np.uint64),
        np.zeros(int(AT_A_TIME), np.uint64),
    )
    set_out(walk, *planes)
    return walk


def with_more_room(walk: Walk) -> Walk:
    """The same walk with twice the room."""
    waiting, put_off = int(walk.tally[WAITING]), int(walk.tally[PUT_OFF])
    table = new_table(2 * len(walk.table))
    copy_into(walk.table, table)
    stack = np.empty((2 * len(walk.stack), PLANES + 1), np.uint64)
    stack[:waiting] = walk.stack[:waiting]
    stack[len(stack) - put_off :] = walk.stack[len(walk.stack) - put_off :]
    return walk._replace(table=table, stack=stack)


class Depths(NamedTuple):
    """What a walk came to.

    Attributes
    ----------
    found, settled, most_home : int
        Positions found, settled ones among them, and the most cards that were home.
    plain_ended, safe_ended : bool
        Whether everything was found without autoplay, and with it.
    won : bool
        Whether a won position was met.
    table : (slots, 3) uint64
        All positions found, but for a won one.
    """

    found: int
    settled: int
    most_home: int
    plain_ended: bool
    safe_ended: bool
    won: bool
    table: np.ndarray


def walk_through(
    facts: Facts, planes: np.ndarray, plain: int, safe: int, most: int, asked_to_stop: Callable[[], bool]
) -> Depths:
    """Walk until both counts are known, a won position is met, or the room or the budgets are used up.

    Parameters
    ----------
    facts, planes
        As `facts_of` gives them.
    plain, safe : int
        Positions that the exhaustion without autoplay, and the one with it, may count.
    most : int
        Positions that the table may hold.
    asked_to_stop : callable
        Asked several times a second.

    Raises
    ------
    Stopped
        If it said so.
    """
    walk = new_walk(planes)
    tally = walk.tally
    safe_phase = True
    while True:
        if int(tally[FOUND]) > room(len(walk.table)) - MARGIN:
            walk = with_more_room(walk)
        limit = min(most, int(tally[FOUND]) + SLICE, room(len(walk.table)) - MARGIN)
        if safe_phase:
            walk_safely(walk, facts, np.uint64(limit), np.uint64(safe))
            safe_phase = bool(tally[WAITING]) and tally[SETTLED] <= safe
        else:
            limit = min(limit, plain)
            walk_plainly(walk, facts, np.uint64(limit))
        found, settled = int(tally[FOUND]), int(tally[SETTLED])
        if tally[WON]:
            return Depths(found, settled, CARDS, False, False, True, walk.table)
        safe_ended = not tally[WAITING] and settled <= safe
        plain_ended = safe_ended and not tally[PUT_OFF] and found <= plain
        over = settled > safe or found > most or (safe_ended and found > plain)
        if asked_to_stop():
            raise Stopped
        if plain_ended or over:
            return Depths(found, settled, int(tally[MOST_HOME]), plain_ended, safe_ended, False, walk.table)
