"""The candidates of a position: its moves, each with an estimate of what it changes.

A move is estimated before it is made, by the terms that it touches: the cells and columns that it fills or empties, the
cards that it uncovers, and the burden of the cards it lies on. Moves with an estimate above a limit are left out.

What top cards and whole runs may do is found for all columns at once, one kind of move after another. A word with a
byte for each column and a bit for each kind says which of them are there, and puts them in order:

      63       56          15        8 7  5   4   3   2   1   0
     +-----------+--/ /--+------------+----+---+---+---+---+---+
     | column 7  |       |  column 1  | 0  |       column 0    |      bits 0..4: a kind of move each
     +-----------+--/ /--+------------+----+---+---+---+---+---+

Every function that adds moves takes the number of those found so far and returns the new one.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import highest, inlined, lowest, popcount
from kernels.lanes import ALL_LANES, at_most, differing, in_bytes, met, numbers, product, store, word_at
from kernels.search.evaluation import burden, cells_points, empties_points, leaving, ranks_below_king
from kernels.search.moves import TO_CELL, TO_FOUNDATION, capacity, holder, move_word
from kernels.search.position import top_of
from kernels.words import U0, U1, U3, U7

MOST_CANDIDATES = 50
"""No position has more: 16 onto tops (each takes two cards), 8 to a cell, 4 home, 14 + 8 to an empty column."""

NO_LIMIT = np.int64(1 << 40)
"""More than any move is estimated to change."""

ONTO_TOPS, TOP_TO_CELL, TOP_HOME, TOP_TO_EMPTY, RUN_TO_EMPTY = (np.uint64(kind) for kind in range(5))
"""The kinds of moves from columns, in the order in which they are added; the first stands for several moves."""


class Candidates(NamedTuple):
    """The moves of one position, and scratch for finding them.

    Attributes
    ----------
    moves : (50,) uint64
    estimates : (50,) int64
        What each move is estimated to change.
    kind_moves, kind_estimates : (40,) uint64
        The moves of eight columns and their estimates, kind after kind. Of the first kind the heads that fit on tops,
        and what it changes when the lowest of them leaves.
    runs : (8,) uint64
        By column, its run.
    burdens : (8,) uint64
        By column, what each card costs that lies on it.
    """

    moves: np.ndarray
    estimates: np.ndarray
    kind_moves: np.ndarray
    kind_estimates: np.ndarray
    runs: np.ndarray
    burdens: np.ndarray


def no_candidates() -> Candidates:
    """Room for the moves of one position."""
    return Candidates(
        np.zeros(MOST_CANDIDATES, np.uint64),
        np.zeros(MOST_CANDIDATES, np.int64),
        np.zeros(40, np.uint64),
        np.zeros(40, np.uint64),
        np.zeros(8, np.uint64),
        np.zeros(8, np.uint64),
    )


class Prices(NamedTuple):
    """What a move changes by where it comes from and where it goes, the same for all cards.

    Attributes
    ----------
    cell_taken, cell_freed, column_taken : int64
        To put a card on a cell, to take one from there, and to fill an empty column.
    """

    cell_taken: int
    cell_freed: int
    column_taken: int


@inlined
def prices_of(position, seen, weights):
    """The prices in a position."""
    taken = np.int64(popcount(position.cells))
    empties = np.int64(seen.empties)
    return Prices(
        cells_points(taken + 1, weights) - cells_points(taken, weights),
        cells_points(taken - 1, weights) - cells_points(taken, weights),
        empties_points(empties - 1, weights) - empties_points(empties, weights),
    )


@inlined
def empty_column(seen):
    """The last empty column; there must be one."""
    return highest(ALL_LANES ^ seen.filled)


@inlined
def add(found, count, estimate, move, deal):
    """Add a move, unless it is estimated to change more than the limit."""
    found.moves[count] = move
    found.estimates[count] = estimate
    return count + np.uint64(estimate <= deal.limit)


@inlined
def add_onto_tops(found, count, columns, head, size, source, change, seen, deal):
    """Add the moves of a run with that head, or of a card, onto the tops that it fits on."""
    targets = deal.accepts[head] & seen.tops
    while targets:
        target = holder(columns, top_of(targets))
        targets &= targets - U1
        there = np.int64(found.burdens[target]) * np.int64(size)
        count = add(found, count, change + there, move_word(head, source, target), deal)
    return count


@inlined
def up_to(head):
    """A head and all lower cards: of a run, what leaves it together with its head."""
    return head | (head - U1)


@inlined
def add_runs(found, count, columns, column, seen, deal):
    """Add the moves of a column's run, or of its upper part, onto tops."""
    run, heads = found.runs[column], found.kind_moves[column]
    most = capacity(seen.free, seen.empties)
    change = found.kind_estimates[column]
    while True:
        head = lowest(heads)
        size = popcount(run & up_to(U1 << head))
        if size > most:
            return count
        count = add_onto_tops(found, count, columns, head, size, column, np.int64(change), seen, deal)
        heads &= heads - U1
        if heads == U0:
            return count
        segment = seen.run & up_to(top_of(heads))
        change = word_at(leaving(seen, seen.run ^ segment, popcount(segment), deal), column)


