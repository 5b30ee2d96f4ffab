"""The series of attempts for one deal: which evaluation, which budget, in what order."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kernels.jit import kernel
from kernels.rules import Rules
from kernels.search.evaluation import EVALUATIONS
from kernels.search.haste import BRISK, CAREFUL, HASTY
from kernels.search.playout import new_solution, play_out
from kernels.search.search import EXHAUSTED, OUT, WON, Searcher, desk_bytes, new_desk, search
from kernels.search.trail import LONGEST

__all__ = ["EXHAUSTED", "FIRST_CAREFUL", "OUT", "WON", "Attempt", "Decisions", "attempt_of", "bytes_needed", "decide"]


class Attempt(NamedTuple):
    """One search of a deal.

    Attributes
    ----------
    evaluation : int
        Which of the evaluations it uses.
    haste : int
        Its level of haste; only a careful attempt can be exhausted.
    proof : int
        Positions of an exhaustion with safe autoplay that is worth a try where the attempt leaves the deal over.
    """

    evaluation: int
    haste: int
    proof: int = 0


NO_END = 1 << 62
"""More positions than any exhaustion has."""

SERIES = (
    Attempt(0, HASTY),
    Attempt(1, BRISK),
    Attempt(2, BRISK),
    Attempt(1, CAREFUL),
    Attempt(0, BRISK, proof=400_000),
    Attempt(2, CAREFUL, proof=3_000_000),
    Attempt(1, CAREFUL, proof=200_000_000),
    Attempt(2, CAREFUL, proof=NO_END),
)
"""The attempts, in order. The first four, for the quick pass, are printed by `freecell-census tune`. What is
left over by then is impossible half the time, with an exhaustion that ends sooner than a search; and the exhaustion,
depth first, meets a won position of most of the others."""

FIRST_CAREFUL = next(number for number, attempt in enumerate(SERIES, 1) if attempt.haste == CAREFUL)
"""Number of the first attempt that can be exhausted: for whoever makes only one."""


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


def attempt_of(number: int) -> Attempt:
    """An attempt, numbered from 1; after the series its last one goes on."""
    return SERIES[min(number, len(SERIES)) - 1]


def bytes_needed(number: int, budget: int) -> int:
    """Most memory that an attempt with this budget comes to hold, in bytes."""
    return desk_bytes(budget, attempt_of(number).haste)


def release_memory() -> None:
    """Give back the room that searches keep for the next block."""
    _searcher.cache_clear()
    _moves.cache_clear()


@kernel
def decide_block(boards, rules, searchers, first_attempt, solution, decisions):
    """Make attempts at each deal of a block until one decides it; the number of bytes of all solutions."""
    used = 0
    for deal in range(boards.shape[0]):
        for i in range(len(searchers)):
            desk, haste = searchers[i].desk, searchers[i].haste
            answer, expanded, last = search(boards[deal], rules, searchers[i])
            decisions.positions[deal] += expanded
            decisions.attempt[deal] = first_attempt + i
            length = 0
            if answer == WON:
                length = play_out(boards[deal], rules, (desk.positions, last), haste, solution)
                # A solution that is too long to be kept does not count: the next attempt may find a shorter one.
                answer = answer if length > 0 else OUT
            if answer != OUT:
                break
        decisions.answer[deal] = answer
        decisions.lengths[deal] = length
        for move in range(length):
            decisions.moves[used + move] = solution.trail.moves[move]
        used += length
    return used


@lru_cache(maxsize=4)
def _searcher(number: int, budget: int, in_suit: bool) -> Searcher:
    """What makes an attempt; its room is kept for the next block."""
    evaluation, haste, _ = attempt_of(number)
    return Searcher(new_desk(budget, in_suit, haste), EVALUATIONS[evaluation], haste, budget)


_solution = lru_cache(maxsize=1)(new_solution)


@lru_cache(maxsize=1)
def _moves(deals: int) -> np.ndarray:
    """Room for the solutions of a block, kept for the next one: fresh memory costs more than what is written to it."""
    return np.empty(deals * LONGEST, np.uint8)


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
        Number of the first of them in the series.

    Returns
    -------
    Decisions
        The same for the same arguments, whatever was decided before.
    """
    searchers = tuple(
        _searcher(number, int(budget), rules.in_suit) for number, budget in enumerate(budgets, first_attempt)
    )
    n = len(boards)
    decisions = Decisions(
        np.zeros(n, np.uint8),
        np.zeros(n, np.uint8),
        np.zeros(n, np.uint32),
        np.zeros(n, np.uint16),
        _moves(n),
    )
    used = decide_block(boards, rules, searchers, first_attempt, _solution(), decisions)
    return decisions._replace(moves=decisions.moves[:used].copy())
