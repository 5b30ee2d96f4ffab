"""Layouts: a deal's, and with other names of the suits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernels.layout import Layout, board_of, layout_of, renamed

boards = st.permutations(range(52)).map(lambda cards: np.array(cards, np.uint8))


@given(boards)
def test_a_deal_and_back(board):
    assert board_of(layout_of(board)).tolist() == board.tolist()


def test_a_layout_in_mid_game_is_no_board():
    assert board_of(Layout(((51,), (50,), (), (), (), (), (), ()), (None, 49, 48), (12, 12, 12, 12))) is None


def test_suits_change_places_wherever_cards_lie():
    layout = Layout(((0, 5), (10,), (), (), (), (), (), ()), (None, 51), (1, 2, 3, 4))
    assert renamed(layout, (3, 1, 2, 0)) == Layout(((3, 5), (10,), (), (), (), (), (), ()), (None, 48), (4, 2, 3, 1))
    assert renamed(layout, (1, 3, 0, 2)) == Layout(((1, 7), (8,), (), (), (), (), (), ()), (None, 50), (3, 1, 4, 2))
