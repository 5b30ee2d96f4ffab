"""The position as an audit has it: piles of cards, and an exact form of 144 bits in three words.

Written for `audit_closure` and `audit_search` alone, so that a mistake in what made a verdict can't hide here. With the
search, the exhaustion and the referee it shares card numbers, the rules' arguments and the decorators, nothing else.

What is still as it was dealt counts by dealt column: the *rest* of a column is the longest part of it, from its bottom
up, that lies at the bottom of some column now. Every other card that is not home has a code of two bits:

     code  the card is
     0     in a cell
     1     at the bottom of a column
     2, 3  on the next higher card that it fits on: the one of lower, of higher suit (Baker's Game has only one)

      63                              2 1  0
     +----+-------------- .. --------+----+----+
     | 8S |                          | AD | AC |      word 0: codes of cards 0..31
     +----+-------------- .. --------+----+----+

      63   61        42 40 39 38         1  0
     +-------+-- .. --+---+-----+-- .. --+----+
     | rest 7|        | 0 | KS  |        | 9C |       word 1: codes of cards 32..51, cards in each rest (0..7)
     +-------+-- .. --+---+-----+-- .. --+----+

     word 2: four bits a suit, the number of its cards that are home

Neither columns nor cells have a number in it, so positions that differ only in their order are one.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import CARDS
from kernels.jit import inlined

COLUMNS = 8
TALLEST = 20
"""More than the highest column can have: seven cards as dealt, and a run on them."""

WORDS = 3
MOST_MOVES = 80

CELL = np.uint64(52)
EMPTY_COLUMN = np.uint64(53)
HOME = np.uint64(54)
"""Where a move goes, beside 0..51, which are "onto that card"."""

CELLS = np.uint64(0)
EMPTIES = np.uint64(1)
CHILDREN = np.uint64(2)

_NONE = np.uint64(63)
_CODED_LOW = np.uint64(32)
_RESTS = np.uint64(40)
_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_4 = np.uint64(4)
_7 = np.uint64(7)
_8 = np.uint64(8)
_15 = np.uint64(15)
_52 = np.uint64(52)


class Dealt(NamedTuple):
    """What is fixed for one deal.

    Attributes
    ----------
    columns : (8, 8) uint64
        Cards of each dealt column, the bottom one first; 63 beyond its end.
    places : (52,) uint64
        By card, dealt column * 8 + cards dealt beneath it.
    parents : (52, 2) uint64
        By card, the cards that it fits on, by suit; 63 for none.
    """

    columns: np.ndarray
    places: np.ndarray
    parents: np.ndarray


class Table(NamedTuple):
    """A position laid out.

    Attributes
    ----------
    piles : (8, 20) uint64
        Cards of each column, in an order of columns that means nothing.
    heights : (8,) uint64
        Cards in each; the empty columns come last.
    home : (4,) uint64
        Cards on each foundation.
    words : (8, 2) uint64
        What each column has in words 0 and 1 of the exact form.
    at : (64,) uint64
        Scratch: the column of a card.
    counts : (3,) uint64
        Set of the cards in cells (CELLS), number of empty columns (EMPTIES), of `children` (CHILDREN).
    children : (80, 4) uint64
        Positions one move away in exact form, and the move: card * 64 + where it goes.
    """

    piles: np.ndarray
    heights: np.ndarray
    home: np.ndarray
    words: np.ndarray
    at: np.ndarray
    counts: np.ndarray
    children: np.ndarray


def dealt(board: np.ndarray, in_suit: bool) -> Dealt:
    """What is fixed for a deal; `board` (52,) uint8 holds its cards in dealing order."""
    columns = np.full((COLUMNS, 8), _NONE)
    places = np.zeros(CARDS, np.uint64)
    parents = np.full((CARDS, 2), _NONE)
    for index, card in enumerate(board.tolist()):
        columns[index % COLUMNS, index // COLUMNS] = card
        places[card] = index % COLUMNS * 8 + index // COLUMNS
    for card in range(CARDS - 4):
        rank, suit = divmod(card, 4)
        suits = [suit] if in_suit else [0, 3] if suit in (1, 2) else [1, 2]
        parents[card, : len(suits)] = [4 * (rank + 1) + other for other in suits]
    return Dealt(columns, places, parents)


def new_table() -> Table:
    """Room for a position."""
    return Table(
        np.zeros((COLUMNS, TALLEST), np.uint64),
        np.zeros(COLUMNS, np.uint64),
        np.zeros(4, np.uint64),
        np.zeros((COLUMNS, 2), np.uint64),
        np.zeros(64, np.uint64),
        np.zeros(3, np.uint64),
        np.zeros((MOST_MOVES, WORDS + 1), np.uint64),
    )


def first_words() -> np.ndarray:
    """Exact form of the first position of any deal, (3,) uint64: every column is as dealt."""
    heights = [7] * 4 + [6] * 4
    rests = sum(height << 40 + 3 * column for column, height in enumerate(heights))
    return np.array([0, rests, 0], np.uint64)


@inlined
def lay_out(low, high, home, deal, table):
    """Lay out the position of three words; `table.words` and `table.children` are not filled."""
    for suit in range(_4):
        table.home[suit] = (home >> (_4 * suit)) & _15
    pile, resting = _0, _0
    for column in range(_8):
        rest = (high >> (_RESTS + _3 * column)) & _7
        if rest > _0:
            for i in range(rest):
                card = deal.columns[column, i]
                table.piles[pile, i] = card
                table.at[card] = pile
                resting |= _1 << card
            table.heights[pile] = rest
            pile += _1
    in_cells, card = _0, _52
    while card > _0:  # kings first: what a card lies on is there before it
        card -= _1
        if (resting >> card) & _1 == _0 and card >> _2 >= table.home[card & _3]:
            code = ((low >> (_2 * card)) if card < _CODED_LOW else (high >> (_2 * (card - _CODED_LOW)))) & _3
            if code == _0:
                in_cells |= _1 << card
            elif code == _1:
                table.piles[pile, _0] = card
                table.heights[pile] = _1
                table.at[card] = pile
                pile += _1
            else:
                under = table.at[deal.parents[card, code - _2]]
                table.piles[under, table.heights[under]] = card
                table.heights[under] += _1
                table.at[card] = under
    table.counts[CELLS] = in_cells
    table.counts[EMPTIES] = _8 - pile
    for empty in range(pile, _8):
        table.heights[empty] = _0


@inlined
def column_words(pile, height, deal):
    """What a column of so many cards has in words 0 and 1."""
    low, high, done = _0, _0, _0
    if height > _0:
        place = deal.places[pile[_0]]
        if place & _7 == _0:
            column = place >> _3
            while done < height and done < _7 and deal.columns[column, done] == pile[done]:
                done += _1
            high |= done << (_RESTS + _3 * column)
    for i in range(done, height):
        card = pile[i]
        code = _1 if i == _0 else _2 if deal.parents[card, _0] == pile[i - _1] else _3
        if card < _CODED_LOW:
            low |= code << (_2 * card)
        else:
            high |= code << (_2 * (card - _CODED_LOW))
    return low, high


@inlined
def add_child(table, low, high, home, card, target):
    """Note a position one move away."""
    number = table.counts[CHILDREN]
    table.children[number, 0] = low
    table.children[number, 1] = high
    table.children[number, 2] = home
    table.children[number, 3] = (card << np.uint64(6)) | target
    table.counts[CHILDREN] = number + _1


@inlined
def moves_of_card(table, deal, card, source, low, high, home, free_cells):
    """Note the moves of a card that has been taken from column `source` (8: from a cell).

    `low`, `high` and `home` are the words of the position without the card.
    """
    suit, rank = card & _3, card >> _2
    if table.home[suit] == rank:
        add_child(table, low, high, home + (_1 << (_4 * suit)), card, HOME)
    if source < _8 and free_cells > _0:
        add_child(table, low, high, home, card, CELL)
    filled = _8 - table.counts[EMPTIES]
    for target in range(filled):
        height = table.heights[target]
        if target != source and height > _0:
            top = table.piles[target, height - _1]
            if top == deal.parents[card, _0] or top == deal.parents[card, _1]:
                table.piles[target, height] = card
                new_low, new_high = column_words(table.piles[target], height + _1, deal)
                new_low ^= low ^ table.words[target, 0]
                new_high ^= high ^ table.words[target, 1]
                add_child(table, new_low, new_high, home, card, top)
    alone = source < _8 and table.heights[source] == _0
    if filled < _8 and not alone:
        table.piles[_7, _0] = card  # the last column is an empty one
        new_low, new_high = column_words(table.piles[_7], _1, deal)
        add_child(table, low ^ new_low, high ^ new_high, home, card, EMPTY_COLUMN)


@inlined
def find_children(low, high, home, deal, table, cells):
    """Lay out the position of three words and note all positions one move away.

    Left out is only what differs by nothing but the order of columns or cells: of several empty columns one stands for
    all, and a card that is alone in its column doesn't move to an empty one.
    """
    lay_out(low, high, home, deal, table)
    table.counts[CHILDREN] = _0
    free_cells = cells
    for card in range(_52):
        free_cells -= (table.counts[CELLS] >> card) & _1
    for pile in range(_8):
        table.words[pile, 0], table.words[pile, 1] = column_words(table.piles[pile], table.heights[pile], deal)
    for pile in range(_8 - table.counts[EMPTIES]):
        height = table.heights[pile] - _1
        card = table.piles[pile, height]
        rest_low, rest_high = column_words(table.piles[pile], height, deal)
        rest_low ^= low ^ table.words[pile, 0]
        rest_high ^= high ^ table.words[pile, 1]
        table.heights[pile] = height
        moves_of_card(table, deal, card, pile, rest_low, rest_high, home, free_cells)
        table.heights[pile] = height + _1
    for card in range(_52):
        if (table.counts[CELLS] >> card) & _1:
            moves_of_card(table, deal, card, _8, low, high, home, free_cells)
