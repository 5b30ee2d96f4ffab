"""The tuner on a few deals."""

import json

import numpy as np
import pytest

from kernels.dealing import deal_block
from kernels.rules import FREECELL, rules_of
from kernels.search.attempts import SERIES, Attempt
from kernels.search.evaluation import EVALUATIONS
from kernels.search.haste import BRISK, CAREFUL, HASTY
from kernels.search.search import OUT, Searcher, search
from pipeline.errors import UsageError
from pipeline.speed import tune

BOARDS = deal_block(1, 30)
STAGE = tune.Stage(CAREFUL, 60, 20)


@pytest.mark.parametrize(
    ("haste", "rules"), [(CAREFUL, FREECELL), (HASTY, FREECELL), (CAREFUL, rules_of("freecell", 3))]
)
def test_what_an_attempt_comes_to_is_what_the_search_says(haste, rules):
    desk = tune.desk_for(haste, 60)
    tries = tune.tried(BOARDS, EVALUATIONS[0], haste, 60, rules)
    for board, expanded, decided in zip(BOARDS, *tries, strict=True):
        answer, positions, _ = search(board, rules, Searcher(desk, EVALUATIONS[0], haste, 60))
        assert (expanded, decided) == (positions, answer != OUT)
    assert 0 < tries.decided.sum() < 30


def test_an_undecided_deal_costs_what_it_took_and_the_penalty():
    tries = tune.Tries(np.array([10, 33, 60]), np.array([True, False, True]))
    assert tune.cost_of(tries, 60) == (10 + 33 + 60 * tune.PENALTY + 60) / 3


def test_the_deals_left_over():
    decided = tune.tried(BOARDS, EVALUATIONS[0], CAREFUL, 60).decided
    left = tune.left_over(BOARDS, [(STAGE, EVALUATIONS[0])])
    assert np.array_equal(left, BOARDS[~decided])
    assert len(tune.left_over(BOARDS, [])) == 30


def test_the_same_seed_gives_the_same_weights_and_another_one_others():
    weights = [tune.tuned(tune.START, BOARDS, STAGE, 3, seed) for seed in (7, 7, 8)]
    assert weights[0] == weights[1] != weights[2]
    assert weights[0] != tune.START


FIRST = tune.Tries(np.array([10, 500, 90, 40]), np.array([True, True, True, False]))
SECOND = tune.Tries(np.array([300, 20, 80, 4_000]), np.array([True, True, True, True]))


def test_what_a_series_costs():
    """By hand: first and third deal are decided at once; the others go on, and the fourth is left over."""
    begun = tune.CLEARING * 100 * 4 + (tune.AGAIN + tune.CLEARING * 1_000) * 2
    cost = 10 + 100 + 20 + 90 + 40 + 1_000 + tune.UNDECIDED + begun
    assert tune.cost_of_series([FIRST, SECOND], [100, 1_000]) == pytest.approx(cost / 4)


def test_the_best_budgets_are_those_that_cost_least():
    series = [FIRST, SECOND]
    cost, budgets = tune.best_budgets(series)
    assert budgets[-1] == tune.LONGEST
    assert cost == min(tune.cost_of_series(series, [budget, tune.LONGEST]) for budget in tune.BUDGETS)


def test_the_best_series_ends_with_an_attempt_that_can_be_exhausted():
    choose = np.random.default_rng(1)
    tries = {
        Attempt(index, haste): tune.Tries(choose.integers(10, 5_000, 50), choose.random(50) < 0.9)
        for haste in (HASTY, BRISK, CAREFUL)
        for index in range(2)
    }
    cost, series, budgets = tune.best_series(tries)
    assert series[-1].haste == CAREFUL
    assert len(set(series)) == len(series) == len(budgets) == tune.QUICK
    assert cost == tune.cost_of_series([tries[attempt] for attempt in series], budgets)
    assert budgets == sorted(set(budgets))


def test_everything_that_was_found_is_said(monkeypatch):
    small = (tune.Stage(HASTY, 20, 30), tune.Stage(BRISK, 30, 30), tune.Stage(BRISK, 40, 30))
    monkeypatch.setattr(tune, "STAGES", small)
    outcome = tune.tune(1, 60, (61, 120), 1, 1)
    assert outcome.status == 0
    found = json.loads(json.dumps(outcome.as_json()))
    assert [set(each) for each in found["evaluations"]] == [set(EVALUATIONS[0]._fields)] * 3
    assert len(found["series"]) == len(found["quick"]) == tune.QUICK
    out = "\n".join(outcome.lines())
    assert all(f'"{name}": (' in out for name in EVALUATIONS[0]._fields)
    assert "Attempt(" in out
    assert "quick = [" in out


def test_budgets_alone_for_another_number_of_cells():
    few = tune.tune(1, 2, (1, 60), 0, 1, rules_of("freecell", 1))
    assert few.series == list(SERIES[: tune.QUICK])
    assert few.budgets[-1] == tune.LONGEST
    assert few.cost > tune.tune(1, 2, (1, 60), 0, 1).cost


def test_nothing_left_over_is_said():
    with pytest.raises(UsageError, match="larger"):
        tune.tune(1, 1, (2, 2), 1, 1)
