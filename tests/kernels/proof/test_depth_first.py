"""The small walk: its positions, its budgets, its growth."""

import numpy as np
import pytest

from kernels.cards import ALL
from kernels.dealing import deal_one
from kernels.proof.closure import never
from kernels.proof.depth_first import FIRST_SLOTS, walk_through
from kernels.proof.planes import facts_of

DEAL, WITH_AUTOPLAY, PLAIN = 11982, 61_643, 83_239
AMPLE = 1_000_000


def walked(plain=AMPLE, safe=AMPLE, most=AMPLE):
    facts, planes = facts_of(deal_one(DEAL), 4, False)
    return walk_through(facts, planes, plain, safe, most, never)


def test_each_position_is_found_once():
    walk = walked()
    held = walk.positions & ALL
    assert len(held) == len(np.unique(held, axis=0)) == walk.found == PLAIN > FIRST_SLOTS
    assert walk.settled == WITH_AUTOPLAY


@pytest.mark.parametrize("plain", [0, WITH_AUTOPLAY, PLAIN - 1])
def test_a_plain_budget_that_is_too_small_leaves_the_other_count(plain):
    walk = walked(plain=plain)
    assert (walk.plain_ended, walk.safe_ended, walk.settled) == (False, True, WITH_AUTOPLAY)


def test_a_budget_with_autoplay_that_is_too_small_ends_the_walk():
    walk = walked(safe=WITH_AUTOPLAY - 1)
    assert (walk.plain_ended, walk.safe_ended) == (False, False)


@pytest.mark.parametrize("most", [1, 100, 20_000])
def test_a_walk_that_may_find_less_ends(most):
    walk = walked(most=most)
    assert (walk.plain_ended, walk.safe_ended, walk.won) == (False, False, False)
    assert walk.found > most
