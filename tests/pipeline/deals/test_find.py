"""From a board to its numbers, in all three bands."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.dealing import LAST_DEAL, deal_one
from pipeline.deals import find as finding
from pipeline.deals.find import BANDS, find
from pipeline.errors import UsageError
from tests.naive import dealing

EDGES = [1, 2, 617, 11_982, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, LAST_DEAL]


@pytest.mark.parametrize("number", EDGES)
def test_deals_at_the_edges_of_the_bands(number):
    found = find(deal_one(number))
    assert (found.status, found.deals, found.lines()) == (0, [number], [str(number)])


@settings(max_examples=20)
@given(st.one_of(st.integers(band.first, band.last) for band in BANDS))
def test_every_number_is_found_by_its_board(number):
    """The plain dealer deals."""
    assert find(np.array(dealing.deal_one(number), np.uint8)).deals == [number]


@settings(max_examples=20)
@given(st.permutations(range(52)))
def test_a_board_that_no_number_gives(cards):
    found = find(np.array(cards, np.uint8))
    assert (found.status, found.as_json()) == (1, {"deals": []})
    assert "no deal from 1 to 8589934591" in found.lines()[0]


def test_all_numbers_that_give_the_board_are_named(monkeypatch):
    """No two are known to: so a second dealer gives the board of deal 617 for another number, too."""
    board = deal_one(617)
    monkeypatch.setattr(finding, "_numbers", lambda indices, band: [band.first + 5])
    monkeypatch.setattr(finding, "deal_numbers", lambda numbers: np.array([board] * len(numbers)))
    assert find(board).lines() == ["6", str(2**31 + 5), str(2**32 + 5)]


def test_the_dealer_has_the_last_word(monkeypatch):
    monkeypatch.setattr(finding, "_numbers", lambda indices, band: [band.first])
    assert find(deal_one(1)).deals == [1]


def test_a_card_that_is_there_twice():
    with pytest.raises(UsageError, match="each of the 52 cards once"):
        find(np.zeros(52, np.uint8))
