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
from kernels.lanes import gather, met, where, word_at
from kernels.search.position import (
    COLUMNS,
    DEEPEST,
    DEPTH_ONE,
    PLACE,
    Position,
    head_of,
    run_of,
    top_of,
    with_ends,
    without,
)
from kernels.words import U0, U1, U2, U3, U4, U7, U8, U15

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
def after_home(home, cards):
    """The foundations after some next cards have gone home."""
    return home ^ cards ^ ((cards << U4) & ALL)


@inlined
def holder(columns, card):
    """The column with a card in its run, which is given as a set of one; there must be one."""
    return lowest(met(columns, card))


@inlined
def going_home(position, all_home):
    """The next cards that may go home at once: with `all_home` all that can, otherwise those that are safe."""
    next_cards = position.home & ALL
    ready = (position.tops | position.cells) & next_cards
    if all_home:
        return ready
    safe = U0
    while ready:
        card = lowest(ready)
        ready &= ready - U1
        safe |= U1 << card if is_safe(card, next_cards, False) else U0
    return safe


@inlined
def autoplay(position, under, all_home):
    """Send home what is safe, or with `all_home` all that can go, until nothing more does; the position then."""
    going = going_home(position, all_home)
    while going:
        columns, cells, home = position.columns, position.cells & ~going, after_home(position.home, going)
        leaving = top_of(run_of(columns)) & going
        columns = columns ^ leaving
        bared = met(leaving, ALL) & ~met(columns, ALL)
        columns = where(bared, gather(under, columns >> PLACE), columns)
        position = with_ends(columns, cells, home)
        going = going_home(position, all_home)
    return position


@inlined
def move_word(head, source, target):
    """A move as one word; sources and targets may be lanes."""
    return (head << U8) | (source << U4) | target


@inlined
def counted(home):
    """The foundations with one more move made."""
    return home + (DEPTH_ONE if home < DEEPEST else U0)


@inlined
def make_move(position, move, under):
    """The position after a move that is legal."""
    head, source, target = move >> U8, (move >> U4) & U15, move & U15
    columns, cells, home, tops, heads = position
    bit = U1 << head
    # Both ends are looked at as if they were columns, and what was seen is left out if they aren't: no branch.
    word, other = word_at(columns, source & U7), word_at(columns, target & U7)
    from_column, to_column = source < COLUMNS, target < COLUMNS
    segment = word & (bit | (bit - U1)) if from_column else bit
    rest = without(word, segment, under)
    top = top_of(segment)
    whole = from_column and segment == run_of(word)

    covered = top_of(run_of(other)) if to_column else U0
    tops = (tops | (top_of(run_of(rest)) if from_column else U0)) & ~(top | covered)
    tops |= top if to_column else U0
    heads = (heads & ~bit) | head_of(run_of(rest)) if whole else heads
    heads |= bit if to_column and other == U0 else U0

    columns = where(U1 << source, rest, columns)
    columns = where(U1 << target, columns | segment, columns)
    cells = (cells if from_column else cells ^ bit) | (bit if target == TO_CELL else U0)
    home = after_home(home, bit) if target == TO_FOUNDATION else home
    return Position(columns, cells, counted(home), tops, heads)
