"""The linear evaluation: how far a position is from being won; lower is nearer.

One table of weights with a name each; 32 points are one bucket of the queue. A child is valued by what its move
changes, before it is made. What concerns the dealt prefix of a column is summed up once a deal, one word a place:

      63        44 43        27 26         7 6     4 3     0
     +------------+------------+------------+-------+-------+
     |   points   |  pressure  |   bared    | loose | floor |      the first three signed
     +------------+------------+------------+-------+-------+

     points    all terms that depend on the prefix alone
     pressure  points of each card that lies on this prefix, for the low cards in it
     bared     what the terms of the column change when the last card above this prefix leaves it
     loose     number of prefix cards above its longest sorted part: each card no higher than the one beneath
     floor     rank of the uppermost card; a run is sorted in too where its head is no higher and nothing is loose

Weights of up to `MOST_WEIGHT` fit.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import highest, inlined, popcount
from kernels.lanes import (
    ALL_LANES,
    at_most,
    differing,
    gather,
    lanes,
    load,
    met,
    product,
    signed_shift,
    smaller,
    store,
    total,
    union,
    where,
)
from kernels.search.moves import placeable
from kernels.search.position import (
    COLUMNS,
    PLACE,
    PLACES,
    ROWS,
    Prefixes,
    dealt_row,
    head_of,
    run_of,
    top_of,
)
from kernels.words import U0, U1, U2, U3, U4, U7, U8, U12, U15, U16, U20, U32

MOST_WEIGHT = 10_000
"""Largest weight that searches are right with, of either sign."""

_POINTS_FROM, _PRESSURE_FROM, _BARED_FROM = (np.uint64(bit) for bit in (44, 27, 7))
_BYTE, _16_BITS, _17_BITS, _20_BITS = (np.uint64((1 << bits) - 1) for bits in (8, 16, 17, 20))


class Weights(NamedTuple):
    """Points of the evaluation: costs are added, bonuses subtracted, and tuning may turn the sign of either.

    The last two are no terms: they say which moves are looked at, and in what order.
    """

    home: int  # bonus: a card on its foundation
    joint: int  # a card on one that it doesn't fit on
    first_joint: int  # more for the lowest joint of a column
    king_joint: int  # more for a king that lies on a card
    sorted_joint: int  # less where the card is lower than the one it lies on
    on_ace: int  # each card that lies above an ace in a prefix
    on_two: int
    on_three: int
    on_four: int
    any_below: int  # a card of a prefix that lies on a lower one
    dig: int  # each card above a next card (in a run only the uppermost next card counts)
    cell_1: int  # the first card on a cell
    cell_2: int
    cell_3: int
    cell_4: int  # the fourth and any later one
    empty_1: int  # bonus: the first empty column
    empty_more: int  # bonus: any further one
    low_base: int  # each rank that the lowest card of a column without prefix is below the king
    depth: int  # a move made
    uncovers_fitting: int  # bonus: the card that a move uncovers fits on a top
    uncovers_run: int  # bonus: the head of the run that a move uncovers fits on a top
    uncovers_next: int  # bonus: the card that a move uncovers goes home next
    limit: int  # the most that a move may cost for a search in haste to look at it
    gap: int  # share, in 64ths, of what each move on the path was estimated worse than its best sibling


_POINTS = {
    # name: first, second, third
    "home": (59, 93, 120),
    "joint": (544, 569, 928),
    "first_joint": (247, 191, 383),
    "king_joint": (51, 42, 7),
    "sorted_joint": (-52, -46, -78),
    "on_ace": (18, 32, 16),
    "on_two": (10, 5, -39),
    "on_three": (0, 8, -13),
    "on_four": (8, -6, -26),
    "any_below": (36, 31, 7),
    "dig": (140, 180, 63),
    "cell_1": (465, 445, 333),
    "cell_2": (633, 577, -62),
    "cell_3": (821, 956, 1077),
    "cell_4": (1066, 1164, 1653),
    "empty_1": (569, 361, 300),
    "empty_more": (897, 1066, 1386),
    "low_base": (48, 65, 110),
    "depth": (399, 319, 500),
    "uncovers_fitting": (192, 179, 225),
    "uncovers_run": (692, 434, 1081),
    "uncovers_next": (546, 635, 576),
    "limit": (128, 168, 360),
    "gap": (175, 42, 106),
}

EVALUATIONS = tuple(
    Weights(**dict(zip(_POINTS, points, strict=True))) for points in zip(*_POINTS.values(), strict=True)
)
"""Three evaluations that fail on different deals, printed by `freecell-census tune` with its defaults: each is tuned on
the deals of 3,000,001 .. 3,120,000 that the ones before it leave over, the first for hasty attempts, the others for
brisk ones."""


def empty_worths() -> np.ndarray:
    """Room for what is known of the prefixes of one deal, by place."""
    return np.zeros(PLACES, np.uint64)


class Appraisal(NamedTuple):
    """A deal as one evaluation sees it: fixed for a whole search.

    Attributes
    ----------
    accepts : (64,) uint64
        By card, the cards that it fits on.
    prefixes : Prefixes
    worths : (64,) uint64
        By place, as drawn above.
    weights : Weights
    limit : int64
        A move that is estimated to change more is left out.
    """

    accepts: np.ndarray
    prefixes: Prefixes
    worths: np.ndarray
    weights: Weights
    limit: int


@inlined
def worth_of(points, pressure, bared, loose, floor):
    """What is known of a place as one word; of lanes or of words."""
    signed = points << _POINTS_FROM | (pressure & _17_BITS) << _PRESSURE_FROM | (bared & _20_BITS) << _BARED_FROM
    return signed | loose << U4 | floor


@inlined
def points_in(worth):
    """Points of the places of eight columns."""
    return signed_shift(worth, _POINTS_FROM)


@inlined
def pressure_in(worth):
    """Pressure in eight columns."""
    return signed_shift(worth << U20, np.uint64(47))


@inlined
def bared_in(worth):
    """What it changes to bare the prefixes of eight columns."""
    return signed_shift(worth << np.uint64(37), _POINTS_FROM)


@inlined
def loose_in(worth):
    """Loose cards in the prefixes of eight columns."""
    return worth >> U4 & U7


@inlined
def column_points(worth, size):
    """The terms that depend on one column alone, which has a run of `size` cards on a prefix."""
    return points_in(worth) + product(pressure_in(worth), size)


@inlined
def joint_points(rank, below_rank, is_first, weights):
    """Points of eight cards that lie on ones that they don't fit on."""
    points = where(is_first, weights.joint + weights.first_joint, weights.joint)
    points += where(at_most(U12, rank), weights.king_joint, 0)
    return points - where(at_most(below_rank, rank), 0, weights.sorted_joint)


