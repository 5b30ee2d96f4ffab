"""The exact form along random walks, against positions as plain tuples."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.dealing import LAST_DEAL, deal_one
from kernels.jit import kernel
from kernels.proof.closure import MOST_MOVES, card_of, moves_out, origin_of, target_of
from kernels.proof.packing import ON_NO_CARD, changed, empty_layout, move_card, places_of, unpack, words_of
from kernels.rules import Rules
from kernels.search.moves import accepting
from tests.naive.packing import position_from
from tests.naive.rules import children, first_position

rules_drawn = st.builds(Rules, st.integers(0, 8), st.booleans())
STEPS = 40


@kernel
def read(words, places, layout):
    unpack(words, places, layout)


@kernel
def moves_of(layout, accepts, cells, moves):
    return moves_out(layout, accepts, cells, moves)


@kernel
def after(words, places, move):
    return changed(words, places, card_of(move), origin_of(move), target_of(move))


@kernel
def make(layout, places, move):
    move_card(layout, places, card_of(move), origin_of(move), target_of(move))


@kernel
def take_back(layout, places, move):
    move_card(layout, places, card_of(move), target_of(move), origin_of(move))


def copied(layout):
    return [part.tolist() for part in layout]


class Walker:
    """A kernel's layout, with the position that it should stand for."""

    def __init__(self, board, rules):
        self.board, self.rules = board, rules
        self.accepts = accepting(rules.in_suit)
        self.places = places_of(board, self.accepts)
        self.layout = empty_layout()
        read(words_of(board, self.places), self.places, self.layout)

    def position(self, words=None):
        return position_from(self.layout.words if words is None else words, self.board, self.rules)

    def moves(self):
        room = np.zeros(MOST_MOVES, np.uint64)
        return room[: moves_of(self.layout, self.accepts, np.uint64(self.rules.cells), room)]

    def results(self):
        return [self.position(after(self.layout.words, self.places, move)) for move in self.moves()]


def test_the_first_position_of_a_deal():
    board = deal_one(617)
    assert Walker(board, Rules(4, False)).position() == first_position(board)


@settings(deadline=None, max_examples=30)
@given(deal=st.integers(1, LAST_DEAL), rules=rules_drawn, choices=st.randoms(use_true_random=False))
def test_random_walks(deal, rules, choices):
    board = deal_one(deal)
    walker = Walker(board, rules)
    position, trail = first_position(board), [copied(walker.layout)]
    made = []
    for _ in range(STEPS):
        expected = children(position, rules)
        results = walker.results()
        assert len(results) == len(expected)
        assert set(results) == expected
        if not results:
            break
        choice = choices.randrange(len(results))
        position = results[choice]
        made.append(walker.moves()[choice])
        make(walker.layout, walker.places, made[-1])
        assert walker.position() == position
        fresh = empty_layout()
        read(walker.layout.words, walker.places, fresh)
        assert copied(fresh) == copied(walker.layout)
        trail.append(copied(walker.layout))
    for move in reversed(made):
        assert copied(walker.layout) == trail.pop()
        take_back(walker.layout, walker.places, move)
    assert copied(walker.layout) == trail.pop()


@settings(deadline=None)
@given(deal=st.integers(1, LAST_DEAL), in_suit=st.booleans())
def test_no_card_has_two_codes_for_one_place(deal, in_suit):
    board = deal_one(deal)
    places = places_of(board, accepting(in_suit))
    for index, card in enumerate(board.tolist()):
        beneath = int(board[index - 8]) if index >= 8 else int(ON_NO_CARD)
        code = int(places.codes[card, beneath]) >> 3 * (card // 3)
        fits = index >= 8 and accepting(in_suit)[card] >> np.uint64(beneath) & np.uint64(1)
        assert code == 2 if index < 8 else code in (4, 5) if fits else code == 3
        assert places.places[card, code] == beneath
