"""The audit's positions: moves and exact form against the plain twin, on random walks."""

import random

import numpy as np
import pytest

from kernels.audit.position import dealt, first_words
from kernels.dealing import deal_one
from kernels.rules import Rules
from tests.kernels.audit.probes import children_of, position_from
from tests.naive import rules as naive

STEPS = 150


@pytest.mark.parametrize("in_suit", [False, True])
@pytest.mark.parametrize("cells", [0, 1, 4, 8])
def test_the_twin_along_a_walk(cells, in_suit):
    rules, chance = Rules(cells, in_suit), random.Random(cells)
    for number in (1, 11982, 2**31 + 7, 2**33 - 1):
        board = deal_one(number)
        deal, words = dealt(board, in_suit), first_words()
        assert position_from(words, deal) == naive.first_position(board)
        for _ in range(STEPS):
            here, around = position_from(words, deal), children_of(words, deal, cells)
            positions = [position_from(row[:3], deal) for row in around]
            assert len(set(positions)) == len({tuple(row[:3].tolist()) for row in around})
            # The twin leaves out what leads to the same position; so does this, but for a card's other place.
            assert set(positions) == naive.children(here, rules)
            if not positions:
                break
            # Cards go home now and then only, so that walks are long.
            words = chance.choice([row for row in around if row[2] == words[2]] or list(around))[:3]
            if chance.random() < 0.1:
                words = chance.choice(list(around))[:3]


def test_equal_positions_have_equal_words():
    """Walks that meet again, by other ways: a position of the twin has one exact form."""
    board, rules = deal_one(781948), Rules(4, False)
    deal = dealt(board, False)
    layer, seen = {tuple(first_words().tolist())}, {}
    for _ in range(4):
        found = set()
        for words in layer:
            for row in children_of(np.array(words, np.uint64), deal, rules.cells):
                found.add(tuple(row[:3].tolist()))
        for words in found:
            assert seen.setdefault(position_from(np.array(words, np.uint64), deal), words) == words
        layer = found
    assert len(seen) > 500