@inlined
def low_points(rank, weights):
    """Points of each card that lies above a low card in its column."""
    points = where(at_most(rank, U3), weights.on_four, 0)
    points = where(at_most(rank, U2), weights.on_three, points)
    points = where(at_most(rank, U1), weights.on_two, points)
    return where(at_most(rank, U0), weights.on_ace, points)


@inlined
def appraise(board, deal):
    """Fill the worths of a deal that is laid out: row after row, all columns at once."""
    prefixes, worths, weights = deal.prefixes, deal.worths, deal.weights
    worths[0] = worth_of(U0, U0, np.uint64(-weights.empty_more), U0, U12)
    _, card = dealt_row(board, U0)
    beneath = U1 << card
    below = least_rank = card >> U2
    points = loose = beneath ^ beneath
    pressure = low_points(below, weights)
    unbroken = ALL_LANES
    for row in range(U1, ROWS):
        _, card = dealt_row(board, row)
        rank = card >> U2
        # The joint between prefix and run stays as long as the prefix does.
        fitting = met(gather(deal.accepts, card), beneath)
        points += where(fitting, 0, joint_points(rank, below, unbroken, weights))
        unbroken &= fitting
        bare = load(prefixes.under, row * COLUMNS)
        bared = column_points(gather(worths, bare >> PLACE), popcount(run_of(bare))) - points
        store(worths, row * COLUMNS, worth_of(points, pressure, bared, loose, below))
        loose += where(differing(loose, U0) | ~at_most(rank, below), 1, 0)
        points += where(at_most(rank, least_rank), 0, weights.any_below) + pressure
        pressure += low_points(rank, weights)
        least_rank = smaller(least_rank, rank)
        beneath, below = U1 << card, rank


@inlined
def empties_points(count, weights):
    """The term of the empty columns: a bonus."""
    points = np.int64(0)
    if count > 0:
        points -= weights.empty_1 + weights.empty_more * (count - 1)
    return points


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
def rows_under(cards, rows):
    """For each of a set of cards the number of cards dealt under it, added up."""
    return popcount(cards & rows[0]) + (popcount(cards & rows[1]) << U1) + (popcount(cards & rows[2]) << U2)


