"""The search for a shortest solution: as long as the plain twin says, and stopped in time."""

import numpy as np
import pytest

from kernels.dealing import deal_one
from kernels.layout import layout_of
from kernels.optimal.search import bytes_for, shortest
from kernels.optimal.table import LEAST_POSITIONS
from kernels.proof.path import moves_along
from kernels.referee import replay_from
from kernels.rules import FREECELL
from kernels.search.moves import accepting
from tests.kernels.optimal.endgames import SEEDS, small


def always(_):
    return True


def replayed(way, layout, rules):
    """The number of moves on a way, once the referee has replayed them."""
    moves = np.frombuffer(moves_along(way, layout, rules, accepting(rules.in_suit)), np.uint8)
    assert replay_from(layout, rules, moves) == 0
    return len(moves)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_distances_of_endgames(seed):
    """Closed as soon as they were met, some positions would keep a longer way."""
    layout, first, rules, distances = small(seed)
    far = distances.get(first)
    found = shortest(layout, rules, 60, LEAST_POSITIONS, always)
    if far is None:
        assert (found.way, found.bounds.at_least) == ([], 60)
    else:
        assert replayed(found.way, layout, rules) == far
        none = shortest(layout, rules, far, LEAST_POSITIONS, always)
        assert (none.way, none.bounds.at_least) == ([], far)


@pytest.mark.parametrize(("number", "moves"), [(2, 75), (3, 73), (7, 76)])
def test_deals(number, moves):
    layout = layout_of(deal_one(number))
    found = shortest(layout, FREECELL, 100, 100_000, always)
    assert replayed(found.way, layout, FREECELL) == moves
    assert found.bounds.positions < 60_000


def test_each_round_raises_what_is_proved():
    told = []
    shortest(layout_of(deal_one(2)), FREECELL, 75, 100_000, lambda bounds: not told.append(bounds))
    assert sorted({bounds.at_least for bounds in told}) == list(range(68, 75))
    assert [bounds.positions for bounds in told] == sorted(bounds.positions for bounds in told)


def test_a_full_table_and_a_stop_leave_a_bound():
    layout = layout_of(deal_one(4))
    full = shortest(layout, FREECELL, 85, LEAST_POSITIONS, always)
    assert not full.way
    assert full.bounds.positions <= LEAST_POSITIONS
    assert 73 < full.bounds.at_least < 85
    stopped = shortest(layout, FREECELL, 85, LEAST_POSITIONS, lambda bounds: bounds.at_least < 75)
    assert (stopped.way, stopped.bounds.at_least) == ([], 75)


def test_a_table_that_has_grown():
    layout = layout_of(deal_one(19))
    found = shortest(layout, FREECELL, 100, 200_000, always)
    assert found.bounds.positions > LEAST_POSITIONS
    assert replayed(found.way, layout, FREECELL) == 80


def test_the_memory_of_a_table():
    assert bytes_for(100_000_000) == 3_000_000_000
