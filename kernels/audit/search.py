"""Solves a deal once more, in another way than `kernels/search`: best first, by single-card moves alone.

It shares with that search card numbers, the rules' arguments and the decorators. Moves, positions and the estimate are
its own (`kernels/audit`), and nothing is pruned or played by itself: when no position is left, none is won.

A position waits in a bucket of its estimate, last in first out.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernels.audit.closure import EVERYTHING_HOME
from kernels.audit.log import enter, enter_again, new_log, room, with_more_room
from kernels.audit.position import (
    CHILDREN,
    EMPTIES,
    GOES_HOME,
    GOES_TO_CELL,
    GOES_TO_EMPTY,
    IN_CELLS,
    dealt,
    find_children,
    first_words,
    new_table,
    unpack,
)
from kernels.jit import inlined, kernel
from kernels.rules import Rules
from kernels.words import U0, U1, U2, U3, U4, U8, U52, U63

BUCKETS = 4096

SLICE = 1 << 18
"""Positions to find between two returns to Python, which then can take a signal."""

SOLVED, EXHAUSTED, GIVEN_UP = range(3)

FOUND, LOWEST, WINNER = (np.uint64(i) for i in range(3))
"""Entries of the tally."""

AWAY, EMPTY, JOINT, COVERING, ON_LOWER, CELL_CARDS = range(6)
ESTIMATES = np.array(
    [
        [23, 19, 3, 7, 54, 0, 19, 37, 99, 100, 120, 140, 160, 180],
        [20, 17, 13, 10, 11, 0, 14, 42, 99, 100, 120, 140, 160, 180],
        [40, 19, 3, 15, 54, 0, 19, 37, 99, 100, 120, 140, 160, 180],
    ],
    np.int64,
)
"""Points of three estimates: for each card not home (AWAY); off for an empty column; for each card that doesn't fit on
the one beneath it, that covers a next card, that lies on a lower one; from CELL_CARDS on for 0..8 cards in cells. They
fail on different deals."""


class Attempt(NamedTuple):
    """What a search came to.

    Attributes
    ----------
    answer : int
        `SOLVED`, `EXHAUSTED` (every position looked at, none won) or `GIVEN_UP` (budget passed).
    positions : int
        Positions found, the first one included.
    moves : (m,) uint8
        The solution, a byte a move as the referee reads it; empty unless solved.
    """

    answer: int
    positions: int
    moves: np.ndarray


class Trail(NamedTuple):
    """How each position of a log was come to, and the queue of those not yet looked at.

    Attributes
    ----------
    parents : (n,) uint32
        Number of the position before.
    moves : (n,) uint16
        The move from there: card * 64 + where it goes.
    links : (n,) uint32
        Next position of the same bucket, 0 after the last.
    heads : (4096,) uint32
        First position of a bucket, 0 where it is empty.
    """

    parents: np.ndarray
    moves: np.ndarray
    links: np.ndarray
    heads: np.ndarray


@inlined
def estimate(table, deal, weights):
    """How far a position that is laid out seems to be from won, in points."""
    at_home = U0
    for suit in range(U4):
        at_home += table.home[suit]
    points = weights[AWAY] * (52 - np.int64(at_home)) - weights[EMPTY] * np.int64(table.counts[EMPTIES])
    in_cells = U0
    for card in range(U52):
        in_cells += (table.counts[IN_CELLS] >> card) & U1
    points += weights[CELL_CARDS + np.int64(in_cells)]
    for pile in range(U8 - table.counts[EMPTIES]):
        lowest, covering, under = U63, False, U63
        for i in range(table.heights[pile]):
            card = table.piles[pile, i]
            if i > U0 and deal.parents[card, 0] != under and deal.parents[card, 1] != under:
                points += weights[JOINT]
            if covering:
                points += weights[COVERING]
            if lowest < card >> U2:
                points += weights[ON_LOWER]
            lowest = min(lowest, card >> U2)
            covering = covering or card >> U2 == table.home[card & U3]
            under = card
    return points


@inlined
def wait(trail, tally, number, points):
    """Put a position into its bucket."""
    bucket = np.uint64(min(max(points, 0), BUCKETS - 1))
    trail.links[number] = trail.heads[bucket]
    trail.heads[bucket] = np.uint32(number)
    tally[LOWEST] = min(tally[LOWEST], bucket)


@inlined
def take(trail, tally):
    """Take the position that seems nearest; 0 where none waits."""
    bucket = tally[LOWEST]
    while bucket < np.uint64(BUCKETS) and trail.heads[bucket] == np.uint32(0):
        bucket += U1
    tally[LOWEST] = bucket
    if bucket == np.uint64(BUCKETS):
        return U0
    number = np.uint64(trail.heads[bucket])
    trail.heads[bucket] = trail.links[number]
    return number


@kernel
def search_on(log, trail, deal, table, child_table, tally, cells, limit, weights):
    """Look at positions until one is won, more than `limit` are found, or none waits; whether one still waits."""
    while tally[FOUND] <= limit and tally[WINNER] == U0:
        number = take(trail, tally)
        if number == U0:
            return False
        low, high, home = log.positions[number, 0], log.positions[number, 1], log.positions[number, 2]
        find_children(low, high, home, deal, table, cells)
        for i in range(table.counts[CHILDREN]):
            child = table.children[i]
            found = tally[FOUND] + U1
            if enter(log, found, child[0], child[1], child[2]):
                tally[FOUND] = found
                trail.parents[found] = np.uint32(number)
                trail.moves[found] = np.uint16(child[3])
                if child[2] == EVERYTHING_HOME:
                    tally[WINNER] = found
                    return True
                unpack(child[0], child[1], child[2], deal, child_table)
                wait(trail, tally, found, estimate(child_table, deal, weights))
    return True


def _new_trail(capacity: int) -> Trail:
    return Trail(
        np.zeros(capacity, np.uint32),
        np.zeros(capacity, np.uint16),
        np.zeros(capacity, np.uint32),
        np.zeros(BUCKETS, np.uint32),
    )


def _longer(trail: Trail, capacity: int) -> Trail:
    longer = _new_trail(capacity)
    for new, old in zip(longer, trail, strict=True):
        new[: len(old)] = old
    return longer


def solve(board: np.ndarray, rules: Rules, budgets: Sequence[int]) -> Attempt:
    """Look for a solution of a deal, once with each estimate.

    Parameters
    ----------
    board : (52,) uint8
        Card numbers in dealing order.
    rules : Rules
    budgets : sequence of int
        Positions that may be found with each of `ESTIMATES`, in their order.

    Returns
    -------
    Attempt
        The first that is solved or exhausted, else the last.
    """
    attempt = Attempt(GIVEN_UP, 0, np.empty(0, np.uint8))
    for weights, budget in zip(ESTIMATES, budgets, strict=False):
        attempt = _attempt(board, rules, budget, weights)
        if attempt.answer != GIVEN_UP:
            break
    return attempt


def _attempt(board: np.ndarray, rules: Rules, budget: int, weights: np.ndarray) -> Attempt:
    log = new_log()
    log.positions[1] = first_words()
    enter_again(log, U1)
    trail = _new_trail(len(log.positions))
    trail.heads[0] = 1
    tally = np.array([1, 0, 0], np.uint64)
    deal, tables = dealt(board, rules.in_suit), (new_table(), new_table())
    cells = np.uint64(rules.cells)
    found, waiting = 1, True
    while waiting and found <= budget and not tally[WINNER]:
        if found > room(len(log.index)):
            log = with_more_room(log, found)
            trail = _longer(trail, len(log.positions))
        stop = np.uint64(min(budget, found + SLICE, room(len(log.index))))
        waiting = search_on(log, trail, deal, *tables, tally, cells, stop, weights)
        found = int(tally[FOUND])
    if tally[WINNER]:
        return Attempt(SOLVED, found, _as_played(board, _way_to(trail, int(tally[WINNER])), rules.cells))
    return Attempt(GIVEN_UP if waiting else EXHAUSTED, found, np.empty(0, np.uint8))


def _way_to(trail: Trail, number: int) -> list[tuple[int, int]]:
    """The moves that lead to a position, each a card and where it goes."""
    moves = []
    while number != 1:
        moves.append(divmod(int(trail.moves[number]), 64))
        number = int(trail.parents[number])
    return moves[::-1]


def _as_played(board: np.ndarray, moves: list[tuple[int, int]], cells: int) -> np.ndarray:
    """Moves of cards as bytes: source * 16 + target, with columns as dealt and cells from the first free one on."""
    columns = [board[column::8].tolist() for column in range(8)]
    in_cells: list[int | None] = [None] * cells
    played = []
    for card, to in moves:
        held = card in in_cells
        source = (
            8 + in_cells.index(card) if held else next(i for i in range(8) if columns[i] and columns[i][-1] == card)
        )
        if to == GOES_TO_CELL:
            target = 8
            in_cells[in_cells.index(None)] = card
        elif to == GOES_HOME:
            target = 9
        else:
            target = next(i for i in range(8) if (columns[i][-1:] == [to] if to != GOES_TO_EMPTY else not columns[i]))
            columns[target].append(card)
        if held:
            in_cells[source - 8] = None
        else:
            columns[source].remove(card)
        played.append(16 * source + target)
    return np.array(played, np.uint8)
