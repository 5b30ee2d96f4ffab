"""A position in exact form: where each card is, in 3 bits a card, 156 bits in three words.

Neither columns nor cells have a number here, so positions that differ only in their order are one, and equal words
are equal positions: what is counted by them is proved, not likely.

A card is always at one of few *places*, and its code says at which:

     code  place
     0     home
     1     in a cell
     2     at the bottom of a column
     3     on the card that it was dealt on
     4, 5  on a card that it fits on: the one of lower, of higher suit (Baker's Game has only one)

A card that fits on the very card that it was dealt on has code 4 or 5 there, never 3. The code of card c takes bits
3 * (c // 3) .. 3 * (c // 3) + 2 of word c % 3:

      63    54 53  51            8   6 5   3 2   0
     +--------+------+-- ... --+------+-----+-----+
     |   0    |  KS  |         |  2H  | AS  | AC  |      word 0: cards 0 (AC), 3 (AS), 6 (2H) .. 51 (KS)
     +--------+------+-- ... --+------+-----+-----+

While positions are walked through, the words are kept up to date by differences: moving a card toggles its old and
its new place, and is undone by the same.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL, CARDS
from kernels.jit import inlined

ON_NO_CARD = np.uint64(52)
CELL = np.uint64(53)
HOME = np.uint64(54)
"""Places beside 0..51, which are "on that card"."""

WORDS = 3

TOPS = np.uint64(0)
CELLS = np.uint64(1)
NEXT = np.uint64(2)

_ACES = np.uint64(0xF)
_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_4 = np.uint64(4)
_7 = np.uint64(7)


class Places(NamedTuple):
    """The places of one deal and their codes.

    Attributes
    ----------
    codes : (52, 64) uint64
        By card and place, the code, shifted to the card's bits.
    places : (52, 8) uint64
        By card and code, the place.
    """

    codes: np.ndarray
    places: np.ndarray


class Layout(NamedTuple):
    """A position that is being walked through.

    Attributes
    ----------
    at : (52,) uint64
        Place of each card.
    sets : (3,) uint64
        Sets of cards: `TOPS` the top cards of columns, `CELLS` the cards in cells, `NEXT` the next card of each suit.
    words : (3,) uint64
        The exact form.
    """

    at: np.ndarray
    sets: np.ndarray
    words: np.ndarray


def places_of(board: np.ndarray, accepts: np.ndarray) -> Places:
    """Places of a deal.

    Parameters
    ----------
    board : (52,) uint8
        Cards in dealing order.
    accepts : (64,) uint64
        By card, the set of cards that it fits on.
    """
    codes = np.zeros((CARDS, 64), np.uint64)
    places = np.zeros((CARDS, 8), np.uint64)
    for index, card in enumerate(board.tolist()):
        beneath = board[index - 8] if index >= 8 else ON_NO_CARD
        higher = int(accepts[card])
        fitting = [other for other in range(CARDS) if higher >> other & 1]
        # "Dealt on" comes first: it yields to the others where the place is the same.
        coded = {3: beneath, 0: HOME, 1: CELL, 2: ON_NO_CARD, **dict(enumerate(fitting, 4))}
        for code, place in coded.items():
            codes[card, place] = code << 3 * (card // 3)
            places[card, code] = place
    return Places(codes, places)


def words_of(board: np.ndarray, places: Places) -> np.ndarray:
    """Exact form of the first position of a deal: (3,) uint64."""
    words = np.zeros(WORDS, np.uint64)
    for index, card in enumerate(board.tolist()):
        beneath = board[index - 8] if index >= 8 else ON_NO_CARD
        words[card % WORDS] |= places.codes[card, beneath]
    return words


def empty_layout() -> Layout:
    """Room for one position."""
    return Layout(np.zeros(CARDS, np.uint64), np.zeros(3, np.uint64), np.zeros(WORDS, np.uint64))


@inlined
def unpack(words, places, layout):
    """Write the layout of a position given in exact form."""
    in_columns, covered, in_cells, home = _0, _0, _0, _0
    for card in range(np.uint64(CARDS)):
        place = places.places[card, (words[card % _3] >> (_3 * (card // _3))) & _7]
        layout.at[card] = place
        if place == HOME:
            home |= _1 << card
        elif place == CELL:
            in_cells |= _1 << card
        else:
            in_columns |= _1 << card
            covered |= _1 << place
    layout.sets[TOPS] = in_columns & ~covered
    layout.sets[CELLS] = in_cells
    layout.sets[NEXT] = ((home << _4) | _ACES) & ~home & ALL
    for word in range(_3):
        layout.words[word] = words[word]


@inlined
def toggle(layout, places, card, place):
    """Take a card away from a place, or put it there."""
    bit = _1 << card
    if place <= ON_NO_CARD:
        layout.sets[TOPS] ^= bit ^ ((_1 << place) & ALL)
    elif place == CELL:
        layout.sets[CELLS] ^= bit
    else:
        layout.sets[NEXT] ^= bit ^ ((bit << _4) & ALL)
    layout.words[card % _3] ^= places.codes[card, place]


@inlined
def move_card(layout, places, card, origin, target):
    """Move a card from one place to another."""
    toggle(layout, places, card, origin)
    toggle(layout, places, card, target)
    layout.at[card] = target


@inlined
def changed(words, places, card, origin, target):
    """The exact form after a move that isn't made."""
    change = places.codes[card, origin] ^ places.codes[card, target]
    word = card % _3
    return (
        words[_0] ^ (change if word == _0 else _0),
        words[_1] ^ (change if word == _1 else _0),
        words[_2] ^ (change if word == _2 else _0),
    )
