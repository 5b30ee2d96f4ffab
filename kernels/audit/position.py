"""The position as an audit has it: piles of cards, and an exact form of 144 bits in three words.

Written for the audit alone, so that a mistake in what made a verdict can't hide here. With the
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

from kernels.cards import CARDS, TALLEST
from kernels.jit import inlined
from kernels.words import U0, U1, U2, U3, U4, U6, U7, U8, U15, U52

COLUMNS = 8
WORDS = 3
MOST_SINGLE_MOVES = 80

GOES_TO_CELL = np.uint64(52)
GOES_TO_EMPTY = np.uint64(53)
GOES_HOME = np.uint64(54)
"""Where a move goes, beside 0..51, which are "onto that card"."""

IN_CELLS = np.uint64(0)
EMPTIES = np.uint64(1)
CHILDREN = np.uint64(2)

_NONE = np.uint64(63)
_CODED_LOW = np.uint64(32)
_RESTS = np.uint64(40)


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
    piles : (8, 19) uint64
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
        Set of the cards in cells (IN_CELLS), number of empty columns (EMPTIES), of `children` (CHILDREN).
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
        np.zeros((MOST_SINGLE_MOVES, WORDS + 1), np.uint64),
    )


def first_words() -> np.ndarray:
    """Exact form of the first position of any deal, (3,) uint64: every column is as dealt."""
    heights = [7] * 4 + [6] * 4
    rests = sum(height << 40 + 3 * column for column, height in enumerate(heights))
    return np.array([0, rests, 0], np.uint64)


@inlined
def unpack(low, high, home, deal, table):
    """Lay out the position of three words; `table.words` and `table.children` are not filled."""
    for suit in range(U4):
        table.home[suit] = (home >> (U4 * suit)) & U15
    pile, resting = U0, U0
    for column in range(U8):
        rest = (high >> (_RESTS + U3 * column)) & U7
        if rest > U0:
            for i in range(rest):
                card = deal.columns[column, i]
                table.piles[pile, i] = card
                table.at[card] = pile
                resting |= U1 << card
            table.heights[pile] = rest
            pile += U1
    in_cells, card = U0, U52
    while card > U0:  # kings first: what a card lies on is there before it
        card -= U1
        if (resting >> card) & U1 == U0 and card >> U2 >= table.home[card & U3]:
            code = ((low >> (U2 * card)) if card < _CODED_LOW else (high >> (U2 * (card - _CODED_LOW)))) & U3
            if code == U0:
                in_cells |= U1 << card
            elif code == U1:
                table.piles[pile, U0] = card
                table.heights[pile] = U1
                table.at[card] = pile
                pile += U1
            else:
                under = table.at[deal.parents[card, code - U2]]
                table.piles[under, table.heights[under]] = card
                table.heights[under] += U1
                table.at[card] = under
    table.counts[IN_CELLS] = in_cells
    table.counts[EMPTIES] = U8 - pile
    for empty in range(pile, U8):
        table.heights[empty] = U0


@inlined
def column_words(pile, height, deal):
    """What a column of so many cards has in words 0 and 1."""
    low, high, done = U0, U0, U0
    if height > U0:
        place = deal.places[pile[U0]]
        if place & U7 == U0:
            column = place >> U3
            while done < height and done < U7 and deal.columns[column, done] == pile[done]:
                done += U1
            high |= done << (_RESTS + U3 * column)
    for i in range(done, height):
        card = pile[i]
        code = U1 if i == U0 else U2 if deal.parents[card, U0] == pile[i - U1] else U3
        if card < _CODED_LOW:
            low |= code << (U2 * card)
        else:
            high |= code << (U2 * (card - _CODED_LOW))
    return low, high


@inlined
def add_child(table, low, high, home, card, target):
    """Note a position one move away."""
    number = table.counts[CHILDREN]
    table.children[number, 0] = low
    table.children[number, 1] = high
    table.children[number, 2] = home
    table.children[number, 3] = (card << U6) | target
    table.counts[CHILDREN] = number + U1


@inlined
def moves_of_card(table, deal, card, source, low, high, home, free_cells):
    """Note the moves of a card that has been taken from column `source` (8: from a cell).

    `low`, `high` and `home` are the words of the position without the card.
    """
    suit, rank = card & U3, card >> U2
    if table.home[suit] == rank:
        add_child(table, low, high, home + (U1 << (U4 * suit)), card, GOES_HOME)
    if source < U8 and free_cells > U0:
        add_child(table, low, high, home, card, GOES_TO_CELL)
    filled = U8 - table.counts[EMPTIES]
    for target in range(filled):
        height = table.heights[target]
        if target != source and height > U0:
            top = table.piles[target, height - U1]
            if top == deal.parents[card, U0] or top == deal.parents[card, U1]:
                table.piles[target, height] = card
                new_low, new_high = column_words(table.piles[target], height + U1, deal)
                new_low ^= low ^ table.words[target, 0]
                new_high ^= high ^ table.words[target, 1]
                add_child(table, new_low, new_high, home, card, top)
    alone = source < U8 and table.heights[source] == U0
    if filled < U8 and not alone:
        table.piles[U7, U0] = card  # the last column is an empty one
        new_low, new_high = column_words(table.piles[U7], U1, deal)
        add_child(table, low ^ new_low, high ^ new_high, home, card, GOES_TO_EMPTY)


@inlined
def find_children(low, high, home, deal, table, cells):
    """Lay out the position of three words and note all positions one move away.

    Left out is only what differs by nothing but the order of columns or cells: of several empty columns one stands for
    all, and a card that is alone in its column doesn't move to an empty one.
    """
    unpack(low, high, home, deal, table)
    table.counts[CHILDREN] = U0
    free_cells = cells
    for card in range(U52):
        free_cells -= (table.counts[IN_CELLS] >> card) & U1
    for pile in range(U8):
        table.words[pile, 0], table.words[pile, 1] = column_words(table.piles[pile], table.heights[pile], deal)
    for pile in range(U8 - table.counts[EMPTIES]):
        height = table.heights[pile] - U1
        card = table.piles[pile, height]
        rest_low, rest_high = column_words(table.piles[pile], height, deal)
        rest_low ^= low ^ table.words[pile, 0]
        rest_high ^= high ^ table.words[pile, 1]
        table.heights[pile] = height
        moves_of_card(table, deal, card, pile, rest_low, rest_high, home, free_cells)
        table.heights[pile] = height + U1
    for card in range(U52):
        if (table.counts[IN_CELLS] >> card) & U1:
            moves_of_card(table, deal, card, U8, low, high, home, free_cells)
