"""The audit's exhaustion: published counts, the plain twin's, and those of the exhaustion that it audits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.audit.closure import count_positions
from kernels.audit.log import FIRST_PLACES, bytes_needed
from kernels.cards import CARDS
from kernels.dealing import LAST_DEAL, deal_one
from kernels.proof.closure import exhaust
from kernels.rules import FREECELL, Rules
from tests.kernels.proof.test_closure import AMPLE, CLOSURES, PLAIN_OF_SMALLEST, SMALLEST
from tests.naive import closure as naive


@pytest.mark.parametrize(("deal", "plain"), [(deal, plain) for deal, _, plain in CLOSURES])
def test_published_counts(deal, plain):
    count = count_positions(deal_one(deal), FREECELL, AMPLE)
    assert (count.ended, count.won, count.positions) == (True, False, plain)
    assert count.most_home == exhaust(deal_one(deal), FREECELL, AMPLE).most_home


@pytest.mark.parametrize(("deal", "autoplayed"), [(deal, autoplayed) for deal, autoplayed, _ in CLOSURES])
def test_published_counts_with_safe_autoplay(deal, autoplayed):
    count = count_positions(deal_one(deal), FREECELL, AMPLE, autoplay=True)
    assert (count.ended, count.won, count.positions) == (True, False, autoplayed)


@settings(deadline=None, max_examples=60)
@given(deal=st.integers(1, LAST_DEAL), rules=st.builds(Rules, st.integers(0, 5), st.booleans()), autoplay=st.booleans())
def test_the_twin_on_random_deals(deal, rules, autoplay):
    board, limit = deal_one(deal), 1_500
    count = count_positions(board, rules, limit, autoplay=autoplay)
    twin = naive.exhaust(board, rules, limit, autoplay)
    assert count.ended == twin.ended
    assert autoplay or count.won == twin.won  # with autoplay, another order may meet a win within the limit
    if count.ended:
        assert tuple(count) == tuple(twin)


def test_a_limit_of_the_count_is_just_enough():
    board = deal_one(SMALLEST)
    assert count_positions(board, FREECELL, PLAIN_OF_SMALLEST).ended
    short = count_positions(board, FREECELL, PLAIN_OF_SMALLEST - 1)
    assert (short.ended, short.won) == (False, False)


@pytest.mark.parametrize("limit", [1, 2, 100, FIRST_PLACES, 3 * FIRST_PLACES])
def test_a_limit_that_is_passed(limit):
    count = count_positions(deal_one(1), FREECELL, limit)
    assert (count.ended, count.won) == (False, False)
    assert limit < count.positions <= limit + 80


def test_a_won_position_is_reported():
    """One of the few deals that can be won without cells, and the first whose wins aren't deep."""
    count = count_positions(deal_one(8355), Rules(0, False), 2 * AMPLE)
    assert (count.ended, count.won, count.most_home) == (False, True, CARDS)


def test_it_tells_how_many_it_has_found():
    told = []
    count_positions(deal_one(SMALLEST), FREECELL, AMPLE, told.append)
    assert sum(told) == PLAIN_OF_SMALLEST


def test_memory_follows_the_limit():
    assert bytes_needed(1) < 1e6
    assert bytes_needed(2**20) * 2 == bytes_needed(2**20 + 1)


@pytest.mark.long
@pytest.mark.parametrize(("deal", "positions"), [(7484159, 2_449_032), (2146596188, 8_906_132)])
def test_large_counts(deal, positions):
    """The largest of the first ten million, and a larger one of the window at 2^31."""
    assert count_positions(deal_one(deal), FREECELL, 10 * AMPLE)[:3] == (True, False, positions)
