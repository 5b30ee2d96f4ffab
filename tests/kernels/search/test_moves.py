"""Moves on column words against moves of plain cards."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.rules import FREECELL, rules_of
from kernels.search import moves
from tests.kernels import probes
from tests.kernels.walks import GAMES, Game, wander
from tests.naive.moves import accepting, capacity, placeable
from tests.naive.position import cards_of, heads, mask_of, next_cards, tops, unordered, unordered_of
from tests.naive.rules import is_safe

BOTH = [FREECELL, rules_of("bakers", 4)]


@pytest.mark.parametrize("rules", BOTH)
def test_what_a_card_fits_on(rules):
    masks = moves.accepting(rules.in_suit)
    assert [set(cards_of(mask)) for mask in masks[:52]] == [accepting(card, rules) for card in range(52)]
    assert not masks[52:].any()


@settings(deadline=None)
@given(st.sets(st.integers(0, 51), max_size=20), st.sampled_from(BOTH))
def test_what_fits_on_one_of_the_tops(top_cards, rules):
    spots = probes.fitting(np.uint64(mask_of(top_cards)), rules.in_suit)
    assert set(cards_of(spots)) == placeable(top_cards, rules)


def test_capacity():
    for free, empties in product(range(9), range(9)):
        assert probes.room(np.uint64(free), np.uint64(empties)) == capacity(free, empties)


@pytest.mark.parametrize("rules", BOTH)
def test_what_is_safe_with_every_height_of_the_foundations(rules):
    cases = [
        (4 * home[suit] + suit, home) for home in product(range(14), repeat=4) for suit in range(4) if home[suit] < 13
    ]
    cards = np.array([card for card, _ in cases], np.uint64)
    masks = np.array(
        [sum(1 << 4 * count + suit for suit, count in enumerate(home) if count < 13) for _, home in cases], np.uint64
    )
    safe = np.zeros(len(cases), np.bool_)
    probes.are_safe(cards, masks, rules.in_suit, safe)
    assert safe.tolist() == [is_safe(card, home, rules) for card, home in cases]


@pytest.mark.parametrize("rules", GAMES)
def test_moves_keep_in_step_with_plain_columns(rules):
    for number in range(1, 13):
        for game in wander(number, rules, 60):
            assert unordered_of(game.position, game.board) == unordered(game.table)
            assert cards_of(int(game.position[9]) & (1 << 52) - 1) == sorted(next_cards(game.table))
            assert int(game.position[9]) >> 52 == game.table.moves
            assert cards_of(game.position[10]) == sorted(tops(game.table))
            assert cards_of(game.position[11]) == sorted(heads(game.table, rules))


@pytest.mark.parametrize("rules", GAMES)
def test_autoplay_goes_on_until_nothing_more_is_safe(rules):
    for number in range(2, 40, 2):
        *_, game = wander(number, rules, 30)
        game.settle()
        assert unordered_of(game.position, game.board) == unordered(game.table)


def test_autoplay_takes_cards_out_of_cells_too():
    game = next(game for game in map(Game, range(1, 100), [FREECELL] * 99) if 0 in tops(game.table))
    column = [cards[-1] for cards in game.table.columns].index(0)
    game.make((0, column, 8))
    assert game.position[8] == 1
    game.settle()
    assert game.position[8] == 0
    assert unordered_of(game.position, game.board) == unordered(game.table)


def test_the_number_of_moves_made_ends_at_4095_and_never_begins_again():
    game = Game(1, FREECELL)
    card = np.uint64(game.table.columns[0][-1])
    there, back = (np.uint64(int(card) << 8 | source << 4 | target) for source, target in ((0, 8), (8, 0)))
    for made in range(4_100):
        assert int(game.position[9]) >> 52 == min(made, 4_095)
        assert int(game.position[9]) & (1 << 52) - 1 == 0b1111
        probes.take(game.position, back if made % 2 else there, game.desk.prefixes.under)
