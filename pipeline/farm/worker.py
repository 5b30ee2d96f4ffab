"""One task: deal, search, referee, exhaustion -> rows. What worker processes run; it needs no Parquet."""

import os
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.core import event

from kernels.cards import name
from kernels.dealing import deal_block
from kernels.proof.closure import exhaust
from kernels.referee import replay_block
from kernels.rules import FREECELL, Rules
from kernels.search.attempts import EXHAUSTED, WON, Decisions, attempt_of, decide
from pipeline.errors import Contradiction
from pipeline.shards import Task
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE, Rows, joined

BLOCK = 1_000
"""Boards that go through the kernels at a time: enough to make calls cheap, few enough to keep memory flat."""

Boards = npt.NDArray[np.uint8]


class Plan(NamedTuple):
    """What is to be done with each deal of a task.

    Attributes
    ----------
    rules : Rules
    budgets : tuple of int
        Positions that the search may expand, one number an attempt.
    first_attempt : int
        Number of the first of these attempts.
    closure : int
        Positions that the plain exhaustion may hold.
    solutions : bool
        Whether the rows are to hold the moves.
    """

    rules: Rules
    budgets: tuple[int, ...]
    first_attempt: int
    closure: int
    solutions: bool


def decide_task(plan: Plan, task: Task) -> Rows:
    """Deal the boards of a task and decide them.

    Raises
    ------
    Contradiction
        As `decide_boards` does; it names the deal.
    """
    blocks = []
    for first in range(task.first, task.first + task.count, BLOCK):
        boards = deal_block(first, min(BLOCK, task.first + task.count - first))
        rows = decide_boards(boards, plan.rules, plan.budgets, plan.first_attempt, plan.closure, first)
        blocks.append(rows if plan.solutions else rows._replace(solutions=rows.solutions[:0]))
    return joined(blocks)


def time_task(plan: Plan, task: Task) -> tuple[int, float]:
    """Decide a task for its time alone: the process that did, and how many seconds it took."""
    began = time.perf_counter()
    decide_task(plan, task)
    return os.getpid(), time.perf_counter() - began


def decide_boards(
    boards: Boards,
    rules: Rules,
    budgets: Sequence[int],
    first_attempt: int,
    closure_budget: int,
    first: int | None = None,
) -> Rows:
    """Decide boards, and let other code than the search have the last word on each.

    Won stands only where the referee replayed the moves; exhausted only where the plain exhaustion ended too. Where the
    last attempt of the call asks for it, that is tried for the deals that are left over as well.

    Parameters
    ----------
    boards : (n, 52) uint8
        Card numbers in dealing order.
    budgets : sequence of int
        Positions that the search may expand, one number an attempt.
    first_attempt : int
        Number of the first of these attempts.
    closure_budget : int
        Positions that the plain exhaustion may hold; a deal that needs more stays undecided.
    first : int, optional
        Number of the first deal, where they are neighbours: for what is said of a contradiction.

    Raises
    ------
    Contradiction
        If the referee refuses a solution, or the exhaustion meets a won position where the search was exhausted.
    """
    found = decide(boards, rules, budgets, first_attempt)
    _hear_referee(boards, rules, found, first)
    verdicts = np.full(len(boards), UNDECIDED, np.uint8)
    verdicts[found.answer == WON] = SOLVED
    closures, safe_closures = np.zeros((2, len(boards)), np.uint64)
    worth_a_try = min(attempt_of(first_attempt + len(budgets) - 1).proof, closure_budget)
    for index in np.flatnonzero(found.answer != WON):
        exhausted = found.answer[index] == EXHAUSTED
        budget = closure_budget if exhausted else worth_a_try
        if not budget:
            continue
        closure = exhaust(boards[index], rules, budget)
        if closure.won and exhausted:
            raise Contradiction(
                f"{_named(boards, first, index)}: the search expanded {found.positions[index]} positions and was "
                f"exhausted, but the plain exhaustion met a won position after {closure.positions}"
            )
        if closure.ended:
            verdicts[index] = UNSOLVABLE
            closures[index], safe_closures[index] = closure.positions, closure.safe_positions
    return Rows(verdicts, found.positions, found.lengths, found.attempt, closures, safe_closures, found.moves)


def _hear_referee(boards: Boards, rules: Rules, found: Decisions, first: int | None) -> None:
    refused = replay_block(boards, rules, found.lengths, found.moves)
    for index in np.flatnonzero((found.answer == WON) & (refused != 0)):
        fault = "the game is not finished" if refused[index] < 0 else f"move {refused[index]} is against the rules"
        raise Contradiction(
            f"{_named(boards, first, index)}: the search won in {found.lengths[index]} moves, "
            f"but the referee replayed them and says: {fault}"
        )


def _named(boards: Boards, first: int | None, index: Any) -> str:
    cards = " ".join(name(int(card)) for card in boards[index])
    return f"{'the board' if first is None else f'deal {first + index}'} ({cards})"


class _Announcer(event.Listener):  # type: ignore[misc]
    """Says that kernels are compiled when that begins, once: what is loaded from the cache begins nothing."""

    silent = False

    def on_start(self, event: object) -> None:
        if not self.silent:
            print("compiling kernels, each once for this version: up to a minute", file=sys.stderr, flush=True)
        self.silent = True

    def on_end(self, event: object) -> None:
        pass


_announcer = _Announcer()


def announce_compilation() -> None:
    """From now on, say on standard error when kernels have to be compiled."""
    event.register("numba:compile", _announcer)


def warm(attempts: int = 1) -> None:
    """Compile all that a task needs, or load it from the cache.

    Kernels are compiled for each number of attempts in a call: one in the deep pass, `attempts` in the quick one.
    """
    boards = deal_block(1, 1)
    for number in {1, attempts}:
        decide_boards(boards, FREECELL, range(1, number + 1), 1, 1)
    exhaust(boards[0], FREECELL, 1)
