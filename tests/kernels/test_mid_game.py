"""Positions in mid-game against the plain exhaustion."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import mid_game
from kernels.contradiction import Contradiction
from kernels.dealing import deal_one
from kernels.decide import Limits
from kernels.layout import Layout, layout_of
from kernels.mid_game import NAMES, decide_layout
from kernels.proof import closure as closure_module
from kernels.proof.closure import exhaust_from
from kernels.referee import replay_from
from kernels.rules import FREECELL, Rules
from kernels.verdicts import SOLVED, UNDECIDED, UNSOLVABLE
from tests.kernels.proof.test_way import layout_in, near_the_end
from tests.naive import closure as naive
from tests.naive.rules import is_red, position_of

AMPLE = Limits(1_000_000, 1_000_000)
WON = Layout(((),) * 8, (), (13, 13, 13, 13))


@st.composite
def endgames(draw):
    """Up to 14 cards left, in any columns and cells."""
    home = draw(st.lists(st.integers(9, 13), min_size=4, max_size=4).filter(lambda counts: sum(counts) >= 38))
    left = draw(st.permutations([4 * rank + suit for suit in range(4) for rank in range(home[suit], 13)]))
    cells = draw(st.integers(0, min(2, len(left))))
    columns = [[] for _ in range(8)]
    for card in left[cells:]:
        columns[draw(st.integers(0, 1))].append(card)
    return Layout(tuple(map(tuple, columns)), tuple(left[:cells]), tuple(home))


@settings(deadline=None, max_examples=25)
@given(endgames(), st.integers(2, 3), st.booleans())
def test_endgames(layout, cells, in_suit):
    rules = Rules(cells, in_suit)
    position = position_of(layout.columns, layout.in_cells, layout.home)
    twin = naive.exhaust_from(position, rules, 3_000)
    verdict = decide_layout(layout, rules, AMPLE)
    if twin.won:
        assert verdict.code == SOLVED
        assert replay_from(layout, rules, np.frombuffer(verdict.moves, np.uint8)) == 0
    elif twin.ended:
        assert (verdict.code, verdict.closure) == (UNSOLVABLE, twin.positions)
        assert verdict.closure_safe <= verdict.closure


def test_a_won_position_needs_no_move():
    assert decide_layout(WON, FREECELL, AMPLE) == (SOLVED, 1, 0, 0, b"")


def test_a_fresh_deal_has_the_counts_of_its_exhaustion():
    verdict = decide_layout(layout_of(deal_one(11_982)), FREECELL, AMPLE)
    assert (verdict.code, verdict.closure, verdict.closure_safe) == (UNSOLVABLE, 83_239, 61_643)


def test_the_second_grade_of_proof():
    verdict = decide_layout(layout_of(deal_one(11_982)), FREECELL, Limits(80_000, 70_000))
    assert (verdict.code, verdict.closure, verdict.closure_safe) == (UNSOLVABLE, 0, 61_643)


def test_other_names_of_the_suits_find_what_the_first_walk_missed(monkeypatch):
    monkeypatch.setattr(mid_game, "A_TRY", 5_000)
    layout = layout_of(deal_one(1))
    first = exhaust_from(layout, FREECELL, 5_000, 5_000)
    assert not first.won
    verdict = decide_layout(layout, FREECELL, Limits(20_000, 20_000))
    assert verdict.code == SOLVED
    assert verdict.positions > first.positions
    assert replay_from(layout, FREECELL, np.frombuffer(verdict.moves, np.uint8)) == 0


def test_a_win_that_only_a_large_walk_meets(monkeypatch):
    monkeypatch.setattr(mid_game, "A_TRY", 50)
    monkeypatch.setattr(closure_module, "DEPTH_FIRST", 50)
    layout = layout_in(*near_the_end(7, 15))
    verdict = decide_layout(layout, FREECELL, AMPLE)
    assert verdict.code == SOLVED
    assert verdict.positions > 10_000
    assert replay_from(layout, FREECELL, np.frombuffer(verdict.moves, np.uint8)) == 0


def test_limits_that_are_too_small():
    verdict = decide_layout(layout_of(deal_one(1)), FREECELL, Limits(100, 100))
    assert verdict.code == UNDECIDED


def test_names_keep_the_colours_apart():
    assert len(set(NAMES)) == 8
    for suits in NAMES:
        assert sorted(suits) == [0, 1, 2, 3]
        assert len({is_red(suit) == is_red(suits[suit]) for suit in range(4)}) == 1


def test_moves_that_the_referee_refuses(monkeypatch):
    monkeypatch.setattr(mid_game, "replay_from", lambda layout, rules, moves: 7)
    with pytest.raises(Contradiction, match="move 7"):
        decide_layout(layout_of(deal_one(1)), FREECELL, AMPLE)
