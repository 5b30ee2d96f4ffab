"""A position in exact form, as three bit planes.

Neither columns nor cells have a number here, so positions that differ only in their order are one, and equal planes
are equal positions: what is counted by them is proved, not likely.

A card is always in one of six places, and its code says in which. Plane a holds bit 0 of every card's code, plane b
bit 1, plane c bit 2; the bit of a card in a plane is the card's own number:

     code   c b a   place of the card
     0      0 0 0   home
     1      0 0 1   in a cell
     2      0 1 0   at the bottom of a column
     3      0 1 1   on the card that it was dealt on, which it doesn't fit: a joint
     4      1 0 0   on the card of lower suit that it fits on (the only one in Baker's Game)
     5      1 0 1   on the card of higher suit that it fits on

      63     52 51  50         5  4   3  2  1  0
     +---------+---+---+-- --+--+---+--+--+--+--+
     |    0    | KS| KH|     |2D| 2C|AS|AH|AD|AC|      each plane
     +---------+---+---+-- --+--+---+--+--+--+--+

A card that fits on the very card that it was dealt on has code 4 or 5 there, never 3. A joint that is broken never
comes back, so the cards above each other on joints are the lowest of the dealt column: their number tells which.
"""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kernels.cards import ALL, CARDS, CLUBS, DIAMONDS
from kernels.jit import inlined, popcount
from kernels.layout import Layout, layout_of
from kernels.search.moves import accepting
from kernels.words import U0, U1, U2, U3, U4, U5, U6

COLUMNS = 8
PLANES = 3
HOME, IN_CELL, AT_BOTTOM, ON_JOINT, ON_LOWER_SUIT, ON_HIGHER_SUIT = range(6)
"""Codes, as drawn above."""

HEARTS, SPADES = DIAMONDS << U1, CLUBS << U3


class Facts(NamedTuple):
    """What never changes while the positions of a deal are walked through.

    Attributes
    ----------
    columns : (8,) uint64
        By column, the set of its cards.
    covered : (8, n) uint64
        By column and number of joints left in it, the cards that lie under them.
    beneath : (8, 64) uint64
        By code and card, the card that it lies on, as its bit; 0 for none.
    above : (64,) uint64
        By card, the one that was dealt on it, as its bit; 0 for none.
    accepts : (64,) uint64
        By card, the set of cards that it fits on.
    cells : uint64
    in_suit : bool
    """

    columns: np.ndarray
    covered: np.ndarray
    beneath: np.ndarray
    above: np.ndarray
    accepts: np.ndarray
    cells: int
    in_suit: bool


@lru_cache(maxsize=2)
def fitting_cards(in_suit: bool) -> list[list[int]]:
    """By card, the cards that it fits on, the one of lower suit first."""
    return [[other for other in range(CARDS) if int(cards) >> other & 1] for cards in accepting(in_suit)[:CARDS]]


def facts_of(board: np.ndarray, cells: int, in_suit: bool) -> tuple[Facts, np.ndarray]:
    """The facts of a fresh deal, and the planes of its first position; see `facts_from`.

    Parameters
    ----------
    board : (52,) uint8
        Cards in dealing order.
    cells : int
    in_suit : bool
    """
    return facts_from(layout_of(board), cells, in_suit)


def facts_from(layout: Layout, cells: int, in_suit: bool) -> tuple[Facts, np.ndarray]:
    """The facts of what can be reached from a layout, and its planes, (3,) uint64.

    In mid-game, its columns take the place of the dealt ones: a joint is a card on one that it doesn't fit.
    """
    accepts = accepting(in_suit)
    columns = np.zeros(COLUMNS, np.uint64)
    covered = np.zeros((COLUMNS, max(map(len, layout.columns)) + 1), np.uint64)
    fitting = fitting_cards(in_suit)
    beneath, above = np.zeros((8, 64), np.uint64), np.zeros(64, np.uint64)
    for card, others in enumerate(fitting):
        for code, other in enumerate(others, ON_LOWER_SUIT):
            beneath[code, card] = 1 << other
    codes = np.zeros(CARDS, np.int64)
    codes[layout.in_cells] = IN_CELL
    for column, cards in enumerate(layout.columns):
        codes[list(cards[:1])] = AT_BOTTOM
        joints = lie_under = 0
        for below, card in pairwise(cards):
            above[below], beneath[ON_JOINT, card] = 1 << card, 1 << below
            if below in fitting[card]:
                codes[card] = ON_LOWER_SUIT + fitting[card].index(below)
            else:
                codes[card] = ON_JOINT
                joints += 1
                lie_under |= 1 << below
                covered[column, joints] = lie_under
        columns[column] = sum(1 << card for card in cards)
    planes = [sum(1 << card for card in range(CARDS) if codes[card] >> bit & 1) for bit in range(PLANES)]
    facts = Facts(columns, covered, beneath, above, accepts, np.uint64(cells), in_suit)
    return facts, np.array(planes, np.uint64)


@inlined
def covered_cards(a, b, c, facts):
    """The cards that another card lies on."""
    low, high = c & ~a, c & a
    if facts.in_suit:
        covered = low << U4
    else:
        covered = ((low & DIAMONDS) << U3) | ((low & (HEARTS | SPADES)) << U2) | ((low & CLUBS) << U5)
        covered |= ((high & (DIAMONDS | CLUBS)) << U6) | ((high & HEARTS) << U5) | ((high & SPADES) << U3)
    joints = a & b
    for column in range(COLUMNS):
        covered |= facts.covered[column, popcount(joints & facts.columns[column])]
    return covered


@inlined
def home_cards(a, b, c):
    """The cards on the foundations."""
    return ALL & ~(a | b | c)


@inlined
def fitting_low(targets, facts):
    """The cards that fit on some of the targets as the ones of lower suit (in Baker's Game, the only ones)."""
    if facts.in_suit:
        return targets >> U4
    return ((targets >> U3) & DIAMONDS) | ((targets >> U2) & (HEARTS | SPADES)) | ((targets >> U5) & CLUBS)


@inlined
def fitting_high(targets, facts):
    """The cards that fit on some of the targets as the ones of higher suit."""
    if facts.in_suit:
        return U0
    return ((targets >> U6) & (DIAMONDS | CLUBS)) | ((targets >> U5) & HEARTS) | ((targets >> U3) & SPADES)