@inlined
def note(found, kind, chosen, estimates, moves, deal):
    """Note a kind of move of a set of columns; as bytes of columns, which of them are within the limit."""
    store(found.kind_estimates, kind << U3, estimates)
    store(found.kind_moves, kind << U3, moves)
    return in_bytes(chosen & at_most(estimates, deal.limit)) << kind


@inlined
def note_kinds(found, position, prices, seen, deal):
    """Note what top cards and whole runs may do; the word that says which of these moves are there."""
    weights = deal.weights
    top = top_of(seen.run)
    rest = seen.run ^ top
    single = leaving(seen, rest, U1, deal)
    top_card, head_card = highest(top), highest(seen.run)
    fitting = seen.run & seen.spots
    ready = in_bytes(differing(fitting, U0))
    if ready | (position.cells & seen.spots):
        segment = seen.run & up_to(top_of(fitting))
        store(found.runs, U0, seen.run)
        store(found.kind_moves, U0, fitting)
        store(found.kind_estimates, U0, leaving(seen, seen.run ^ segment, popcount(segment), deal))
        store(found.burdens, U0, burden(seen, seen.run, deal))
    if seen.free > U0:
        moves = move_word(top_card, numbers(), TO_CELL)
        ready |= note(found, TOP_TO_CELL, seen.filled, single + prices.cell_taken, moves, deal)
    if seen.tops & seen.next_cards:
        moves = move_word(top_card, numbers(), TO_FOUNDATION)
        ready |= note(found, TOP_HOME, met(top, seen.next_cards), single - weights.home, moves, deal)
    if seen.empties > U0:
        empty, taken, low_base = empty_column(seen), prices.column_taken, weights.low_base
        # Parts of a run between its top card and all of it come about card by card.
        estimates = single + taken + product(ranks_below_king(top_card), low_base)
        moves = move_word(top_card, numbers(), empty)
        ready |= note(found, TOP_TO_EMPTY, differing(rest, U0), estimates, moves, deal)
        # What has no prefix stays where it is.
        movable = differing(seen.place, U0) & at_most(seen.size, capacity(seen.free, seen.empties - U1))
        estimates = leaving(seen, rest ^ rest, seen.size, deal) + taken + product(ranks_below_king(head_card), low_base)
        moves = move_word(head_card, numbers(), empty)
        ready |= note(found, RUN_TO_EMPTY, movable, estimates, moves, deal)
    return ready


@inlined
def add_from_columns(found, position, prices, seen, deal):
    """Add all moves from columns."""
    count = U0
    ready = note_kinds(found, position, prices, seen, deal)
    while ready:
        column, kind = lowest(ready) >> U3, lowest(ready) & U7
        ready &= ready - U1
        if kind == ONTO_TOPS:
            count = add_runs(found, count, position.columns, column, seen, deal)
        else:
            found.moves[count] = found.kind_moves[kind << U3 | column]
            found.estimates[count] = np.int64(found.kind_estimates[kind << U3 | column])
            count += U1
    return count


@inlined
def add_from_cell(found, count, columns, card, prices, seen, deal):
    """Add all moves of a card on a cell."""
    bit = U1 << card
    freed = prices.cell_freed
    if bit & seen.spots:
        count = add_onto_tops(found, count, columns, card, U1, TO_CELL, freed, seen, deal)
    if bit & seen.next_cards:
        count = add(found, count, freed - deal.weights.home, move_word(card, TO_CELL, TO_FOUNDATION), deal)
    if seen.empties > U0:
        change = freed + prices.column_taken + deal.weights.low_base * np.int64(ranks_below_king(card))
        count = add(found, count, change, move_word(card, TO_CELL, empty_column(seen)), deal)
    return count


@inlined
def find_candidates(found, position, seen, deal):
    """Find the moves of a position and estimate each.

    Parameters
    ----------
    found : Candidates
        Filled.
    position : Position
    seen : View
        What was seen of the position.
    deal : Appraisal

    Returns
    -------
    uint64
        Number of moves.
    """
    prices = prices_of(position, seen, deal.weights)
    count = add_from_columns(found, position, prices, seen, deal)
    # Without an empty column, cards on cells only move onto tops and home.
    on_cells = position.cells & (ALL if seen.empties else seen.spots | seen.next_cards)
    while on_cells:
        count = add_from_cell(found, count, position.columns, lowest(on_cells), prices, seen, deal)
        on_cells &= on_cells - U1
    return count
