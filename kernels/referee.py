"""Replays move lists by the rules alone, card by card on plain piles.

It shares nothing with the search but card numbers and the rules, so that a mistake there can't hide here. A move is
one byte, source * 16 + target: sources 0..7 columns (as dealt), 8..15 cells; targets 0..7 columns, 8 the first free
cell, 9 the foundation.

Everything is a pile, and a move takes the top card of one to the top of another:

     pile   0..7  columns   8..15  cells (those beyond the number of cells stay empty)   16..19  foundations C D H S
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import CARDS, SUIT_SIZE, TALLEST
from kernels.jit import inlined, kernel
from kernels.layout import Layout
from kernels.rules import Rules
from kernels.words import U0, U1, U2, U3, U4, U15

UNFINISHED = -1

PILES = 20
TO_CELL = np.uint64(8)
TO_FOUNDATION = np.uint64(9)

_COLUMNS = np.uint64(8)
_FIRST_CELL = np.uint64(8)
_FOUNDATIONS = np.uint64(16)
_NOWHERE = np.uint64(PILES)


class Piles(NamedTuple):
    """The cards on the table.

    Attributes
    ----------
    cards : (20, 19) uint8
        A row a pile, its bottom card first.
    heights : (20,) uint64
        Number of cards in a pile.
    """

    cards: np.ndarray
    heights: np.ndarray


@inlined
def deal_cards(board, piles):
    """Deal: card `i` goes to column `i % 8`."""
    piles.heights[:] = U0
    for i in range(np.uint64(CARDS)):
        column = i % _COLUMNS
        height = piles.heights[column]
        piles.cards[column, height] = board[i]
        piles.heights[column] = height + U1


@inlined
def is_red(card):
    """Whether a card's suit is diamonds (1) or hearts (2)."""
    suit = card & U3
    return (suit == U1) | (suit == U2)


@inlined
def fits(card, beneath, in_suit):
    """Whether a card may lie on another: one rank lower, and of the same suit or of the other colour."""
    if card >> U2 != (beneath >> U2) - U1:
        return False
    return card & U3 == beneath & U3 if in_suit else is_red(card) != is_red(beneath)


@inlined
def landing(piles, card, target, cells, in_suit):
    """The pile that a move takes a card to; no pile (20) where it is against the rules."""
    if target < _COLUMNS:
        height = piles.heights[target]
        if height == U0 or fits(card, np.uint64(piles.cards[target, height - U1]), in_suit):
            return target
    elif target == TO_CELL:
        for pile in range(_FIRST_CELL, _FIRST_CELL + cells):
            if piles.heights[pile] == U0:
                return pile
    elif target == TO_FOUNDATION:
        foundation = _FOUNDATIONS + (card & U3)
        if piles.heights[foundation] == card >> U2:
            return foundation
    return _NOWHERE


@inlined
def cards_home(piles):
    """Number of cards on the foundations."""
    return (
        piles.heights[_FOUNDATIONS]
        + piles.heights[_FOUNDATIONS + U1]
        + piles.heights[_FOUNDATIONS + U2]
        + piles.heights[_FOUNDATIONS + U3]
    )


@inlined
def replay(moves, start, length, cells, in_suit, piles):
    """Replay one move list, `moves[start : start + length]`, on what lies there; what `replay_block` says of it."""
    for number in range(length):
        move = np.uint64(moves[start + number])
        source, target = move >> U4, move & U15
        height = piles.heights[source]
        if height == U0:
            return np.int32(number + U1)
        card = np.uint64(piles.cards[source, height - U1])
        pile = landing(piles, card, target, cells, in_suit)
        if pile == _NOWHERE:
            return np.int32(number + U1)
        piles.heights[source] = height - U1
        piles.cards[pile, piles.heights[pile]] = card
        piles.heights[pile] += U1
    return np.int32(0 if cards_home(piles) == np.uint64(CARDS) else UNFINISHED)


@kernel
def replay_all(boards, cells, in_suit, lengths, moves, piles, verdicts):
    """Replay the move list of each board."""
    start = U0
    for i in range(np.uint64(len(boards))):
        length = np.uint64(lengths[i])
        deal_cards(boards[i], piles)
        verdicts[i] = replay(moves, start, length, np.uint64(cells), in_suit, piles)
        start += length


@kernel
def replay_one(cells, in_suit, moves, piles, verdicts):
    """Replay one move list on what lies there."""
    verdicts[U0] = replay(moves, U0, np.uint64(moves.shape[0]), np.uint64(cells), in_suit, piles)


def replay_from(layout: Layout, rules: Rules, moves: np.ndarray) -> int:
    """Replay a move list from a layout, perhaps in mid-game; the answer is one of those of `replay_block`.

    Parameters
    ----------
    layout : Layout
        With no card in a cell that the rules don't have.
    rules : Rules
    moves : (m,) uint8
        Any byte may stand there.
    """
    tallest = max(map(len, layout.columns)) + SUIT_SIZE
    piles = Piles(np.zeros((PILES, tallest), np.uint8), np.zeros(PILES, np.uint64))
    in_cells = [() if card is None else (card,) for card in layout.cells]
    for pile, cards in (*enumerate(layout.columns), *enumerate(in_cells, int(_FIRST_CELL))):
        piles.cards[pile, : len(cards)] = cards
        piles.heights[pile] = len(cards)
    piles.heights[int(_FOUNDATIONS) :] = layout.home
    verdicts = np.zeros(1, np.int32)
    replay_one(rules.cells, rules.in_suit, moves, piles, verdicts)
    return int(verdicts[0])


def replay_block(boards: np.ndarray, rules: Rules, lengths: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Replay the move lists of a block of deals.

    Parameters
    ----------
    boards : (n, 52) uint8
        Cards in dealing order: each card once.
    rules : Rules
    lengths : (n,) unsigned
        Number of moves of each list.
    moves : (m,) uint8
        All lists, one after another. Any byte may stand there.

    Returns
    -------
    (n,) int32
        0 where all moves are legal and end with 52 cards home; otherwise the number (from 1) of the first wrong move;
        -1 (`UNFINISHED`) where all moves are legal but cards are left. No list at all is legal and unfinished.

    Raises
    ------
    ValueError
        If there are not as many lengths as boards, or not as many moves as the lengths say.
    """
    if len(lengths) != len(boards):
        raise ValueError(f"{len(lengths)} move lists for {len(boards)} boards: one for each is needed")
    expected = int(np.sum(lengths, dtype=np.uint64))
    if len(moves) != expected:
        raise ValueError(f"{len(moves)} moves where the lengths add up to {expected}: cut off, or not of these deals")
    piles = Piles(np.zeros((PILES, TALLEST), np.uint8), np.zeros(PILES, np.uint64))
    verdicts = np.zeros(len(boards), np.int32)
    replay_all(boards, rules.cells, rules.in_suit, lengths.astype(np.uint64), moves, piles, verdicts)
    return verdicts
