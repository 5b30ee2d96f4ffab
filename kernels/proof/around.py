"""The positions that one move leads to, but for those that are found in another way.

Two moves of different cards often lead to the same position in either order, so most positions would be found several
times. Let the position q be one move of a card Y from p, and let p have been found from r by a move of a card X.
The move of Y is left out where

* Y is X: one move from r leads to q, or q is r;
* Y has a lower number than X, and from r the two moves could be made in the other order: Y, then X.

Nothing is lost by it, in whatever order positions are looked around from. Say that q is *reached* where it is found by
the time that all positions found have been looked around from. If the move of Y from p is made, q is reached. If it is
left out, then by the first rule q is r, or a move of the same card from r leads to it; and r was found before p.
By the second rule, the move of Y from r leads to a position s, and the move of X from s to q. Since r was found before
p and X has a higher number than Y, both moves may be taken as proved: the proof goes by the card, from the highest
number down, and for one card by when the position was found.

With safe autoplay, the moves from r and s have to be made in that walk: neither may have a safe move home.
So the second rule only holds there where r had none, Y doesn't go home, and no next card lies under Y.

A move is one word, which is kept with the position that it led to:

      63      11  10     9    8    6 5       0
     +----------+------+-----+------+---------+
     |    0     |forced|known|source|  card   |      source: the card's code before the move
     +----------+------+-----+------+---------+
"""

import numpy as np

from kernels.cards import ALL
from kernels.jit import inlined, lowest, popcount
from kernels.proof.planes import (
    AT_BOTTOM,
    HOME,
    IN_CELL,
    ON_HIGHER_SUIT,
    ON_JOINT,
    ON_LOWER_SUIT,
    covered_cards,
    fitting_high,
    fitting_low,
    home_cards,
)
from kernels.search.moves import NO_CARD, safe_home
from kernels.words import U0, U1, U2, U3, U4, U6, U7, U8

MOST_CHILDREN, CHILD_WORDS = 80, 5
"""No position has more: each of 16 cards goes home, to a cell, to an empty column or onto two cards."""

CARD_BITS = np.uint64(63)
KNOWN, FORCED = np.uint64(1 << 9), np.uint64(3 << 9)
"""Marks of a move: there was one; it was a safe move home, the only move there was with autoplay."""


@inlined
def look_around(a, b, c, facts, autoplay, last, around):
    """Write the positions that one move leads to.

    Moves home come last: a walk that goes on with what it found last then wins soon where it can.
    Of several empty columns or free cells one stands for all, and a card alone in its column doesn't move to an empty
    one. With `autoplay`, a position with a safe move home has no other move. Moves that the last move makes superfluous
    are left out.

    Parameters
    ----------
    last : uint64
        The move that the position was found by, or 0 to leave out nothing.
    around : (80, 5) uint64
        Each position found: planes a, b, c; how many layers lower it lies (`layers` says what that is); and the move.

    Returns
    -------
    count : uint64
    settled : bool
        Whether no safe move home is forced.
    """
    tops = (b | c) & ~covered_cards(a, b, c, facts)
    in_cells = a & ~b & ~c
    home = home_cards(a, b, c)
    next_cards = ((home << U4) | np.uint64(15)) & ~home & ALL
    movable = tops | in_cells
    if autoplay and movable & next_cards:
        card = safe_home(movable, next_cards, facts.in_suit)
        if card != NO_CARD:
            bit = U1 << card
            put(around, U0, a, b, c, bit, HOME, FORCED)
            return U1, False
    mover = source = new_targets = sooner = U0
    if last & KNOWN:
        mover, source = U1 << (last & CARD_BITS), (last >> U6) & U7
        uncovered = facts.beneath[source, last & CARD_BITS]
        new_targets = tops & (mover | uncovered)
        if not (autoplay and last & FORCED == FORCED):
            sooner = (mover - U1) & ~uncovered  # what could move before, if its target was there
            if autoplay:
                sooner &= ~lying_on(next_cards, a, b, c, facts)
    movable &= ~mover
    count = U0
    if popcount(in_cells) < facts.cells:
        going = tops & ~mover
        if source != IN_CELL or popcount(in_cells) + U1 < facts.cells:  # a cell was free before
            going &= ~sooner
        while going:
            bit = going & (U0 - going)
            going ^= bit
            count = put(around, count, a, b, c, bit, IN_CELL, KNOWN)
    if popcount(tops) < U8:
        going = movable & ~(b & ~a)
        if source != AT_BOTTOM or popcount(tops) < U7:  # a column was empty before
            going &= ~sooner
        while going:
            bit = going & (U0 - going)
            going ^= bit
            count = put(around, count, a, b, c, bit, AT_BOTTOM, KNOWN)
    going = movable & ((fitting_low(tops, facts) & ~sooner) | fitting_low(new_targets, facts))
    while going:
        bit = going & (U0 - going)
        going ^= bit
        count = put(around, count, a, b, c, bit, ON_LOWER_SUIT, KNOWN)
    going = movable & ((fitting_high(tops, facts) & ~sooner) | fitting_high(new_targets, facts))
    while going:
        bit = going & (U0 - going)
        going ^= bit
        count = put(around, count, a, b, c, bit, ON_HIGHER_SUIT, KNOWN)
    going = movable & next_cards
    if not autoplay:
        going &= ~sooner
    while going:
        bit = going & (U0 - going)
        going ^= bit
        count = put(around, count, a, b, c, bit, HOME, KNOWN)
    return count, True


@inlined
def lying_on(cards, a, b, c, facts):
    """The cards that lie on some of at most four cards."""
    on_joints, left = U0, cards
    while left:
        on_joints |= facts.above[lowest(left)]
        left &= left - U1
    return (a & b & on_joints) | (c & ~a & fitting_low(cards, facts)) | (c & a & fitting_high(cards, facts))


@inlined
def put(around, count, a, b, c, bit, code, kind):
    """Append the position in which a card has another code; the number of positions then."""
    card = lowest(bit)
    source = ((a >> card) & U1) | (((b >> card) & U1) << U1) | (((c >> card) & U1) << U2)
    lower = U1 if source == ON_JOINT else U0
    around[count, U0] = a | bit if code & 1 else a & ~bit
    around[count, U1] = b | bit if code & 2 else b & ~bit
    around[count, U2] = c | bit if code & 4 else c & ~bit
    around[count, U3] = lower + U1 if code == HOME else lower
    around[count, U4] = card | (source << U6) | kind
    return count + U1
