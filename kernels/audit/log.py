"""Positions in the order in which they were found, and an index that says whether one is among them.

The index holds numbers into the log, by a mix of the position's words; where a place is taken the next one is tried.
All three words are compared, so nothing is taken for equal that isn't. Number 0 is no position.
"""

from typing import NamedTuple

import numpy as np

from kernels.audit.position import MOST_SINGLE_MOVES, WORDS
from kernels.jit import inlined, kernel
from kernels.words import U0, U1, U29, U31

FIRST_PLACES = 1 << 14
MOST_PLACES = 1 << 32
"""The index numbers positions in 32 bits; half of its places are taken at most."""

_MIX_0 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_1 = np.uint64(0x94D049BB133111EB)
_MIX_2 = np.uint64(0xFF51AFD7ED558CCD)


class Log(NamedTuple):
    """Positions found.

    Attributes
    ----------
    positions : (n, 3) uint64
        Exact forms, from number 1 on.
    index : (places,) uint32
        Numbers of positions, 0 where a place is free; `places` is a power of two.
    """

    positions: np.ndarray
    index: np.ndarray


def new_log(places: int = FIRST_PLACES) -> Log:
    """A log without positions that takes `room(places)` of them."""
    return Log(np.empty((places // 2 + MOST_SINGLE_MOVES + 1, WORDS), np.uint64), np.zeros(places, np.uint32))


def room(places: int) -> int:
    """Positions that are found before the index has to grow; those of one last position's moves go beyond."""
    return places // 2


def bytes_needed(positions: int) -> int:
    """Most memory that a log of so many positions comes to take, in bytes: while it grows for the last time."""
    places = FIRST_PLACES
    while room(places) < positions:
        places *= 2
    return room(places) * 3 // 2 * WORDS * 8 + places * 4


def with_more_room(log: Log, found: int) -> Log:
    """The log with twice the room, its first `found` positions kept.

    Raises
    ------
    MemoryError
        Also if the index has no numbers for more positions.
    """
    places = 2 * len(log.index)
    if places > MOST_PLACES:
        raise MemoryError(f"a log takes {room(MOST_PLACES):,} positions at most")
    positions = np.empty((places // 2 + MOST_SINGLE_MOVES + 1, WORDS), np.uint64)
    positions[: found + 1] = log.positions[: found + 1]
    larger = Log(positions, np.zeros(places, np.uint32))
    enter_again(larger, np.uint64(found))
    return larger


@inlined
def place_of(log, low, high, home):
    """The place of a position in the index, or the free place where it is to be entered."""
    mask = np.uint64(log.index.shape[0]) - U1
    mix = (low ^ (low >> U31)) * _MIX_0
    mix = (mix ^ high ^ (mix >> U29)) * _MIX_1
    mix = (mix ^ home ^ (mix >> U31)) * _MIX_2
    place = (mix ^ (mix >> U29)) & mask
    while True:
        number = np.uint64(log.index[place])
        if number == U0:
            return place
        if log.positions[number, 0] == low and log.positions[number, 1] == high and log.positions[number, 2] == home:
            return place
        place = (place + U1) & mask


@inlined
def enter(log, number, low, high, home):
    """Enter a position as `number` unless it is there; whether it is new."""
    place = place_of(log, low, high, home)
    if np.uint64(log.index[place]) != U0:
        return False
    log.positions[number, 0] = low
    log.positions[number, 1] = high
    log.positions[number, 2] = home
    log.index[place] = np.uint32(number)
    return True


@kernel
def enter_again(log, found):
    """Fill an empty index from the positions of a log."""
    for number in range(U1, found + U1):
        place = place_of(log, log.positions[number, 0], log.positions[number, 1], log.positions[number, 2])
        log.index[place] = np.uint32(number)