class View(NamedTuple):
    """What one look at a position tells.

    Attributes
    ----------
    run, size, place, worth, prefix, bared : Lanes
        By column: its run, the number of cards in that, its place, what is known of the place, the set of the cards in
        the prefix, and the run that shows when the present one has left it.
    tops, spots, next_cards : uint64
        The top cards, the cards that fit on one of them, and the next card of each suit.
    filled : uint64
        The columns that aren't empty, as a set of lanes.
    free, empties : uint64
        Number of free cells and of empty columns.
    """

    run: lanes
    size: lanes
    place: lanes
    worth: lanes
    prefix: lanes
    bared: lanes
    tops: int
    spots: int
    next_cards: int
    filled: int
    free: int
    empties: int


@inlined
def look_at(position, rules, deal):
    """Look at a position."""
    run, place = run_of(position.columns), position.columns >> PLACE
    filled = differing(run, U0)
    return View(
        run,
        popcount(run),
        place,
        gather(deal.worths, place),
        gather(deal.prefixes.cards, place),
        run_of(gather(deal.prefixes.under, place)),
        position.tops,
        placeable(position.tops, rules.in_suit),
        position.home & ALL,
        filled,
        np.uint64(rules.cells) - popcount(position.cells),
        U8 - popcount(filled),
    )


@inlined
def ranks_below_king(cards):
    """Ranks that cards are below the king."""
    return U12 - (cards >> U2)


@inlined
def value_of(position, seen, deal):
    """Value of a position: all terms."""
    weights, next_cards = deal.weights, seen.next_cards
    buried, shown = seen.prefix & next_cards, seen.run & next_cards
    height = (seen.place >> U3) + seen.size
    # Cards above each next card. Of one in a prefix its whole column is counted; the card itself and the rows under
    # it are taken off at the end.
    above = popcount(seen.run & (top_of(shown) - U1))
    dig = product(popcount(buried), height) + where(differing(shown, U0), above, U0)
    on_table = seen.filled & ~differing(seen.place, U0)
    bases = where(on_table, ranks_below_king(highest(seen.run)), U0)
    # Four sums in one: points above bit 32, and three that stay below 2^16, 2^8 and 2^8.
    sums = total((column_points(seen.worth, seen.size) << U32) + (dig << U16) + (bases << U8) + height)
    beneath = rows_under(union(buried), deal.prefixes.rows) + popcount(union(buried))
    digs = np.int64(sums >> U16 & _16_BITS) - np.int64(beneath)
    on_cells = np.int64(popcount(position.cells))
    points = np.int64(sums) >> 32
    points += weights.low_base * np.int64(sums >> U8 & _BYTE)
    points += weights.home * (np.int64(sums & _BYTE) + on_cells)
    points += weights.dig * digs
    points += weights.depth * np.int64(position.home >> PLACE)
    return points + cells_points(on_cells, weights) + empties_points(np.int64(seen.empties), weights)


@inlined
def is_certain_win(seen):
    """Whether free cells and empty columns take all cards above the sorted parts: then everything goes home."""
    loose, floor = loose_in(seen.worth), seen.worth & U15
    # The run is sorted in where nothing is loose beneath and its head is no higher than the card it lies on.
    higher = seen.run >> ((floor + U1) << U2)
    return total(where(differing(loose | higher, U0), loose + seen.size, U0)) <= seen.free + seen.empties


@inlined
def burden(seen, run, deal):
    """What each card costs that lies on these runs and their prefixes, for the low cards and the next ones there."""
    below = popcount((seen.prefix | run) & seen.next_cards)
    return pressure_in(seen.worth) + product(below, deal.weights.dig)


@inlined
def uncovering(run, seen, weights):
    """Bonus where the tops of these runs, and the runs as a whole, become free to move."""
    top, head = top_of(run), head_of(run)
    bonus = where(met(top, seen.spots), weights.uncovers_fitting, 0)
    bonus += where(met(head, seen.spots), weights.uncovers_run, 0)
    return bonus + where(met(top, seen.next_cards), weights.uncovers_next, 0)


@inlined
def leaving(seen, rest, size, deal):
    """What changes in each column where `size` cards leave it and `rest` of its run stays."""
    bare = ~differing(rest, U0)
    change = where(bare, bared_in(seen.worth), U0) - product(burden(seen, rest, deal), size)
    shown = where(bare, seen.bared, rest)
    return change - uncovering(shown, seen, deal.weights)
