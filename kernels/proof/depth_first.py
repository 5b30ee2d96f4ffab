"""The small exhaustion: depth first, all positions held at once, so that a won position is met early.

Two phases give both counts in one walk. The first goes by the rules with safe autoplay: a position with a safe move
home has no other move and isn't counted; it is put off. The second goes on without autoplay: it expands what was put
off by all moves, and everything that is new from there. Then all is found that single-card moves reach.

What waits and what is put off share one array, from both ends:

     0     waiting                   size - put_off     size
     +-- waits --+                           +-- put off --+
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kernels.cards import ALL, CARDS
from kernels.jit import inlined, kernel, popcount
from kernels.proof.around import CHILD_WORDS, MOST_CHILDREN, look_around
from kernels.proof.numbered import copy_slots, enter, expect, room, slots_for
from kernels.proof.planes import PLANES, Facts, home_cards
from kernels.proof.table import mixed
from kernels.words import U0, U1, U2, U3, U4, U52

FIRST_SLOTS = 1 << 14
AT_A_TIME = np.uint64(4)
"""Positions to look around from before what they found is looked up: meanwhile the memory of the slots arrives. With
eight, the walk is less depth first, and meets fewer won positions in time."""

MARGIN = int(AT_A_TIME) * MOST_CHILDREN
"""Positions that there has to be room for then."""

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
    positions : (n, 3) uint64
        All positions found, with their last moves, as `numbered` says.
    slots : (2^t,) uint64
    stack : (n,) uint32
        As drawn above: numbers of positions.
    tally : (6,) uint64
    around : (4, 80, 5) uint64
        Scratch: what was found around some positions; their mix is at 3.
    counts : (4,) uint64
        Scratch: how many around each.
    """

    positions: np.ndarray
    slots: np.ndarray
    stack: np.ndarray
    tally: np.ndarray
    around: np.ndarray
    counts: np.ndarray


@inlined
def note_new(walk, count, put_off):
    """Put what is new around some positions on the stack, or with what is put off; False where a position is won.

    Parameters
    ----------
    count : uint64
        Positions that were looked around from.
    """
    tally = walk.tally
    found, waiting, last = tally[FOUND], tally[WAITING], np.uint64(walk.stack.shape[0]) - tally[PUT_OFF] - U1
    for place in range(count):
        for i in range(walk.counts[place]):
            a, b, c = walk.around[place, i, U0], walk.around[place, i, U1], walk.around[place, i, U2]
            mix, move = walk.around[place, i, U3], walk.around[place, i, U4]
            if a | b | c == U0:
                tally[WON] = U1
                tally[FOUND] = found
                return False
            is_new = np.uint64(enter(walk.positions, walk.slots, found, mix, a, b, c, move))
            if put_off:
                walk.stack[last] = found
                last -= is_new
            else:
                walk.stack[waiting] = found
                waiting += is_new
            found += is_new
    tally[FOUND], tally[WAITING] = found, waiting
    tally[PUT_OFF] = np.uint64(walk.stack.shape[0]) - last - U1
    return True


@inlined
def look_from(walk, number, facts, autoplay, place):
    """Look around from a position, and ask for the memory where what is found will be looked up; `settled`."""
    marked, b, c = walk.positions[number, U0], walk.positions[number, U1], walk.positions[number, U2]
    a = marked & ALL
    walk.tally[MOST_HOME] = max(walk.tally[MOST_HOME], popcount(home_cards(a, b, c)))
    around = walk.around[place]
    count, settled = look_around(a, b, c, facts, autoplay, marked >> U52, around)
    walk.counts[place] = count
    for i in range(count):
        around[i, U3] = mixed(around[i, U0], around[i, U1], around[i, U2])
        expect(walk.slots, around[i, U3])
    return settled


@kernel
def walk_safely(walk, facts, found_limit, settled_limit):
    """The first phase, until nothing waits, a position is won, or one of the limits is passed."""
    tally, stack = walk.tally, walk.stack
    while tally[WAITING] > U0 and tally[FOUND] <= found_limit and tally[SETTLED] <= settled_limit:
        count = min(tally[WAITING], AT_A_TIME)
        for place in range(count):
            tally[WAITING] -= U1
            number = stack[tally[WAITING]]
            if look_from(walk, number, facts, True, place):
                tally[SETTLED] += U1
            else:
                tally[PUT_OFF] += U1
                stack[np.uint64(stack.shape[0]) - tally[PUT_OFF]] = number
        if not note_new(walk, count, False):
            return


