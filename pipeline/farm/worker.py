"""One task: deal its boards, decide them -> rows. What worker processes run; it needs no Parquet."""

import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from numba.core import event

from kernels.dealing import deal_block, deal_one
from kernels.decide import Found, Limits, Pass, decide_boards, judged, search_boards
from kernels.fewest import decide_fewest
from kernels.proof.closure import exhaust
from kernels.rules import FREECELL
from kernels.verdicts import Rows
from pipeline.shards import Task
from pipeline.store.rows import joined

BLOCK = 1_000
"""Boards that go through the kernels at a time: enough to make calls cheap, few enough to keep memory flat."""

ALONE = 30_000_000
"""Positions of the largest exhaustion that a worker makes alone. Those above are made by all cores together, one after
another, as `pipeline/proofs/large.py` does it."""


class Begun(NamedTuple):
    """A deal whose exhaustion is too large for one worker.

    Attributes
    ----------
    found : Found
        What the search came to.
    """

    found: Found


def decide_task(step: Pass, task: Task, solutions: bool = False) -> Rows:
    """Deal the boards of a task and decide them in one pass.

    Parameters
    ----------
    step : Pass
    task : Task
    solutions : bool
        Whether the rows are to hold the moves.

    Raises
    ------
    Contradiction
        As `decide_boards` does; it names the deal.
    """
    blocks = []
    for first in range(task.first, task.first + task.count, BLOCK):
        boards = deal_block(first, min(BLOCK, task.first + task.count - first))
        rows = decide_boards(boards, step, first)
        blocks.append(rows if solutions else rows._replace(solutions=rows.solutions[:0]))
    return joined(blocks)


def begin_task(step: Pass, alone: int, task: Task, solutions: bool = False) -> Rows | Begun:
    """Decide a single deal as `decide_task` does, but leave an exhaustion of more than `alone` positions to others.

    Raises
    ------
    Contradiction
        As `decide_boards` does.
    """
    boards = deal_block(task.first, 1)
    found = search_boards(boards, step, task.first)
    walks = {}
    for index, safe in found.budgets.items():
        plain = step.limits.plain
        try:
            walk = walks[index] = exhaust(boards[index], step.rules, min(plain, alone), min(safe, alone))
        except MemoryError:
            return Begun(found)
        is_cut_off = plain > alone if walk.safe_ended else safe > alone
        if is_cut_off and not walk.ended and not walk.won:
            return Begun(found)
    rows: Rows = judged(boards, step, found, walks, task.first)
    return rows if solutions else rows._replace(solutions=rows.solutions[:0])


def fewest_task(steps: Sequence[Sequence[Pass]], task: Task, solutions: bool = False) -> Rows:
    """Deal the boards of a task and find the fewest cells for each; `steps` as for `decide_fewest`.

    Raises
    ------
    Contradiction
        As `decide_fewest` does.
    """
    deals = range(task.first, task.first + task.count)
    rows = joined([decide_fewest(deal_one(deal), steps, deal) for deal in deals])
    return rows if solutions else rows._replace(solutions=rows.solutions[:0])


def time_task(function: Callable[[Task], Rows], task: Task) -> tuple[tuple[str, int], float]:
    """Decide a task for its time alone: the host and process that did, and how many seconds it took."""
    began = time.perf_counter()
    function(task)
    return (platform.node(), os.getpid()), time.perf_counter() - began


def present(task: Task) -> bool:
    """A harmless task: a worker that does not answer it is broken by itself."""
    return True


class _Announcer(event.Listener):  # type: ignore[misc]
    """Says once that kernels are being compiled; loading them from the cache triggers no event."""

    silent = False

    def on_start(self, event: object) -> None:
        if not self.silent:
            print("compiling kernels, each once for this version: about a minute", file=sys.stderr, flush=True)
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
        decide_boards(boards, Pass(FREECELL, tuple(range(1, number + 1)), 1, Limits(1, 1)))
    exhaust(boards[0], FREECELL, 1)
