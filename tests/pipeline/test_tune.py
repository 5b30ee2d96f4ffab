"""The tuner on a few deals."""

import json

import numpy as np
import pytest

from kernels.attempts import Attempt
from kernels.dealing import deal_block
from kernels.evaluation import EVALUATIONS
from kernels.rules import FREECELL
from kernels.search import OUT, search
from pipeline import tune
from pipeline.errors import UsageError

BOARDS = deal_block(1, 30)
STAGE = tune.Stage(False, 60)


def test_what_deals_need_is_what_the_search_expands():
    desk = tune.desk_for(60, False)
    needs = tune.needs_of(BOARDS, desk, EVALUATIONS[0], False, 60)
    for board, need in zip(BOARDS, needs, strict=True):
        answer, expanded, _ = search(board, desk, EVALUATIONS[0], FREECELL.cells, FREECELL.in_suit, False, 60)
        assert need == (61 if answer == OUT else expanded)
    assert 0 < (needs > 60).sum() < 30


def test_an_undecided_deal_costs_the_budget_and_the_penalty():
    assert tune.cost_of(np.array([10, 61, 60]), 60) == (10 + 60 + 60 * tune.PENALTY + 60) / 3


def test_the_deals_left_over():
    needs = tune.needs_of(BOARDS, tune.desk_for(60, False), EVALUATIONS[0], False, 60)
    left = tune.left_over(BOARDS, [(STAGE, EVALUATIONS[0])])
    assert np.array_equal(left, BOARDS[needs > 60])
    assert len(tune.left_over(BOARDS, [])) == 30


def test_the_same_seed_gives_the_same_weights_and_another_one_others():
    weights = [tune.tuned(tune.START, BOARDS, STAGE, 3, seed) for seed in (7, 7, 8)]
    assert weights[0] == weights[1] != weights[2]
    assert weights[0] != tune.START


NEEDS = np.array([[10, 500, 90, 40_000], [300, 20, 80, 40_000]])


def test_what_a_series_costs():
    """By hand: the first deal is decided at once; the others go on to the second attempt, the last is left over."""
    cost = 10 + 100 + (tune.AGAIN + 20) + 90 + 100 + (tune.AGAIN + 1_000) + tune.UNDECIDED
    assert tune.cost_of_series(NEEDS, [0, 1], [100, 1_000]) == cost / 4


def test_the_best_budgets_are_those_that_cost_least():
    needs = NEEDS[:, :3]
    cost, budgets = tune.best_budgets(needs, [0, 1])
    assert budgets[-1] == tune.LONGEST
    assert cost == min(tune.cost_of_series(needs, [0, 1], [budget, tune.LONGEST]) for budget in tune.BUDGETS)


def test_the_best_series_ends_with_an_attempt_that_can_be_exhausted():
    kinds = [Attempt(index, hasty) for hasty in (True, False) for index in range(3)]
    needs = np.random.default_rng(1).integers(10, 5_000, (6, 50))
    cost, series, budgets = tune.best_series(needs, kinds)
    assert not series[-1].hasty
    assert len(set(series)) == len(series) == len(budgets) == tune.QUICK
    assert cost == tune.cost_of_series(needs, [kinds.index(attempt) for attempt in series], budgets)


@pytest.mark.parametrize("as_json", [False, True])
def test_everything_that_was_found_is_printed(monkeypatch, capsys, as_json):
    small = (tune.Stage(True, 20), tune.Stage(False, 30), tune.Stage(False, 40))
    monkeypatch.setattr(tune, "STAGES", small)
    assert tune.tune(1, 60, (61, 120), 1, 1, as_json) == 0
    out = capsys.readouterr().out
    if as_json:
        found = json.loads(out)
        assert [set(each) for each in found["evaluations"]] == [set(EVALUATIONS[0]._fields)] * 3
        assert len(found["series"]) == len(found["quick"]) == tune.QUICK
    else:
        assert all(f'"{name}": (' in out for name in EVALUATIONS[0]._fields)
        assert "Attempt(" in out
        assert "quick = [" in out


def test_nothing_left_over_is_said():
    with pytest.raises(UsageError, match="larger"):
        tune.tune(1, 1, (2, 2), 1, 1, as_json=False)
