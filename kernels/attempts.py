"""The series of attempts for one deal: which evaluation, which budget, in what order."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kernels.evaluation import EVALUATIONS, Weights
from kernels.jit import kernel
from kernels.moves import accepting
from kernels.playout import MOST_MOVES, new_tableau, play_out
from kernels.rules import Rules
from kernels.search import EXHAUSTED, OUT, WON, Desk, desk_bytes, new_desk, search

__all__ = ["EXHAUSTED", "OUT", "WON", "Decisions", "bytes_needed", "decide"]

SERIES = (0, 1, 2, 1, 2, 0)
"""Which of the evaluations each attempt uses. Each was tuned on what the ones before it leave over; the fourth and the
fifth attempt use the one that expanded the fewest positions on the deals left over then."""


class Decisions(NamedTuple):
    """What the attempts came to, a row a deal.

    Attributes
    ----------
    answer : (n,) uint8
        `WON`, `EXHAUSTED` or `OUT` (of budget).
    attempt : (n,) uint8
        The attempt that decided; for `OUT` the last one made.
    positions : (n,) uint32
        Positions expanded by all attempts.
    lengths : (n,) uint16
        Single-card moves of the solution, 0 unless won.
    moves : (m,) uint8
        All solutions, one after another (`playout` says how a move is written).
    """

    answer: np.ndarray
    attempt: np.ndarray
    positions: np.ndarray
    lengths: np.ndarray
    moves: np.ndarray


def evaluation_of(attempt: int) -> Weights:
    """Weights of an attempt, numbered from 1; after the series its last evaluation goes on."""
    return EVALUATIONS[SERIES[min(attempt, len(SERIES)) - 1]]


def bytes_needed(budget: int) -> int:
    """Most memory that an attempt with this budget comes to hold, in bytes."""
    return desk_bytes(budget)


@kernel
def decide_block(boards, desks, weights, budgets, first_attempt, tableau, cells, in_suit, decisions):
    """Make attempts at each deal of a block until one decides it; the number of bytes of all solutions."""
    used = 0
    for deal in range(boards.shape[0]):
        for i in range(len(desks)):
            answer, expanded, last = search(boards[deal], desks[i], weights[i], cells, in_suit, budgets[i])
            decisions.positions[deal] += expanded
            decisions.attempt[deal] = first_attempt + i
            if answer != OUT:
                break
        decisions.answer[deal] = answer
        if answer == WON:
            length = play_out(boards[deal], desks[i].positions, desks[i].origins, last, tableau, cells, in_suit)
            decisions.lengths[deal] = length
            for move in range(length):
                decisions.moves[used + move] = tableau.moves[move]
            used += length
    return used


@lru_cache(maxsize=4)
def _desk(attempt: int, budget: int, in_suit: bool) -> Desk:
    """Room for an attempt, kept for the next block."""
    return new_desk(budget, accepting(in_suit))


_tableau = lru_cache(maxsize=1)(new_tableau)


def decide(boards: np.ndarray, rules: Rules, budgets: Sequence[int], first_attempt: int = 1) -> Decisions:
    """Decide a block of deals.

    Parameters
    ----------
    boards : (n, 52) uint8
        Cards in dealing order.
    rules : Rules
    budgets : sequence of int
        Positions to expand at most, one number an attempt.
    first_attempt : int
        Number of the first of them: it says which evaluation an attempt uses.

    Returns
    -------
    Decisions
        The same for the same arguments, whatever was decided before.
    """
    numbers = range(first_attempt, first_attempt + len(budgets))
    desks = tuple(_desk(number, budget, rules.in_suit) for number, budget in zip(numbers, budgets, strict=True))
    weights = tuple(evaluation_of(number) for number in numbers)
    n = len(boards)
    decisions = Decisions(
        np.zeros(n, np.uint8),
        np.zeros(n, np.uint8),
        np.zeros(n, np.uint32),
        np.zeros(n, np.uint16),
        np.empty(n * MOST_MOVES, np.uint8),
    )
    limits = np.array(budgets, np.int64)
    used = decide_block(
        boards, desks, weights, limits, first_attempt, _tableau(), rules.cells, rules.in_suit, decisions
    )
    return decisions._replace(moves=decisions.moves[:used].copy())
