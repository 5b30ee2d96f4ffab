"""The two passes of a census in this process, without farm or folder: what a bench times."""

import numpy as np

from kernels.rules import FREECELL
from pipeline.census.run import QUICK_CLOSURE
from pipeline.config import Search
from pipeline.farm.worker import Plan, decide_task
from pipeline.shards import Task
from pipeline.store.rows import UNDECIDED, Rows

SEARCH = Search()
"""Budgets where a configuration names none: those of the censuses in `configs`."""


def quick_pass(task: Task) -> Rows:
    """What a worker does with a task in the quick pass: dealing, search, referee and exhaustion."""
    return decide_task(Plan(FREECELL, SEARCH.quick, 1, QUICK_CLOSURE, solutions=False), task)


def undecided(task: Task, rows: Rows) -> list[int]:
    """The deals of a task that the quick pass leaves over."""
    return [task.first + int(index) for index in np.flatnonzero(rows.verdicts == UNDECIDED)]


def deep_pass(deal: int) -> Rows:
    """What workers do with a deal that the quick pass left over: one attempt after another until it is decided."""
    positions = np.zeros(1, np.uint32)
    for attempt, budget in enumerate(SEARCH.deep, len(SEARCH.quick) + 1):
        rows = decide_task(Plan(FREECELL, (budget,), attempt, SEARCH.closure, solutions=False), Task(deal, 1))
        positions += rows.positions
        if rows.verdicts[0] != UNDECIDED:
            break
    return rows._replace(positions=positions)
