"""The position as column words: eight columns, the cells, the foundations, in ten 64-bit words.

A column is always what is left of the dealt column (its *prefix*) and on it a *run* of cards that fit on each other.
The ranks of a run differ, so the set of its cards fixes their order, and one word holds the column:

      63    58 57      52 51                                             0
     +--------+----------+------------------------------------------------+
     |   0    |  place   |  run: the set of its cards, top = lowest bit   |
     +--------+----------+------------------------------------------------+

     place = dealt column * 8 + number of prefix cards (1..6); 0 = no prefix

Columns without a prefix are interchangeable, and an empty column is 0. Example: column 3 was dealt KS 4D 9H 8C 7D,
so its run is 9H 8C 7D on the prefix KS 4D: place = 3 * 8 + 2, bits 34 (9H), 28 (8C) and 25 (7D). When the last of the
run has gone, the column is `under[place]`: the word of KS 4D alone, run 4D on the prefix KS.

The other two words of a position:

     word 8  CELL_WORD   the set of cards in cells
     word 9  HOME_WORD   bits 0..51 the next card of each suit (no bit: suit complete); from bit 52 the moves made,
                        at most 4,095
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import inlined
from kernels.words import U0, U1, U3, U29, U32, U52, U64

WORDS = 10
COLUMNS = np.uint64(8)
CELL_WORD = np.uint64(8)
HOME_WORD = np.uint64(9)
PLACE = np.uint64(52)
PLACES = 64
ACES = np.uint64(0xF)
DEPTH_ONE = np.uint64(1 << 52)
DEEPEST = np.uint64(0xFFF << 52)
"""From here on no more moves are counted."""

_COLUMN_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_CELLS_FACTOR = np.uint64(0xC2B2AE3D27D4EB4F)
_HOME_FACTOR = np.uint64(0x165667B19E3779F9)
_LAST_FACTOR = np.uint64(0xD6E8FEB86659FD93)


class Prefixes(NamedTuple):
    """What is known of each prefix of the dealt columns, by place.

    Attributes
    ----------
    under : (64,) uint64
        Column word of the prefix alone.
    cards : (64,) uint64
        The set of its cards.
    row : (64,) uint64
        By card, not by place: number of cards that were dealt under it.
    """

    under: np.ndarray
    cards: np.ndarray
    row: np.ndarray


def empty_prefixes() -> Prefixes:
    """Room for one deal."""
    return Prefixes(*(np.zeros(PLACES, np.uint64) for _ in Prefixes._fields))


@inlined
def deal_out(board, accepts, prefixes, position):
    """Write the first position of a deal, and its prefixes.

    Parameters
    ----------
    board : (52,) uint8
        Cards in dealing order.
    accepts : (64,) uint64
        By card, the cards that it fits on.
    prefixes : Prefixes
        Filled.
    position : (10,) uint64
        Filled; no card has gone home yet, not even an ace on top.
    """
    for column in range(COLUMNS):
        word = U0
        cards = U0
        above = U64
        count = U0
        for index in range(column, U52, COLUMNS):
            card = np.uint64(board[index])
            bit = U1 << card
            if count > U0:
                place = (column << U3) | count
                prefixes.under[place] = word
                prefixes.cards[place] = cards
                if accepts[card] & (U1 << above):
                    word |= bit
                else:
                    word = bit | (place << PLACE)
            else:
                word = bit
            prefixes.row[card] = count
            cards |= bit
            above = card
            count += U1
        position[column] = word
    position[CELL_WORD] = U0
    position[HOME_WORD] = ACES


@inlined
def run_of(word):
    """The run of a column, as a set of cards."""
    return word & ALL


@inlined
def top_of(run):
    """The top card of a run as a set of one; empty for an empty run."""
    return run & (~run + U1)


@inlined
def without(word, segment, under):
    """The column after the upper part `segment` of its run has gone."""
    rest = word ^ segment
    return rest if run_of(rest) else under[word >> PLACE]


@inlined
def mixed(word, factor):
    """A word scrambled, so that sums of scrambled words can serve as a key."""
    word *= factor
    word ^= word >> U32
    word *= _LAST_FACTOR
    return word ^ (word >> U29)


@inlined
def key_of(position):
    """Key of a position: equal for equal positions in whatever order of columns, never 0.

    Taken for the position by the search, which may err; a proof needs exact positions: `kernels/proof`.
    """
    key = mixed(position[CELL_WORD], _CELLS_FACTOR) + mixed(position[HOME_WORD] & ALL, _HOME_FACTOR)
    for column in range(COLUMNS):
        key += mixed(position[column], _COLUMN_FACTOR)
    return key | U1
