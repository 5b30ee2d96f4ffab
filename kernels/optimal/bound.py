"""A lower bound on the moves to a won position: one for each card that is not home, and one for each card in the way.

A card that lies in a column must leave it before the cards beneath it can go home. Suppose that it makes one move only,
the one home: then it is home before all that lie beneath it are. In each suit, lower cards are home before higher
ones. Where these demands form a circle, one of the cards in it that lie above others has to make a further move (Paul &
Helmert, SoCS 2016). The bound counts the cards not home, and the fewest cards that break all circles.

To find the fewest, send the cards home in some order. A card that still lies above one that goes home was in the way.
Which cards were, depends only on which are home, not on the order; so what counts is the cheapest way through the sets
of cards that can be home at a time. A card with nothing left above it goes home at no cost, and doing so at once is
never worse; where one of two cards lies above the other, to free the upper one first is never worse either.

A card above a lower one of its own suit is in the way in any order; such cards are called doomed, and leave the rest of
the problem small. A move of one card changes the fewest by one at most, and a move home doesn't change it.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL, CARDS, CLUBS
from kernels.jit import highest, inlined, lowest, popcount
from kernels.layout import Layout
from kernels.proof.planes import home_cards
from kernels.words import U0, U1, U2, U3, U4, U8, U15, U16, U32

MOST_WAITING = 256
"""Four ways at each of 52 steps, at most."""

SEEN_BITS = 9
NOWHERE = np.uint64(63)

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_TO_PLACE = np.uint64(64 - SEEN_BITS)


class Dealt(NamedTuple):
    """What the bound has to know about a layout.

    Attributes
    ----------
    beneath : (64,) uint64
        By card, the set of cards beneath it.
    bottom : (64,) uint64
        By card, the lowest card of its column.
    lower, higher : (64,) uint64
        By card, the card of lower suit that it fits on, and the one of higher suit; in Baker's Game both are the same.
    """

    beneath: np.ndarray
    bottom: np.ndarray
    lower: np.ndarray
    higher: np.ndarray


class Sight(NamedTuple):
    """The columns of one position, as the bound sees them.

    Attributes
    ----------
    beneath : (64,) uint64
        By card in a column, the set of cards beneath it.
    column : (64,) uint64
        By card, the lowest card of its column; 63 where it is in a cell.
    cards : (64,) uint64
        By lowest card, the set of cards in its column.
    waiting : (256, 3) uint64
        Scratch of `within`: cards home, cards out of the way, how many more may be in the way.
    seen : (512, 2) uint64
        Scratch of `within`: sets of cards home that were looked at, and a stamp of the call with how many more might be
        in the way then. Another set may take the place of one.
    stamp : (1,) uint64
        Number of the call.
    """

    beneath: np.ndarray
    column: np.ndarray
    cards: np.ndarray
    waiting: np.ndarray
    seen: np.ndarray
    stamp: np.ndarray


def dealt(layout: Layout, accepts: np.ndarray) -> Dealt:
    """What the bound has to know about a layout.

    Parameters
    ----------
    layout : Layout
    accepts : (64,) uint64
        By card, the set of cards that it fits on.
    """
    beneath, bottom, lower, higher = np.zeros((4, 64), np.uint64)
    for column in layout.columns:
        for height, card in enumerate(column):
            beneath[card] = sum(1 << other for other in column[:height])
            bottom[card] = column[0]
    for card in range(CARDS):
        fitting = [other for other in range(CARDS) if int(accepts[card]) >> other & 1]
        lower[card], higher[card] = (fitting[0], fitting[-1]) if fitting else (0, 0)
    return Dealt(beneath, bottom, lower, higher)


def new_sight() -> Sight:
    """Room for what is seen at one position."""
    return Sight(
        *np.zeros((3, 64), np.uint64),
        np.zeros((MOST_WAITING, 3), np.uint64),
        np.zeros((1 << SEEN_BITS, 2), np.uint64),
        np.zeros(1, np.uint64),
    )


@inlined
def look(a, b, c, deal, sight):
    """See the columns of a position; the doomed cards."""
    bottoms = b & ~a & ~c
    while bottoms:
        card = lowest(bottoms)
        bottoms &= bottoms - U1
        sight.beneath[card], sight.column[card], sight.cards[card] = U0, card, U1 << card
    going = a & ~b & ~c
    while going:
        sight.column[lowest(going)] = NOWHERE
        going &= going - U1
    doomed, going = U0, c | (a & b)
    while going:
        card = highest(going)
        bit = U1 << card
        going ^= bit
        if c & bit:
            on = deal.higher[card] if a & bit else deal.lower[card]
            beneath, column = sight.beneath[on] | (U1 << on), sight.column[on]
        else:
            beneath, column = deal.beneath[card], deal.bottom[card]
        sight.beneath[card], sight.column[card] = beneath, column
        sight.cards[column] |= bit
        if beneath & own_lower(card):
            doomed |= bit
    return doomed


@inlined
def own_lower(card):
    """The lower cards of a card's suit."""
    return (CLUBS << (card & U3)) & ((U1 << card) - U1)


