"""Column words against plain columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.search.position import WORDS
from tests.kernels import probes
from tests.kernels.walks import GAMES, Game, wander
from tests.naive.position import column_of, dealt_columns, heads, mask_of, prefix_size, tops, unordered_of

DEALS = st.integers(1, 2**33 - 1)
RULES = st.sampled_from(GAMES)

unhurried = settings(deadline=None)
"""The first call of a kernel may compile it."""


@unhurried
@given(DEALS, RULES)
def test_a_deal_as_column_words(number, rules):
    game = Game(number, rules)
    for word, column in zip(game.position[:8], game.table.columns, strict=True):
        assert column_of(word, game.board) == column
        assert (int(word) >> 52) // 8 == prefix_size(column, rules)
    assert game.position[8] == 0
    assert game.position[9] == 0b1111
    assert game.position[10] == mask_of(tops(game.table))
    assert game.position[11] == mask_of(heads(game.table, rules))


@unhurried
@given(DEALS, RULES)
def test_prefixes(number, rules):
    game = Game(number, rules)
    under, cards, digits = game.desk.prefixes
    for index, column in enumerate(dealt_columns(game.board)):
        rows = [sum((int(digits[digit]) >> card & 1) << digit for digit in range(3)) for card in column]
        assert rows == list(range(len(column)))
        for size in range(1, len(column)):
            place = size * 8 + index
            assert column_of(under[place], game.board) == column[:size]
            assert cards[place] == mask_of(column[:size])


@unhurried
@given(DEALS, RULES, st.randoms())
def test_a_column_without_the_upper_part_of_its_run(number, rules, choose):
    game = Game(number, rules)
    index = choose.randrange(8)
    word, column = game.position[index], game.table.columns[index]
    size = choose.randint(1, len(column) - prefix_size(column, rules))
    left = probes.shortened(word, np.uint64(mask_of(column[-size:])), game.desk.prefixes.under)
    assert column_of(left, game.board) == column[:-size]


@unhurried
@given(DEALS, RULES, st.permutations(range(8)))
def test_the_key_ignores_the_order_of_columns(number, rules, order):
    position = Game(number, rules).position
    turned = position[[*order, *range(8, WORDS)]]
    assert probes.key(turned) == probes.key(position) != 0


@pytest.mark.parametrize("rules", GAMES)
def test_the_key_changes_with_the_position_and_with_nothing_else(rules):
    known = {}
    for number in range(1, 11):
        known.clear()
        for game in wander(number, rules, 40):
            found = unordered_of(game.position, game.board)
            assert known.setdefault(probes.key(game.position), found) == found
        assert len(set(known.values())) == len(known)


def test_the_key_ignores_the_number_of_moves_made():
    game = Game(1, GAMES[2])
    key = probes.key(game.position)
    game.make((game.table.columns[0][-1], 0, 8))
    assert probes.key(game.position) != key
    game.position[9] ^= np.uint64(0xABC << 52)
    deeper = probes.key(game.position)
    game.position[9] &= np.uint64((1 << 52) - 1)
    assert probes.key(game.position) == deeper != key
