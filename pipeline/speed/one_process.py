"""The two passes of a census in this process, without farm or folder: what a bench times."""

import numpy as np

from kernels.dealing import deal_one
from kernels.decide import Pass, decide_in_passes, passes
from kernels.rules import FREECELL
from pipeline.config import Search
from pipeline.farm.worker import decide_task
from pipeline.shards import Task
from pipeline.store.rows import UNDECIDED, Rows

SEARCH = Search()
"""Budgets where a configuration names none: those of the censuses in `configs`."""


def quick_pass(task: Task) -> Rows:
    """What a worker does with a task in the quick pass: dealing, search, referee and exhaustion."""
    return decide_task(_passes()[0], task)


def undecided(task: Task, rows: Rows) -> list[int]:
    """The deals of a task that the quick pass leaves over."""
    return [task.first + int(index) for index in np.flatnonzero(rows.verdicts == UNDECIDED)]


def deep_pass(deal: int) -> Rows:
    """What workers do with a deal that the quick pass left over: one attempt after another until it is decided."""
    rows: Rows = decide_in_passes(deal_one(deal), _passes()[1:], deal)
    return rows


def _passes() -> list[Pass]:
    all_of_them: list[Pass] = passes(FREECELL, SEARCH.quick, SEARCH.deep, SEARCH.limits)
    return all_of_them
