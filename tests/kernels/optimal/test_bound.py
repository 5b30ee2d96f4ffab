"""The bound on the moves to come: never too high, never falling by more than the moves made."""

import pytest

from kernels.dealing import deal_one
from kernels.layout import Layout, layout_of
from kernels.rules import FREECELL, Rules
from tests.kernels.optimal.endgames import SEEDS, bound, endgame, in_the_way, plain, small
from tests.naive.optimal import cards_in_the_way, distances
from tests.naive.rules import children, first_position, is_won, position_of

BAKERS, NO_CELLS = Rules(4, True), Rules(0, False)


@pytest.mark.long
@pytest.mark.parametrize("number", [1, 617, 2**31])
def test_the_fewest_cards_in_the_way_of_deals(number):
    assert in_the_way(layout_of(deal_one(number)), FREECELL) == cards_in_the_way(first_position(deal_one(number)))


@pytest.mark.parametrize("seed", range(20))
def test_the_fewest_cards_in_the_way_of_positions(seed):
    layout = endgame(seed, 12 + seed % 17, 3 + seed % 6)
    fewest = cards_in_the_way(plain(layout))
    for least in {0, fewest // 2, fewest}:
        assert in_the_way(layout, (FREECELL, BAKERS)[seed % 2], least) == fewest


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bound_is_never_above_the_distance(seed):
    _, _, rules, far = small(seed)
    for position in list(far)[:: 1 + len(far) // 60]:
        assert bound(position, rules) <= far[position]
    assert all(bound(position, rules) == 0 for position in far if is_won(position))


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_never_falls_by_more_than_the_move(seed):
    rules = (FREECELL, BAKERS)[seed % 2]
    position = plain(endgame(seed, 24, 8))
    for _ in range(4):
        after = sorted(children(position, rules))
        assert all(bound(position, rules) <= 1 + bound(child, rules) for child in after)
        position = after[seed * 7 % len(after)]


def laid(*columns, home):
    return position_of(columns, (), home)


KD, KS, QH, QS = 49, 51, 46, 47


def test_two_cards_in_the_way_are_two_moves_even_where_players_move_them_as_one():
    """Counted as a run's single move, the distance would be less than the bound."""
    position = laid((39, 46, 43), (50,), (51, 47), home=(13, 13, 11, 9))
    assert not is_won(position)
    assert bound(position, FREECELL) <= distances(position, FREECELL)[position]


def test_moves_home_count_even_where_they_are_safe():
    """With autoplay for free, the distance of this position would be 0."""
    position = laid((KS, QS), (KD,), (50, QH), home=(13, 12, 11, 11))
    assert bound(position, FREECELL) == distances(position, FREECELL)[position] == 5


def test_a_circle_of_two_suits_costs_one_move():
    """QH lies on KS, and QS on KH: one of the queens has to move away only if a king was to go home first."""
    free = laid((KS, QH), (50, QS), home=(13, 13, 11, 11))
    assert bound(free, FREECELL) == distances(free, FREECELL)[free] == 4
    stuck = laid((QH, KS), (QS, 50), home=(13, 13, 11, 11))
    assert bound(stuck, FREECELL) == distances(stuck, FREECELL)[stuck] == 5


def test_a_deadlock_is_a_cost_and_no_end():
    """Every column has a king above all else: a rule that gives such positions up would lose a win."""
    stuck = laid(*((44 + suit, 48 + suit) for suit in range(4)), home=(11,) * 4)
    assert bound(stuck, NO_CELLS) == distances(stuck, NO_CELLS)[stuck] == 12
    assert in_the_way(Layout(stuck.columns + ((),) * 4, (), stuck.home), FREECELL) == 4
