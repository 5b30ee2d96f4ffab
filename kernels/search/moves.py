"""What fits on what, how long a run may move, what may go home at once, and making a move.

A move is a word of 14 bits: which cards leave which column, or a card its cell, and where they go.

      13   8 7    4 3    0
     +------+------+------+
     | head |source|target|      head: the highest card that moves
     +------+------+------+      source, target: 0..7 a column, 8 a cell, 9 the foundation
"""

import numpy as np

from kernels.cards import ALL, BLACK, CARDS, CLUBS, DIAMONDS, RED
from kernels.jit import inlined, lowest
from kernels.search.position import CELL_WORD, COLUMNS, DEEPEST, DEPTH_ONE, HOME_WORD, run_of, top_of, without
from kernels.words import U0, U1, U2, U3, U4, U8, U15

TO_CELL = np.uint64(8)
TO_FOUNDATION = np.uint64(9)
NO_CARD = np.uint64(64)


def accepting(in_suit: bool) -> np.ndarray:
    """For each card the set of cards that it fits on: (64,) uint64."""
    accepts = np.zeros(64, np.uint64)
    for card in range(CARDS - 4):
        rank, suit = divmod(card, 4)
        colour = 0b1001 if suit in (1, 2) else 0b0110
        accepts[card] = (1 << suit if in_suit else colour) << 4 * (rank + 1)
    return accepts


def _blockers() -> np.ndarray:
    """For each card the two sets of next cards that keep it from going home safely: (64, 2) uint64.

    With the first set absent, every lower card of the other colour is home: no card still needs this one to lie on.
    With the second absent, those that might need it can go home themselves as soon as they are uncovered
    (Blake & Gent, JAIR 85:21, 2026, Theorem 1 and Corollary 3).
    """
    blockers = np.zeros((64, 2), np.uint64)
    for card in range(CARDS):
        rank, suit = divmod(card, 4)
        other = 0b1001 if suit in (1, 2) else 0b0110
        twin = 0b1111 ^ other ^ 1 << suit
        blockers[card, 0] = sum(other << 4 * r for r in range(rank))
        blockers[card, 1] = sum(other << 4 * r for r in range(rank - 1)) + sum(twin << 4 * r for r in range(rank - 2))
    return blockers


BLOCKERS = _blockers()


@inlined
def placeable(tops, in_suit):
    """The cards that fit on one of `tops`, both as sets of cards."""
    if in_suit:
        return tops >> U4
    # A nibble holds C D H S. One bit a rank says "a red top" (at D) or "a black top" (at C).
    reds, blacks = tops & RED, tops & BLACK
    red = (reds | reds >> U1) & DIAMONDS
    black = (blacks | blacks >> U3) & CLUBS
    return (red >> U1 | red << U2 | black << U1 | black << U2) >> U4


@inlined
def capacity(free, empties):
    """Cards that can move as a run with so many free cells and empty columns (the target not counted)."""
    return (free + U1) << empties


@inlined
def is_safe(card, next_cards, in_suit):
    """Whether a next card may go home at once: no solution is lost by it."""
    return in_suit or (next_cards & BLOCKERS[card, 0]) == U0 or (next_cards & BLOCKERS[card, 1]) == U0


@inlined
def safe_home(playable, next_cards, in_suit):
    """The next card among `playable` that may go home at once; 64 where there is none."""
    candidates = playable & next_cards
    while candidates:
        card = lowest(candidates)
        if is_safe(card, next_cards, in_suit):
            return card
        candidates &= candidates - U1
    return NO_CARD


@inlined
def after_home(next_cards, bit):
    """The next cards after one of them has gone home."""
    return next_cards ^ bit ^ ((bit << U4) & ALL)


@inlined
def tops_of(position):
    """The set of the top cards."""
    tops = U0
    for column in range(COLUMNS):
        tops |= top_of(run_of(position[column]))
    return tops


@inlined
def autoplay(position, under, in_suit):
    """Send home what is safe, until nothing more is; the top cards afterwards."""
    next_cards = position[HOME_WORD] & ALL
    tops = tops_of(position)
    card = safe_home(tops | position[CELL_WORD], next_cards, in_suit)
    while card < NO_CARD:
        bit = U1 << card
        position[HOME_WORD] = (position[HOME_WORD] ^ next_cards) | after_home(next_cards, bit)
        next_cards = after_home(next_cards, bit)
        if position[CELL_WORD] & bit:
            position[CELL_WORD] ^= bit
        else:
            for column in range(COLUMNS):
                if top_of(run_of(position[column])) == bit:
                    position[column] = without(position[column], bit, under)
                    tops ^= bit | top_of(run_of(position[column]))
        card = safe_home(tops | position[CELL_WORD], next_cards, in_suit)
    return tops


@inlined
def move_word(head, source, target):
    """A move as one word."""
    return (head << U8) | (source << U4) | target


@inlined
def make_move(position, move, under):
    """Make a move that is legal."""
    head, source, target = move >> U8, (move >> U4) & U15, move & U15
    bit = U1 << head
    segment = bit
    if source == TO_CELL:
        position[CELL_WORD] ^= bit
    else:
        word = position[source]
        segment = run_of(word) & ((bit << U1) - U1)
        position[source] = without(word, segment, under)
    if target < COLUMNS:
        position[target] |= segment
    elif target == TO_CELL:
        position[CELL_WORD] |= segment
    else:
        next_cards = position[HOME_WORD] & ALL
        position[HOME_WORD] = (position[HOME_WORD] ^ next_cards) | after_home(next_cards, bit)
    if position[HOME_WORD] < DEEPEST:
        position[HOME_WORD] += DEPTH_ONE
