"""Where the cards lie, pile by pile: a fresh deal, or a position in mid-game that somebody holds."""

from typing import NamedTuple

import numpy as np

from kernels.cards import CARDS, SUITS

COLUMNS = 8
COLUMN_SIZES = [7, 7, 7, 7, 6, 6, 6, 6]


class Layout(NamedTuple):
    """Cards by their numbers: each of the 52 is in one place.

    Attributes
    ----------
    columns : tuple of (tuple of int)
        Eight columns, the bottom card first.
    cells : tuple of (int or None)
        What the cells hold from the first on; None, and what is not there, is a free one.
    home : tuple of int
        Number of cards on each foundation, in the order C D H S.
    """

    columns: tuple[tuple[int, ...], ...]
    cells: tuple[int | None, ...] = ()
    home: tuple[int, ...] = (0, 0, 0, 0)

    @property
    def in_cells(self) -> list[int]:
        """The cards in cells."""
        return [card for card in self.cells if card is not None]


def layout_of(board: np.ndarray) -> Layout:
    """The layout of a fresh deal, (52,) uint8 cards in dealing order."""
    return Layout(tuple(tuple(map(int, board[column::COLUMNS])) for column in range(COLUMNS)))


def board_of(layout: Layout) -> np.ndarray | None:
    """The board of a layout that is a fresh deal, (52,) uint8; None of another."""
    if [len(column) for column in layout.columns] != COLUMN_SIZES:
        return None
    board = np.empty(CARDS, np.uint8)
    for number, column in enumerate(layout.columns):
        board[number::COLUMNS] = column
    return board


def renamed(layout: Layout, suits: tuple[int, ...]) -> Layout:
    """A layout whose suits have changed places: suit `s` becomes `suits[s]`."""
    columns = tuple(tuple(_in_suit(card, suits) for card in column) for column in layout.columns)
    cells = tuple(None if card is None else _in_suit(card, suits) for card in layout.cells)
    return Layout(columns, cells, tuple(layout.home[suits.index(suit)] for suit in range(len(SUITS))))


def _in_suit(card: int, suits: tuple[int, ...]) -> int:
    return card // 4 * 4 + suits[card % 4]