@kernel
def walk_plainly(walk, facts, found_limit):
    """The second phase, until nothing is put off any more, a position is won, or the limit is passed."""
    tally, stack = walk.tally, walk.stack
    while tally[PUT_OFF] > U0 and tally[FOUND] <= found_limit:
        count = min(tally[PUT_OFF], AT_A_TIME)
        for place in range(count):
            number = stack[np.uint64(stack.shape[0]) - tally[PUT_OFF]]
            tally[PUT_OFF] -= U1
            look_from(walk, number, facts, False, place)
        if not note_new(walk, count, True):
            return


@kernel
def set_out(walk, a, b, c):
    """Find the first position."""
    walk.tally[:] = U0
    walk.slots[:] = U0
    enter(walk.positions, walk.slots, U0, mixed(a, b, c), a, b, c, U0)
    walk.stack[U0] = U0
    walk.tally[WAITING] = walk.tally[FOUND] = U1


class Space:
    """The arrays of walks that find up to so many positions; the system gives their memory only as it is filled."""

    def __init__(self, most: int) -> None:
        n = most + 1 + MARGIN
        self._slots = [np.empty(max(FIRST_SLOTS, slots_for(n)), np.uint64) for _ in range(2)]
        self._walk = Walk(
            np.empty((n, PLANES), np.uint64),
            self._slots[0],
            np.empty(n, np.uint32),
            np.zeros(6, np.uint64),
            np.zeros((int(AT_A_TIME), MOST_CHILDREN, CHILD_WORDS), np.uint64),
            np.zeros(int(AT_A_TIME), np.uint64),
        )

    def new_walk(self, planes: np.ndarray) -> Walk:
        """A walk that has found the first position, in place of the one before."""
        walk = self._walk._replace(slots=self._slots[0][:FIRST_SLOTS])
        set_out(walk, *planes)
        return walk

    def with_more_slots(self, walk: Walk) -> Walk:
        """The same walk with twice the slots, those of the other array."""
        self._slots.reverse()
        larger = self._slots[0][: 2 * len(walk.slots)]
        larger[:] = 0
        copy_slots(walk.slots, larger)
        return walk._replace(slots=larger)


space_for = lru_cache(maxsize=1)(Space)
"""Kept for the next walk with the same budget."""


def release_memory() -> None:
    """Give back the arrays that are kept for the next walk."""
    space_for.cache_clear()


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
    positions : (found, 3) uint64
        All positions found, but for a won one, with their last moves; lost when the next walk begins.
    """

    found: int
    settled: int
    most_home: int
    plain_ended: bool
    safe_ended: bool
    won: bool
    positions: np.ndarray


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
        Positions that the walk may find before it ends.
    asked_to_stop : callable
        Asked several times a second.

    Raises
    ------
    Stopped
        If it said so.
    """
    space = space_for(most)
    walk = space.new_walk(planes)
    tally = walk.tally
    safe_phase = True
    while True:
        if int(tally[FOUND]) > room(len(walk.slots)) - MARGIN:
            walk = space.with_more_slots(walk)
        limit = min(most, int(tally[FOUND]) + SLICE, room(len(walk.slots)) - MARGIN)
        if safe_phase:
            walk_safely(walk, facts, np.uint64(limit), np.uint64(safe))
            safe_phase = bool(tally[WAITING]) and tally[SETTLED] <= safe
        else:
            limit = min(limit, plain)
            walk_plainly(walk, facts, np.uint64(limit))
        found, settled = int(tally[FOUND]), int(tally[SETTLED])
        if tally[WON]:
            return Depths(found, settled, CARDS, False, False, True, walk.positions[:found])
        safe_ended = not tally[WAITING] and settled <= safe
        plain_ended = safe_ended and not tally[PUT_OFF] and found <= plain
        over = settled > safe or found > most or (safe_ended and found > plain)
        if asked_to_stop():
            raise Stopped
        if plain_ended or over:
            return Depths(found, settled, int(tally[MOST_HOME]), plain_ended, safe_ended, False, walk.positions[:found])
