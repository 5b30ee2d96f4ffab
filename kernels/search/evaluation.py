"""The linear evaluation: how far a position is from being won; lower is nearer.

One table of weights with a name each; 32 points are one bucket of the queue. What concerns the dealt prefix of a
column is summed up once a deal in `Worths`; a child is valued by what its move changes, before it is made.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import highest, inlined, lowest, popcount
from kernels.search.moves import placeable
from kernels.search.position import CELL_WORD, COLUMNS, HOME_WORD, PLACE, PLACES, Prefixes, run_of, top_of
from kernels.words import U0, U1, U2, U3, U4, U7, U12, U13, U52


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


class Worths(NamedTuple):
    """What is known of each prefix of a deal, by place.

    Attributes
    ----------
    points : (64,) int64
        All terms that depend on the prefix alone.
    pressure : (64,) int64
        Points of each card that lies on this prefix, for the low cards in it.
    bared : (64,) int64
        What the terms of the column change when the last card above this prefix leaves it.
    bare_top, bare_head : (64,) uint64
        Its top card, and the head of the run that the top card belongs to, as sets of one.
    loose : (64,) uint64
        Number of prefix cards above its longest sorted part: each card no higher than the one beneath.
    floor : (64,) uint64
        Rank of the uppermost card; a run is sorted in too where its head is no higher and nothing is loose.
    """

    points: np.ndarray
    pressure: np.ndarray
    bared: np.ndarray
    bare_top: np.ndarray
    bare_head: np.ndarray
    loose: np.ndarray
    floor: np.ndarray


def empty_worths() -> Worths:
    """Room for one deal."""
    return Worths(
        np.zeros(PLACES, np.int64),
        np.zeros(PLACES, np.int64),
        np.zeros(PLACES, np.int64),
        np.zeros(PLACES, np.uint64),
        np.zeros(PLACES, np.uint64),
        np.zeros(PLACES, np.uint64),
        np.full(PLACES, 12, np.uint64),
    )


class Appraisal(NamedTuple):
    """A deal as one evaluation sees it: fixed for a whole search.

    Attributes
    ----------
    accepts : (64,) uint64
        By card, the cards that it fits on.
    prefixes : Prefixes
    worths : Worths
    weights : Weights
    limit : int64
        A move that is estimated to change more is left out.
    """

    accepts: np.ndarray
    prefixes: Prefixes
    worths: Worths
    weights: Weights
    limit: int


@inlined
def joint_points(rank, below_rank, is_first, weights):
    """Points of a card that lies on one that it doesn't fit on."""
    points = weights.joint + (weights.first_joint if is_first else 0)
    if rank == U12:
        points += weights.king_joint
    if rank < below_rank:
        points -= weights.sorted_joint
    return points


@inlined
def low_points(rank, weights):
    """Points of each card that lies above a low card in its column."""
    if rank == U0:
        return weights.on_ace
    if rank == U1:
        return weights.on_two
    if rank == U2:
        return weights.on_three
    return weights.on_four if rank == U3 else 0


@inlined
def column_points(word, worths, weights):
    """The terms that depend on one column alone."""
    place = word >> PLACE
    return worths.points[place] + worths.pressure[place] * np.int64(popcount(run_of(word)))


@inlined
def appraise(board, deal):
    """Fill the worths of a deal's prefixes."""
    prefixes, worths, weights = deal.prefixes, deal.worths, deal.weights
    for column in range(COLUMNS):
        points = np.int64(0)
        pressure = np.int64(0)
        lowest_rank = U13
        below = U0
        loose = U0
        is_first = True
        count = U0
        for index in range(column, U52, COLUMNS):
            card = np.uint64(board[index])
            rank = card >> U2
            if count > U0:
                place = (column << U3) | count
                if deal.accepts[card] & (U1 << below) == U0:
                    # The joint between prefix and run stays as long as the prefix does.
                    points += joint_points(rank, below >> U2, is_first, weights)
                    is_first = False
                worths.points[place] = points
                worths.pressure[place] = pressure
                bare = prefixes.under[place]
                worths.bared[place] = column_points(bare, worths, weights) - points
                worths.bare_top[place] = top_of(run_of(bare))
                worths.bare_head[place] = U1 << highest(run_of(bare))
                worths.loose[place] = loose
                worths.floor[place] = below >> U2
                if rank > lowest_rank:
                    points += weights.any_below
                if loose > U0 or rank > (below >> U2):
                    loose += U1
            points += pressure
            pressure += low_points(rank, weights)
            lowest_rank = min(lowest_rank, rank)
            below = card
            count += U1


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
def rows_under(cards, row):
    """For each of a set of cards the number of cards dealt under it, added up."""
    total = U0
    while cards:
        total += row[lowest(cards)]
        cards &= cards - U1
    return total


@inlined
def cards_above(run, card):
    """Number of cards of a run above one of its cards, given as a set of one."""
    return popcount(run & (card - U1))


class View(NamedTuple):
    """What one look at a position tells.

    Attributes
    ----------
    tops, spots, next_cards : uint64
        The top cards, the cards that fit on one of them, and the next card of each suit.
    free, empties : uint64
        Number of free cells and of empty columns.
    empty : uint64
        An empty column, if there is one.
    """

    tops: int
    spots: int
    next_cards: int
    free: int
    empties: int
    empty: int


@inlined
def look_at(position, tops, rules):
    """Look at a position whose top cards are known."""
    empties, empty = U0, U0
    for column in range(COLUMNS):
        if position[column] == U0:
            empties += U1
            empty = column
    free = np.uint64(rules.cells) - popcount(position[CELL_WORD])
    return View(tops, placeable(tops, rules.in_suit), position[HOME_WORD] & ALL, free, empties, empty)


@inlined
def value_of(position, seen, deal):
    """Value of a position: all terms."""
    weights, next_cards = deal.weights, seen.next_cards
    left = popcount(position[CELL_WORD])
    points = cells_points(np.int64(left), weights)
    points += weights.depth * np.int64(position[HOME_WORD] >> PLACE)
    points += empties_points(np.int64(seen.empties), weights)
    buried = U0
    dig = U0
    for column in range(COLUMNS):
        word = position[column]
        run, place = run_of(word), word >> PLACE
        size = popcount(run)
        below = place & U7
        left += size + below
        points += column_points(word, deal.worths, weights)
        prefix = deal.prefixes.cards[place]
        dig += popcount(prefix & next_cards) * (size + below - U1)
        buried |= prefix
        hidden = run & next_cards
        if hidden:
            dig += cards_above(run, hidden & (~hidden + U1))
        if place == U0 and run:
            points += weights.low_base * np.int64(U12 - (highest(run) >> U2))
    dig -= rows_under(buried & next_cards, deal.prefixes.row)
    return points + weights.dig * np.int64(dig) + weights.home * np.int64(left)


@inlined
def is_certain_win(position, free, worths):
    """Whether free cells and empty columns take all cards above the sorted parts: then everything goes home."""
    loose = U0
    room = free
    for column in range(COLUMNS):
        word = position[column]
        run, place = run_of(word), word >> PLACE
        above = worths.loose[place] + popcount(run)
        # The run is sorted in where nothing is loose beneath and its head is no higher than the card it lies on.
        higher = run >> (U4 * (worths.floor[place] + U1))
        loose += above if worths.loose[place] | higher else U0
        room += U1 if word == U0 else U0
    return loose <= room