@inlined
def above(card, sight):
    """The cards above a card."""
    column = sight.column[card]
    return U0 if column == NOWHERE else sight.cards[column] & ~sight.beneath[card] & ~(U1 << card)


@inlined
def within(home, gone, most, sight):
    """Whether all cards can go home with at most so many in the way, besides those that are `gone` already.

    Parameters
    ----------
    home : uint64
        The cards that are home.
    gone : uint64
        Cards that are counted, or ignored: the doomed ones, and perhaps another.
    most : uint64
        Up to 255.
    """
    waiting, seen = sight.waiting, sight.seen
    sight.stamp[U0] += U1
    stamp = sight.stamp[U0] << U8
    waiting[U0, U0], waiting[U0, U1], waiting[U0, U2] = home, gone | home, most
    count = U1
    while count > U0:
        count -= U1
        home, gone, ways = all_free_home(waiting[count, U0], waiting[count, U1], sight)
        most = waiting[count, U2]
        if home == ALL:
            return True
        place = (home * _FACTOR) >> _TO_PLACE
        if most == U0 or (seen[place, U0] == home and seen[place, U1] >= (stamp | most)):
            continue
        seen[place, U0], seen[place, U1] = home, stamp | most
        going = ways
        while going:
            card = lowest(going)
            going &= going - U1
            blocking = above(card, sight) & ~gone
            cost = popcount(blocking)
            if cost <= most and blocking & ways == U0:
                waiting[count, U0], waiting[count, U1] = home | (U1 << card), gone | (U1 << card) | blocking
                waiting[count, U2] = most - cost
                count += U1
    return False


@inlined
def all_free_home(home, gone, sight):
    """Send home all cards that nothing lies above; what is home then, what is gone, and the next cards, all covered."""
    while True:
        before = home
        covered = U0
        going = ((home << U4) | U15) & ~home & ALL
        while going:
            card = lowest(going)
            bit = U1 << card
            going ^= bit
            if above(card, sight) & ~gone == U0:
                home |= bit
                gone |= bit
            else:
                covered |= bit
        if home == before:
            return home, gone, covered


@inlined
def waits_for_itself(card, beneath, doomed, columns, sight):
    """Whether a card is in a circle if it lies above some cards: only then may it matter that it does.

    Parameters
    ----------
    card : uint64
    beneath : uint64
        The cards that it lies above; they have to wait for it.
    doomed : uint64
        Cards that move once more, so that none waits for them.
    columns : uint64
        The cards in columns.
    """
    bit = U1 << card
    reached, done = beneath, doomed
    while True:
        reached |= (reached << U4) & ALL
        reached |= (reached << U8) & ALL
        reached |= (reached << U16) & ALL
        reached |= (reached << U32) & ALL
        if reached & bit:
            return True
        going = reached & columns & ~done
        if going == U0:
            return False
        done |= going
        while going:
            reached |= sight.beneath[lowest(going)]
            going &= going - U1


@inlined
def cards_in_the_way(a, b, c, least, deal, sight):
    """The fewest cards in the way in a position, where there are known to be at least so many."""
    doomed = look(a, b, c, deal, sight)
    count = popcount(doomed)
    most = U0 if least <= count else least - count
    while not within(home_cards(a, b, c), doomed, most, sight):
        most += U1
    return count + most


@inlined
def at_most_with(home, doomed, card, beneath, column, columns, most, sight):
    """Whether at most so many cards are in the way once a card that can be moved has been put down in a column.

    Parameters
    ----------
    home, doomed : uint64
        The cards home, and the doomed cards before the move.
    card : uint64
    beneath : uint64
        The cards beneath it then.
    column : uint64
        The lowest card of that column.
    columns : uint64
        The cards in columns before the move.
    most : uint64
        One less than before the move, or as many; in the first case the card is in the way where it lies before it.
    """
    if not waits_for_itself(card, beneath, doomed, columns, sight):
        return True
    bit = U1 << card
    doomed &= ~bit
    if beneath & own_lower(card):
        doomed |= bit
    count = popcount(doomed)
    if count > most:
        return False
    if doomed & bit:
        return within(home, doomed, most - count, sight)
    before, under = sight.column[card], sight.beneath[card]
    sight.cards[before] &= ~bit
    sight.cards[column] |= bit
    sight.column[card], sight.beneath[card] = column, beneath
    answer = within(home, doomed, most - count, sight)
    sight.cards[column] &= ~bit
    if before != NOWHERE:
        sight.cards[before] |= bit
    sight.column[card], sight.beneath[card] = before, under
    return answer
