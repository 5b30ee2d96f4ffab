"""The worker: deals its boards in blocks, and keeps what it is told to keep."""

import numpy as np
import pytest

from kernels.decide import Limits, Pass
from kernels.rules import FREECELL
from kernels.search.attempts import decide_block
from pipeline.farm import worker
from pipeline.farm.worker import decide_task
from pipeline.shards import Task


def test_a_task_is_its_deals_whatever_its_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Pass(FREECELL, (60, 400), 1, Limits(1_000_000, 1_000_000))
    whole = decide_task(plan, Task(2**31 - 150, 300), solutions=True)
    monkeypatch.setattr(worker, "BLOCK", 70)
    for column, expected in zip(decide_task(plan, Task(2**31 - 150, 300), solutions=True), whole, strict=True):
        np.testing.assert_array_equal(column, expected)
    assert len(whole.verdicts) == 300
    assert len(whole.solutions) == whole.moves.sum()


def test_moves_are_left_out_unless_asked_for() -> None:
    rows = decide_task(Pass(FREECELL, (60, 400), 1, Limits(1_000_000, 1_000_000)), Task(1, 20))
    assert len(rows.solutions) == 0
    assert rows.moves.sum() > 0


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_warm_leaves_nothing_to_compile(attempts: int) -> None:
    worker.warm(attempts)
    compiled = len(decide_block.signatures)
    for budgets in ((60,), (60, 400, 500)[:attempts]):
        decide_task(Pass(FREECELL, budgets, 1, Limits(1_000, 1_000)), Task(1, 1))
    assert len(decide_block.signatures) == compiled
