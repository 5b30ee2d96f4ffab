"""Beams: solutions that the referee accepts, the shorter the wider."""

import pytest

from kernels.dealing import deal_one
from kernels.layout import layout_of
from kernels.optimal.beam import short_way
from kernels.rules import FREECELL, Rules
from tests.kernels.optimal.endgames import SEEDS, small
from tests.kernels.optimal.test_search import replayed


@pytest.mark.parametrize("seed", SEEDS)
def test_a_beam_that_leaves_nothing_out_finds_the_shortest(seed):
    layout, first, rules, distances = small(seed)
    far = distances.get(first)
    way = short_way(layout, rules, 60, 20_000)
    assert len(way) - 1 == far if far is not None else not way


def test_a_larger_budget_is_never_worse():
    layout = layout_of(deal_one(4))
    lengths = [replayed(short_way(layout, FREECELL, 200, budget), layout, FREECELL) for budget in (5_000, 15_000)]
    assert 85 <= lengths[1] < lengths[0] < 110


def test_no_longer_than_was_asked_for():
    layout = layout_of(deal_one(3))
    assert replayed(short_way(layout, FREECELL, 73, 20_000), layout, FREECELL) == 73
    assert short_way(layout, FREECELL, 72, 20_000) == []


def test_other_games():
    layout = layout_of(deal_one(11982))
    for rules in (Rules(5, False), Rules(4, True)):
        assert replayed(short_way(layout, rules, 200, 20_000), layout, rules) < 120
