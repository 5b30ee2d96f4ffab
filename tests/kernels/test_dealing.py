"""The dealer against golden boards, its plain twin, and somebody else's dealer."""

import platform
import random
import re
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysol_cards.deal_game import Game
from pysol_cards.random_base import RandomBase

from kernels.cards import CARDS, RANKS, SUITS, name
from kernels.dealing import LAST_DEAL, TILE, deal_block, deal_numbers, deal_one, deal_tiles, remainder
from kernels.jit import njit
from tests.naive import dealing as naive

BOARDS = sorted((Path(__file__).parents[1] / "data" / "boards").glob("*.txt"))
BANDS = [(1, 2**31 - 1), (2**31, 2**32 - 1), (2**32, 2**33 - 1)]
FIRST_CARDS_OF_DEAL_1 = "JD 2D 9H JC 5D 7H 7C 5H"

deals = st.one_of(
    *(st.integers(first, last) for first, last in BANDS),
    *(st.integers(first, first + 3) | st.integers(last - 3, last) for first, last in BANDS),
)


def first_cards(cards):
    return " ".join(name(card) for card in cards[:8])


def card_of(text):
    return RANKS.index(text[0]) * 4 + SUITS.index(text[1])


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_golden_boards(path):
    board = deal_one(int(path.stem))
    columns = [[card_of(text) for text in line.split()] for line in path.read_text().splitlines()]
    assert [board[column::8].tolist() for column in range(8)] == columns


def test_first_cards_of_deal_1():
    assert first_cards(deal_one(1)) == FIRST_CARDS_OF_DEAL_1


# Another dealer

PYSOL_SUITS = [SUITS.index(suit) for suit in "CSHD"]


def pysol_board(number):
    game = Game("freecell", number, RandomBase.DEALS_MS)
    game.deal()
    return [4 * (card.rank - 1) + PYSOL_SUITS[card.suit] for card in game.cards]


def test_every_original_deal_is_that_of_pysol_cards():
    assert deal_block(1, 32_000).tolist() == [pysol_board(number) for number in range(1, 32_001)]


@pytest.mark.parametrize(("first", "last"), BANDS)
def test_a_sample_of_each_band_is_that_of_pysol_cards(first, last):
    sample = [first, *random.Random(first).sample(range(first, last), 1_000), last]
    assert deal_numbers(np.array(sample, np.uint64)).tolist() == [pysol_board(number) for number in sample]


# The plain twin


@given(st.lists(deals, min_size=1, max_size=3 * TILE))
def test_any_deals_are_those_of_the_twin(numbers):
    assert deal_numbers(np.array(numbers, np.uint64)).tolist() == [naive.deal_one(number) for number in numbers]


@given(deals)
def test_a_deal_is_a_permutation_of_the_deck(number):
    assert sorted(deal_one(number)) == list(range(CARDS))


@pytest.mark.parametrize("edge", [2**31, 2**32])
@pytest.mark.parametrize("below", [1, TILE - 1, TILE, 3 * TILE])
def test_a_block_may_cross_an_edge(edge, below):
    block = deal_block(edge - below, 4 * TILE)
    assert block.tolist() == [naive.deal_one(number) for number in range(edge - below, edge - below + 4 * TILE)]


@pytest.mark.parametrize("count", [1, TILE - 1, TILE, TILE + 1])
def test_blocks_of_any_size(count):
    block = deal_block(LAST_DEAL - count + 1, count)
    assert block.shape == (count, CARDS)
    assert block.dtype == np.uint8
    assert block[-1].tolist() == naive.deal_one(LAST_DEAL)


# The range of deal numbers


@pytest.mark.parametrize("number", [-1, 0, 2**33, 2**64])
def test_other_numbers_are_refused_with_the_allowed_range(number):
    with pytest.raises(ValueError, match=rf"no deal {number}: .* 1 to 8589934591"):
        deal_one(number)


@pytest.mark.parametrize("numbers", [[1, 0], [LAST_DEAL, LAST_DEAL + 1], [-1, 1]])
def test_a_wrong_number_among_others_is_refused(numbers):
    with pytest.raises(ValueError, match="1 to 8589934591"):
        deal_numbers(np.array(numbers))


@pytest.mark.parametrize(("first", "count"), [(0, 2), (LAST_DEAL, 2)])
def test_a_block_that_leaves_the_range_is_refused(first, count):
    with pytest.raises(ValueError, match="1 to 8589934591"):
        deal_block(first, count)


# Why the rule is as it is


def draws_with_state_of(bits, numbers):
    """(52, n): `r` of the first band with the state kept in so many bits."""
    state = numbers
    for _ in range(CARDS):
        state = (state * np.uint64(214013) + np.uint64(2531011)) & np.uint64(2**bits - 1)
        yield (state >> np.uint64(16)) & np.uint64(0x7FFF)


def test_the_width_of_the_state_does_not_matter_in_the_first_band():
    numbers = np.arange(1, 32_001, dtype=np.uint64)
    by_31, by_32, by_64 = (np.array(list(draws_with_state_of(bits, numbers))) for bits in (31, 32, 64))
    assert (by_31 == by_32).all()
    assert (by_31 == by_64).all()
    assert by_31[:, 616].tolist() == list(naive.draws(617))


def test_the_remainder_is_exact_for_every_draw_there_can_be():
    @njit
    def wrong():
        count = 0
        for left in range(1, CARDS + 1):
            for r in range(2**16 + 1):
                count += remainder(np.uint32(r), np.uint32(left)) != r % left
        return count

    assert wrong() == 0


def test_a_textbook_shuffle_of_the_same_generator_deals_another_board():
    cards = list(range(CARDS))
    for last, r in zip(range(CARDS - 1, 0, -1), naive.draws(1), strict=False):
        index = r % (last + 1)
        cards[index], cards[last] = cards[last], cards[index]
    assert first_cards(cards) == "6H 2H 9C 6S TC 8C 3D 6C"


def test_the_shuffle_of_python_deals_another_board():
    cards = list(range(CARDS))
    random.Random(1).shuffle(cards)
    assert first_cards(cards) == "KD 3D TD 6H AH TH 5S 3S"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the names of vector instructions are those of x86-64")
def test_the_generator_draws_for_many_deals_at_once():
    """The compiler made packed 32-bit multiplications of the loop over a tile."""
    compiled = numba.njit(error_model="numpy")(deal_tiles.py_func)
    compiled(np.zeros((TILE, 52), np.uint8), np.arange(1, TILE + 1, dtype=np.uint64))
    (assembly,) = compiled.inspect_asm().values()
    assert re.search(r"pmulld\s.*%[xyz]mm", assembly)
