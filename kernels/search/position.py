"""The position in registers: eight column words side by side, the cells, the foundations.

A column is always what is left of the dealt column (its *prefix*) and on it a *run* of cards that fit on each other.
The ranks of a run differ, so the set of its cards fixes their order, and one word holds the column:

      63    58 57      52 51                                             0
     +--------+----------+------------------------------------------------+
     |   0    |  place   |  run: the set of its cards, top = lowest bit   |
     +--------+----------+------------------------------------------------+

     place = number of prefix cards (1..6) * 8 + dealt column; 0 = no prefix

Columns without a prefix are interchangeable, and an empty column is 0. Example: column 3 was dealt KS 4D 9H 8C 7D,
so its run is 9H 8C 7D on the prefix KS 4D: place = 2 * 8 + 3, bits 34 (9H), 28 (8C) and 25 (7D). When the last of the
run has gone, the column is `under[place]`: the word of KS 4D alone, run 4D on the prefix KS.

The search keeps each position in a row of sixteen words, two lines of the cache:

     word 0..7  the columns
          8     the set of cards in cells
          9     bits 0..51 the next card of each suit (no bit: suit complete); from bit 52 the moves made, at most 4,095
         10     the top cards of all columns      } follow from the columns,
         11     the heads of all runs             } kept since each is one reduction over the lanes
         12     the child word that the position came from (`buckets.py`)
         13     the sum of the gaps on the path to it, in points
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import highest_alone, inlined
from kernels.lanes import ALL_LANES, gather, lanes, load, load_bytes, met, numbers, store, total, union, where
from kernels.words import U0, U1, U3, U7, U15, U29, U32

WORDS = 16
COLUMNS = np.uint64(8)
CELL_WORD, HOME_WORD, TOPS_WORD, HEADS_WORD, ORIGIN_WORD, GAP_WORD = (np.uint64(word) for word in range(8, 14))
PLACE = np.uint64(52)
PLACES = 64
ACES = np.uint64(0xF)
DEPTH_ONE = np.uint64(1 << 52)
DEEPEST = np.uint64(0xFFF << 52)
"""From here on no more moves are counted."""

ROWS = U7
"""Rows of a deal; the last one has four cards."""

_COLUMN_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_CELLS_FACTOR = np.uint64(0xC2B2AE3D27D4EB4F)
_HOME_FACTOR = np.uint64(0x165667B19E3779F9)
_LAST_FACTOR = np.uint64(0xD6E8FEB86659FD93)


class Position(NamedTuple):
    """A position while it is worked on.

    Attributes
    ----------
    columns : Lanes
    cells, home, tops, heads : uint64
        As drawn above.
    """

    columns: lanes
    cells: int
    home: int
    tops: int
    heads: int


class Prefixes(NamedTuple):
    """What is known of each prefix of the dealt columns, by place.

    Attributes
    ----------
    under : (64,) uint64
        Column word of the prefix alone.
    cards : (64,) uint64
        The set of its cards.
    rows : (3,) uint64
        The row that each card was dealt in, as sets of cards: those with bit 0, 1, 2 of it set.
    """

    under: np.ndarray
    cards: np.ndarray
    rows: np.ndarray


def empty_prefixes() -> Prefixes:
    """Room for one deal."""
    return Prefixes(np.zeros(PLACES, np.uint64), np.zeros(PLACES, np.uint64), np.zeros(3, np.uint64))


@inlined
def run_of(word):
    """The run of a column, as a set of cards; of one column or of all, as in all functions of words here."""
    return word & ALL


@inlined
def top_of(run):
    """The top card of a run as a set of one; empty for an empty run."""
    return run & (U0 - run)


@inlined
def head_of(run):
    """The highest card of a run as a set of one; empty for an empty run."""
    return highest_alone(run)


@inlined
def without(word, segment, under):
    """The column after the upper part `segment` of its run has gone."""
    rest = word ^ segment
    bare = under[word >> PLACE]
    return rest if run_of(rest) else bare


@inlined
def with_ends(columns, cells, home):
    """The position with these columns, its tops and heads looked up."""
    run = run_of(columns)
    return Position(columns, cells, home, union(top_of(run)), union(head_of(run)))


@inlined
def dealt_row(board, row):
    """Columns that a row of a deal has cards in, and these cards as numbers."""
    there = U15 if row + U1 == ROWS else ALL_LANES
    return there, load_bytes(board, row * COLUMNS, there)


@inlined
def deal_out(board, accepts, prefixes):
    """The first position of a deal; no card has gone home yet, not even an ace on top.

    Parameters
    ----------
    board : (52,) uint8
        Cards in dealing order.
    accepts : (64,) uint64
        By card, the cards that it fits on.
    prefixes : Prefixes
        Filled.
    """
    _, card = dealt_row(board, U0)
    beneath = columns = cards = U1 << card
    prefixes.rows[:] = U0
    for row in range(U1, ROWS):
        there, card = dealt_row(board, row)
        bit = where(there, U1 << card, U0)
        places = row * COLUMNS
        store(prefixes.under, places, columns)
        store(prefixes.cards, places, cards)
        fitting = met(gather(accepts, card), beneath)
        above = where(fitting, columns, (numbers() + places) << PLACE) | bit
        columns = where(there, above, columns)
        beneath = bit
        cards = cards | bit
        for digit in range(U3):
            prefixes.rows[digit] |= union(bit) * (row >> digit & U1)
    return with_ends(columns, U0, ACES)


@inlined
def read_position(row):
    """The position in a row."""
    return Position(load(row, U0), row[CELL_WORD], row[HOME_WORD], row[TOPS_WORD], row[HEADS_WORD])


@inlined
def write_position(row, position):
    """Put a position into a row."""
    store(row, U0, position.columns)
    row[CELL_WORD] = position.cells
    row[HOME_WORD] = position.home
    row[TOPS_WORD] = position.tops
    row[HEADS_WORD] = position.heads


@inlined
def mixed(word, factor):
    """A word scrambled, so that sums of scrambled words can serve as a key."""
    word = word * factor
    word = (word ^ word >> U32) * _LAST_FACTOR
    return word ^ word >> U29


@inlined
def key_of(position):
    """Key of a position: equal for equal positions in whatever order of columns, never 0.

    Taken for the position by the search, which may err; a proof needs exact positions: `kernels/proof`.
    """
    others = mixed(position.cells, _CELLS_FACTOR) + mixed(position.home & ALL, _HOME_FACTOR)
    return total(mixed(position.columns, _COLUMN_FACTOR)) + others | U1
