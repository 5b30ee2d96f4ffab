"""Moves without those that change nothing, against plain tables."""

import random

import numpy as np
import pytest

from kernels.dealing import deal_one
from kernels.jit import kernel
from kernels.rules import rules_of
from kernels.search.trail import AT_HOME, IN_CELL, MOST_STEPS, ON_TABLE, new_trail, note, set_out, write_moves
from tests.naive.moves import CELL, FOUNDATION, is_legal, make, move_of_byte
from tests.naive.position import lay_out
from tests.naive.trail import without_idle_moves

RULES = [rules_of(game, cells) for game in ("freecell", "bakers") for cells in (1, 4, 8)]


@kernel
def note_all(board, cells, cards, beneath, trail):
    """Note steps one by one, and write what is left of them."""
    end = set_out(board, trail)
    for number in range(cards.size):
        end = note(trail, end, cards[number], beneath[number])
    return write_moves(board, cells, trail, end.count)


def legal_bytes(table, rules):
    """Every legal move of a single card."""
    sources = [*range(8), *range(8, 8 + rules.cells)]
    held = [
        source for source in sources if (table.columns[source] if source < 8 else table.cells[source - 8] is not None)
    ]
    moves = [source * 16 + target for source in held for target in range(10)]
    return [byte for byte in moves if is_legal(table, move_of_byte(table, byte), rules)]


def wander(board, rules, steps, choose):
    """Random single-card moves, as bytes and as steps: the card, and what comes to lie beneath it."""
    table = lay_out(board, rules)
    moves, cards, beneath = [], [], []
    for _ in range(steps):
        legal = legal_bytes(table, rules)
        if not legal:
            break
        byte = choose.choice([byte for byte in legal if byte & 15 < 8] * (choose.random() < 0.7) or legal)
        card, source, target = move_of_byte(table, byte)
        special = {CELL: IN_CELL, FOUNDATION: AT_HOME}.get(target)
        beneath.append(special or (table.columns[target] or [ON_TABLE])[-1])
        make(table, (card, source, target))
        moves.append(byte)
        cards.append(card)
    return moves, np.array(cards, np.uint64), np.array(beneath, np.uint64)


@pytest.mark.parametrize("rules", RULES)
def test_what_is_left_is_as_on_plain_tables(rules):
    trail, cut = new_trail(), 0
    for number in range(1, 16):
        board = deal_one(number)
        moves, cards, beneath = wander(board, rules, 120, random.Random(number))
        left = note_all(board, np.uint64(rules.cells), cards, beneath, trail)
        assert trail.moves[:left].tolist() == without_idle_moves(board, rules, moves)
        cut += len(moves) - left
    assert cut


def there_and_back(board, times):
    """Steps of the top card of column 0 to a cell and back."""
    cards = np.full(2 * times, board[48], np.uint64)
    return cards, np.array([int(IN_CELL), int(board[40])] * times, np.uint64)


def test_nothing_of_the_deal_before_is_left():
    rules, trail = rules_of("freecell", 4), new_trail()
    for number in (1, 617, 1):
        board = deal_one(number)
        _, cards, beneath = wander(board, rules, 200, random.Random(number))
        fresh = new_trail()
        left = note_all(board, np.uint64(4), cards, beneath, fresh)
        assert note_all(board, np.uint64(4), cards, beneath, trail) == left
        assert np.array_equal(trail.moves[:left], fresh.moves[:left])


@pytest.mark.parametrize("times", [1, 2, MOST_STEPS])
def test_a_card_that_goes_back_leaves_nothing(times):
    board = deal_one(1)
    assert note_all(board, np.uint64(4), *there_and_back(board, times), new_trail()) == 0
