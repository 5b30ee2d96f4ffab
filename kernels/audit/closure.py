"""Exhausts a deal once more, in another way than `kernels/proof`: breadth first, in the order of a log of positions.

It shares with that proof card numbers, the rules' arguments and the decorators; moves, the exact form of positions, the
set of those visited and the order of the walk are its own (`kernels/audit`).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kernels.audit.autoplay import after_autoplay
from kernels.audit.log import Log, enter, enter_again, new_log, room, with_more_room
from kernels.audit.position import CHILDREN, Dealt, Table, dealt, find_children, first_words, new_table
from kernels.jit import inlined, kernel
from kernels.rules import Rules
from kernels.words import U0, U1, U4, U8, U12, U15

SLICE = 1 << 18
"""Positions to find between two returns to Python, which then can take a signal."""

EVERYTHING_HOME = np.uint64(0xDDDD)

LOOKED_AT, FOUND, MOST_HOME, WIN_MET = (np.uint64(i) for i in range(4))
"""Entries of the tally."""


class Count(NamedTuple):
    """What an exhaustion came to.

    Attributes
    ----------
    ended : bool
        Whether nothing was left; False when the limit was passed or a won position was met.
    won : bool
        Whether a won position was met.
    positions : int
        Positions found, the first one included.
    most_home : int
        The greatest number of cards that were home at once.
    """

    ended: bool
    won: bool
    positions: int
    most_home: int


@inlined
def cards_home(home):
    """Number of cards that are home, of word 2 of a position."""
    return (home & U15) + (home >> U4 & U15) + (home >> U8 & U15) + (home >> U12 & U15)


@kernel
def first_after_autoplay(words, deal, table, in_suit):
    """Take the words of a position to those after safe autoplay."""
    words[0], words[1], words[2] = after_autoplay(words[0], words[1], words[2], deal, table, in_suit)


@kernel
def walk_on(log, deal, table, landing, tally, cells, autoplay, in_suit, limit):
    """Look at the positions of the log one by one until none is left, one is won, or more than `limit` are found.

    With `autoplay`, a child is entered as it is after safe autoplay; `landing` is the table on which that is done.
    """
    while tally[LOOKED_AT] < tally[FOUND] and tally[FOUND] <= limit and tally[WIN_MET] == U0:
        tally[LOOKED_AT] += U1
        number = tally[LOOKED_AT]
        low, high, home = log.positions[number, 0], log.positions[number, 1], log.positions[number, 2]
        find_children(low, high, home, deal, table, cells)
        for i in range(table.counts[CHILDREN]):
            low, high, home = table.children[i, 0], table.children[i, 1], table.children[i, 2]
            if autoplay:
                low, high, home = after_autoplay(low, high, home, deal, landing, in_suit)
            if enter(log, tally[FOUND] + U1, low, high, home):
                tally[FOUND] += U1
                tally[MOST_HOME] = max(tally[MOST_HOME], cards_home(home))
                if home == EVERYTHING_HOME:
                    tally[WIN_MET] = U1


def _set_out(board: np.ndarray, rules: Rules, autoplay: bool) -> tuple[Log, Dealt, Table, Table, np.ndarray]:
    log, deal, landing = new_log(), dealt(board, rules.in_suit), new_table()
    log.positions[1] = first_words()
    if autoplay:
        first_after_autoplay(log.positions[1], deal, landing, rules.in_suit)
    enter_again(log, U1)
    at_home = sum(int(log.positions[1, 2]) >> 4 * suit & 15 for suit in range(4))
    return log, deal, new_table(), landing, np.array([0, 1, at_home, 0], np.uint64)


def count_positions(
    board: np.ndarray,
    rules: Rules,
    limit: int,
    advanced: Callable[[int], object] = lambda more: None,
    autoplay: bool = False,
) -> Count:
    """Count the positions that can be reached from a deal by single-card moves.

    Parameters
    ----------
    board : (52,) uint8
        Card numbers in dealing order.
    rules : Rules
    limit : int
        Positions that may be found; the walk stops with the first position whose moves pass it.
    advanced : callable
        Told now and then how many more have been found.
    autoplay : bool
        Whether each position, the first one included, is counted as it is after safe autoplay.

    Returns
    -------
    Count
        `ended` exactly if there are no more than `limit` positions and none is won.
    """
    log, deal, table, landing, tally = _set_out(board, rules, autoplay)
    looked_at, found, won = 0, 1, 0
    advanced(found)
    while looked_at < found <= limit and not won:
        if found > room(len(log.index)):
            log = with_more_room(log, found)
        stop = min(limit, found + SLICE, room(len(log.index)))
        cells = np.uint64(rules.cells)
        walk_on(log, deal, table, landing, tally, cells, autoplay, rules.in_suit, np.uint64(stop))
        advanced(int(tally[FOUND]) - found)
        looked_at, found, won = (int(tally[entry]) for entry in (LOOKED_AT, FOUND, WIN_MET))
    ended = looked_at == found <= limit and not won
    return Count(ended, bool(won), found, int(tally[MOST_HOME]))
