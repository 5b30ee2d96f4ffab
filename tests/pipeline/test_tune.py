"""The weights' tuner on a few deals."""

import json

import pytest

from kernels.attempts import decide
from kernels.dealing import deal_block
from kernels.evaluation import EVALUATIONS
from kernels.rules import FREECELL
from kernels.search import OUT
from pipeline.errors import UsageError
from pipeline.tune import PENALTY, cost_of, left_over, tune, tuned


def test_the_cost_is_what_the_attempts_take():
    boards = deal_block(1, 30)
    found = decide(boards, FREECELL, [60])
    positions = int(found.positions.sum()) + 60 * PENALTY * int((found.answer == OUT).sum())
    assert cost_of(boards, 60)(EVALUATIONS[0]) == positions / 30


def test_changes_are_kept_only_where_they_help_and_the_same_for_the_same_seed():
    cost = cost_of(deal_block(1, 30), 60)
    weights = tuned(EVALUATIONS[0], cost, 20, seed=7)
    assert cost(weights) <= cost(EVALUATIONS[0])
    assert weights == tuned(EVALUATIONS[0], cost, 20, seed=7)


def test_the_deals_left_over():
    boards = deal_block(1, 30)
    left = left_over(boards, (60,))
    assert len(left) == (decide(boards, FREECELL, [60]).answer == OUT).sum()
    assert len(left_over(boards, ())) == 30


def test_the_report_names_every_weight(capsys):
    assert tune(1, 1, 20, (21, 40), 2, 1, as_json=True) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["weights"]) == set(EVALUATIONS[0]._fields)
    assert report["deals"] == 20


def test_nothing_left_over_is_said():
    with pytest.raises(UsageError, match="larger"):
        tune(3, 1, 1, (2, 2), 1, 1, as_json=False)
