"""The passes of a census in one process are those of the configurations, and of the farm."""

from pathlib import Path

import numpy as np
import pytest

from pipeline import config
from pipeline.config import Search
from pipeline.shards import Task
from pipeline.speed import one_process
from pipeline.speed.one_process import deep_pass, quick_pass
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE
from tests.conftest import ROOT

CENSUSES = [path for path in sorted((ROOT / "configs").glob("*.toml")) if config.load(path).rules == config.Game()]


@pytest.mark.parametrize("path", CENSUSES, ids=lambda path: path.stem)
def test_budgets_are_those_of_the_censuses(path: Path) -> None:
    assert config.load(path).search == one_process.SEARCH


def test_there_are_censuses_of_the_usual_game() -> None:
    assert {"smoke", "ms-10m", "full-2p33"} <= {path.stem for path in CENSUSES}


def test_deep_pass_goes_on_where_the_quick_one_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_process, "SEARCH", Search(quick=(10, 15), deep=(20, 100_000), closure=200_000))
    assert quick_pass(Task(11_982, 1)).verdicts.tolist() == [UNDECIDED]
    rows = deep_pass(11_982)
    assert rows.verdicts.tolist() == [UNSOLVABLE]
    assert rows.attempts.tolist() == [4]
    assert rows.closures.tolist() == [83_239]
    assert rows.positions[0] > 20


def test_deep_pass_tries_an_exhaustion(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the fifth attempt, before those that could be exhausted."""
    monkeypatch.setattr(one_process, "SEARCH", Search(quick=(10, 11, 12, 15), deep=(20, 30, 100_000), closure=200_000))
    rows = deep_pass(11_982)
    assert (rows.verdicts.tolist(), rows.attempts.tolist()) == ([UNSOLVABLE], [5])
    assert (rows.closures.tolist(), rows.positions.tolist()) == ([83_239], [20])


def test_deep_pass_that_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_process, "SEARCH", Search(quick=(10,), deep=(20, 30), closure=200_000))
    rows = deep_pass(11_982)
    assert rows.verdicts.tolist() == [UNDECIDED]
    assert rows.positions.tolist() == [50]


def test_quick_pass_keeps_no_solutions() -> None:
    rows = quick_pass(Task(1, 3))
    assert rows.verdicts.tolist() == [SOLVED] * 3
    assert rows.solutions.dtype == np.uint8
    assert not len(rows.solutions)
