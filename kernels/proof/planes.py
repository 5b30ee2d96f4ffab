"""A position in exact form, as three bit planes, and the positions around it.

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

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL, CARDS, CLUBS, DIAMONDS
from kernels.jit import inlined, popcount
from kernels.layout import Layout, layout_of
from kernels.search.moves import NO_CARD, accepting, safe_home
from kernels.words import U0, U1, U2, U3, U4, U5, U6, U8

COLUMNS = 8
MOST_CHILDREN, CHILD_WORDS = 80, 5
"""No position has more: each of 16 cards goes home, to a cell, to an empty column or onto two cards."""

PLANES = 3
HOME, IN_CELL, AT_BOTTOM, ON_JOINT, ON_LOWER_SUIT = range(5)
"""Codes, as drawn above; the last one and the one after it are those of the fitting cards."""

HEARTS, SPADES = DIAMONDS << U1, CLUBS << U3


class Facts(NamedTuple):
    """What never changes while the positions of a deal are walked through.

    Attributes
    ----------
    columns : (8,) uint64
        By column, the set of its cards.
    covered : (8, n) uint64
        By column and number of joints left in it, the cards that lie under them.
    accepts : (64,) uint64
        By card, the set of cards that it fits on.
    cells : uint64
    in_suit : bool
    """

    columns: np.ndarray
    covered: np.ndarray
    accepts: np.ndarray
    cells: int
    in_suit: bool


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
    codes = np.zeros(CARDS, np.int64)
    codes[layout.in_cells] = IN_CELL
    for column, cards in enumerate(layout.columns):
        joints = beneath = 0
        for height, card in enumerate(cards):
            fitting = [other for other in range(CARDS) if int(accepts[card]) >> other & 1]
            if height == 0:
                codes[card] = AT_BOTTOM
            elif cards[height - 1] in fitting:
                codes[card] = ON_LOWER_SUIT + fitting.index(cards[height - 1])
            else:
                codes[card] = ON_JOINT
                joints += 1
                beneath |= 1 << cards[height - 1]
                covered[column, joints] = beneath
        columns[column] = sum(1 << card for card in cards)
    planes = [sum(1 << card for card in range(CARDS) if codes[card] >> bit & 1) for bit in range(PLANES)]
    return Facts(columns, covered, accepts, np.uint64(cells), in_suit), np.array(planes, np.uint64)


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
def look_around(a, b, c, facts, autoplay, kept, around):
    """Write the positions that one move leads to.

    Of several empty columns or free cells one stands for all, and a card alone in its column doesn't move to an empty
    one. With `autoplay`, a position with a safe move home has no other move.

    Parameters
    ----------
    kept : uint64
        A card, as its bit, that is only moved where a safe move home is forced; 0 for none. Where the last move was
        that card's, its moves lead nowhere new: what it reaches by two moves in a row it reaches by one move from the
        position before, or it is that position.
    around : (80, 5) uint64
        Each position found: planes a, b, c; how many layers lower it lies (`layers` says what that is); and the bit of
        the card that was moved.

    Returns
    -------
    count : uint64
    settled : bool
        Whether no safe move home is forced.
    """
    joints = a & b
    tops = (b | c) & ~covered_cards(a, b, c, facts)
    in_cells = a & ~b & ~c
    home = home_cards(a, b, c)
    next_cards = ((home << U4) | np.uint64(15)) & ~home & ALL
    movable = tops | in_cells
    if autoplay and movable & next_cards:
        card = safe_home(movable, next_cards, facts.in_suit)
        if card != NO_CARD:
            bit = U1 << card
            put(around, U0, a & ~bit, b & ~bit, c & ~bit, U1 + ((joints >> card) & U1), bit)
            return U1, False
    movable &= ~kept
    count = U0
    going = movable & next_cards
    while going:
        bit = going & (U0 - going)
        going ^= bit
        count = put(around, count, a & ~bit, b & ~bit, c & ~bit, U1 + lower_by(joints, bit), bit)
    going = tops & ~kept if popcount(in_cells) < facts.cells else U0
    while going:
        bit = going & (U0 - going)
        going ^= bit
        count = put(around, count, a | bit, b & ~bit, c & ~bit, lower_by(joints, bit), bit)
    going = movable & ~(b & ~a) if popcount(tops) < U8 else U0
    while going:
        bit = going & (U0 - going)
        going ^= bit
        count = put(around, count, a & ~bit, b | bit, c & ~bit, lower_by(joints, bit), bit)
    going = movable & fitting_low(tops, facts)
    while going:
        bit = going & (U0 - going)
        going ^= bit
        count = put(around, count, a & ~bit, b & ~bit, c | bit, lower_by(joints, bit), bit)
    going = movable & fitting_high(tops, facts)
    while going:
        bit = going & (U0 - going)
        going ^= bit
        count = put(around, count, a | bit, b & ~bit, c | bit, lower_by(joints, bit), bit)
    return count, True


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


@inlined
def lower_by(joints, bit):
    """How many layers lower a position lies because the card of a bit leaves its joint: one, or none."""
    return U1 if joints & bit else U0


@inlined
def put(around, count, a, b, c, lower, bit):
    """Append a position; the number of positions then."""
    around[count, U0] = a
    around[count, U1] = b
    around[count, U2] = c
    around[count, U3] = lower
    around[count, U4] = bit
    return count + U1
