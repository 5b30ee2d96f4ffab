"""The linear evaluation: how far a position is from being won; lower is nearer.

One table of weights with a name each; a point is a sixteenth. What concerns the dealt prefix of a column is summed up
once a deal in `Worths`; a child is valued by what its move changes, before it is made.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import inlined, lowest, popcount
from kernels.position import CELLS, COLUMNS, HOME, PLACE, PLACES, run_of

_0 = np.uint64(0)
_1 = np.uint64(1)
_3 = np.uint64(3)
_4 = np.uint64(4)


class Weights(NamedTuple):
    """Points of the evaluation, in sixteenths. Costs and bonuses are both positive numbers."""

    home: int  # bonus: a card on its foundation
    joint: int  # a card on one that it doesn't fit on
    first_joint: int  # more for the lowest joint of a column
    king_joint: int  # more for a king that lies on a card
    own_below: int  # a card that lies on a lower one of its suit
    any_below: int  # a card of a prefix that lies on a lower one
    dig: int  # each card above a next card
    dig_second: int  # each card above a card that comes after a next card
    cell_1: int  # the first card on a cell
    cell_2: int
    cell_3: int
    cell_4: int  # the fourth and any later one
    empty: int  # bonus: an empty column
    depth: int  # a move made
    spread: int  # a rank between the foundations that are furthest apart
    uncovers_fitting: int  # bonus: the card that a move uncovers fits on a top
    uncovers_run: int  # bonus: the head of the run that a move uncovers fits on a top
    uncovers_next: int  # bonus: the card that a move uncovers goes home next
    gap: int  # share, in 64ths, of what each move on the path was estimated worse than its best sibling


QUICK = Weights(
    home=336, joint=416, first_joint=60, king_joint=60, own_below=80, any_below=30, dig=80, dig_second=20,
    cell_1=400, cell_2=420, cell_3=520, cell_4=800, empty=688, depth=4, spread=30,
    uncovers_fitting=288, uncovers_run=176, uncovers_next=192, gap=16,
)  # fmt: skip

THOROUGH = QUICK._replace(home=128)


class Worths(NamedTuple):
    """What is known of each prefix of a deal, by place.

    Attributes
    ----------
    points : (64,) int64
        All terms that depend on the prefix alone.
    covered_own : (64,) uint64
        The cards that would lie on a lower card of their suit, if they lay on this prefix.
    loose : (64,) uint64
        Number of prefix cards above its longest sorted part: each card no higher than the one beneath.
    floor : (64,) uint64
        Rank of the uppermost card; a run is sorted in too where its head is no higher and nothing is loose.
    """

    points: np.ndarray
    covered_own: np.ndarray
    loose: np.ndarray
    floor: np.ndarray


def empty_worths() -> Worths:
    """Room for one deal."""
    return Worths(
        np.zeros(PLACES, np.int64),
        np.zeros(PLACES, np.uint64),
        np.zeros(PLACES, np.uint64),
        np.full(PLACES, 12, np.uint64),
    )


@inlined
def higher_of_suit(card):
    """The cards of a card's suit above it."""
    return ((np.uint64(0x1111111111111) << (card & _3)) & ALL) & ~((_1 << (card + _1)) - _1)


@inlined
def appraise(board, accepts, weights, worths):
    """Fill the worths of a deal's prefixes."""
    for column in range(COLUMNS):
        points = np.int64(0)
        covered = _0
        lowest_rank = np.uint64(13)
        below = _0
        loose = _0
        joints = np.int64(0)
        count = _0
        for index in range(column, np.uint64(52), COLUMNS):
            card = np.uint64(board[index])
            rank = card >> np.uint64(2)
            if count > _0:
                place = (column << _3) | count
                if accepts[card] & (_1 << below) == _0:
                    # The joint between prefix and run stays as long as the prefix does.
                    points += weights.joint + (weights.first_joint if joints == 0 else 0)
                    joints += 1
                    if rank == np.uint64(12):
                        points += weights.king_joint
                worths.points[place] = points
                worths.covered_own[place] = covered
                worths.loose[place] = loose
                worths.floor[place] = below >> np.uint64(2)
                if rank > lowest_rank:
                    points += weights.any_below
                if loose > _0 or rank > (below >> np.uint64(2)):
                    loose += _1
            if covered & (_1 << card):
                points += weights.own_below
            covered |= higher_of_suit(card)
            lowest_rank = min(lowest_rank, rank)
            below = card
            count += _1


@inlined
def column_points(word, worths, weights):
    """The terms that depend on one column alone."""
    place = word >> PLACE
    return worths.points[place] + weights.own_below * np.int64(popcount(run_of(word) & worths.covered_own[place]))


@inlined
def cells_points(count, weights):
    """The term of the cards on cells."""
    points = np.int64(0)
    if count > 0:
        points += weights.cell_1
    if count > 1:
        points += weights.cell_2
    if count > 2:
        points += weights.cell_3
    if count > 3:
        points += weights.cell_4 * (count - 3)
    return points


@inlined
def cards_above(word, wanted, prefixes):
    """For each card of `wanted` that lies in this column the number of cards above it, added up."""
    run, place = run_of(word), word >> PLACE
    total = _0
    buried = prefixes.cards[place] & wanted
    if buried:
        height = (place & np.uint64(7)) + popcount(run) - _1
        while buried:
            total += height - prefixes.row[lowest(buried)]
            buried &= buried - _1
    buried = run & wanted
    while buried:
        total += popcount(run & ((buried & (~buried + _1)) - _1))
        buried &= buried - _1
    return np.int64(total)


@inlined
def spread_of(next_cards):
    """Ranks between the next cards furthest apart, a complete suit left out."""
    if next_cards == _0:
        return np.int64(0)
    high = np.uint64(0)
    low = lowest(next_cards) >> np.uint64(2)
    rest = next_cards
    while rest:
        high = lowest(rest) >> np.uint64(2)
        rest &= rest - _1
    return np.int64(high - low)


@inlined
def value_of(position, prefixes, worths, weights):
    """Value of a position: all terms."""
    next_cards = position[HOME] & ALL
    second = (next_cards << _4) & ALL
    points = weights.spread * spread_of(next_cards)
    points += weights.depth * np.int64(position[HOME] >> PLACE)
    points += cells_points(np.int64(popcount(position[CELLS])), weights)
    left = popcount(position[CELLS])
    for column in range(COLUMNS):
        word = position[column]
        if word == _0:
            points -= weights.empty
        else:
            left += popcount(run_of(word)) + popcount(prefixes.cards[word >> PLACE])
            points += column_points(word, worths, weights)
            points += weights.dig * cards_above(word, next_cards, prefixes)
            points += weights.dig_second * cards_above(word, second, prefixes)
    return points + weights.home * np.int64(left)


@inlined
def loose_cards(word, worths):
    """Number of cards of a column above its longest sorted part."""
    run, place = run_of(word), word >> PLACE
    loose = worths.loose[place]
    if loose > _0 or (run >> (_4 * (worths.floor[place] + _1))) != _0:
        return loose + popcount(run)
    return _0


@inlined
def is_certain_win(position, free, worths):
    """Whether free cells and empty columns take all cards above the sorted parts: then everything goes home."""
    loose = _0
    room = free
    for column in range(COLUMNS):
        word = position[column]
        if word == _0:
            room += _1
        else:
            loose += loose_cards(word, worths)
    return loose <= room
