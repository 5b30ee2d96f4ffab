"""The candidates of a position: its moves, each with an estimate of what it changes.

A move is estimated before it is made, by the terms that it touches: the cells and columns that it fills or empties, the
cards that it uncovers, and the burden of the cards it lies on. Moves with an estimate above a limit are left out.

Every function that adds moves takes the number of those found so far and returns the new one.
"""

from typing import NamedTuple

import numpy as np

from kernels.jit import highest, inlined, lowest, popcount
from kernels.search.evaluation import cells_points, empties_points
from kernels.search.moves import TO_CELL, TO_FOUNDATION, capacity, move_word
from kernels.search.position import CELL_WORD, COLUMNS, PLACE, run_of, top_of
from kernels.words import U0, U1, U2, U12

MOST_CANDIDATES = 50
"""No position has more: 16 onto tops (each takes two cards), 8 to a cell, 4 home, 14 + 8 to an empty column."""

NO_LIMIT = np.int64(1 << 40)
"""More than any move is estimated to change."""


class Candidates(NamedTuple):
    """The moves of one position, and scratch for finding them.

    Attributes
    ----------
    moves : (50,) uint64
    estimates : (50,) int64
        What each move is estimated to change.
    column_of : (64,) uint64
        By card, the column whose top it is.
    burdens : (8,) int64
        By column, what each card costs that lies on it.
    """

    moves: np.ndarray
    estimates: np.ndarray
    column_of: np.ndarray
    burdens: np.ndarray


def no_candidates() -> Candidates:
    """Room for the moves of one position."""
    return Candidates(
        np.zeros(MOST_CANDIDATES, np.uint64),
        np.zeros(MOST_CANDIDATES, np.int64),
        np.zeros(64, np.uint64),
        np.zeros(8, np.int64),
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
    taken = np.int64(popcount(position[CELL_WORD]))
    empties = np.int64(seen.empties)
    return Prices(
        cells_points(taken + 1, weights) - cells_points(taken, weights),
        cells_points(taken - 1, weights) - cells_points(taken, weights),
        empties_points(empties - 1, weights) - empties_points(empties, weights),
    )


@inlined
def add(found, count, estimate, move, deal):
    """Add a move, unless it is estimated to change more than the limit."""
    found.moves[count] = move
    found.estimates[count] = estimate
    return count + np.uint64(estimate <= deal.limit)


@inlined
def uncovering(top, head, seen, weights):
    """Bonus where a card and the run below its head become free to move; both as sets of one."""
    bonus = np.int64(0)
    if top & seen.spots:
        bonus += weights.uncovers_fitting
    if head & seen.spots:
        bonus += weights.uncovers_run
    if top & seen.next_cards:
        bonus += weights.uncovers_next
    return bonus


@inlined
def burden(run, place, seen, deal):
    """What each card costs that lies on a column, for the low cards and the next ones in it."""
    buried = np.int64(popcount((deal.prefixes.cards[place] | run) & seen.next_cards))
    return deal.worths.pressure[place] + deal.weights.dig * buried


@inlined
def leaving(word, segment, seen, deal):
    """What changes where a segment leaves a column: the cards it burdened, and what is uncovered."""
    rest = run_of(word) ^ segment
    place = word >> PLACE
    change = -burden(rest, place, seen, deal) * np.int64(popcount(segment))
    if rest:
        return change - uncovering(top_of(rest), U1 << highest(rest), seen, deal.weights)
    if place == U0:
        return change - deal.weights.empty_more
    change += deal.worths.bared[place]
    return change - uncovering(deal.worths.bare_top[place], deal.worths.bare_head[place], seen, deal.weights)


@inlined
def note_columns(found, position, seen, deal):
    """Note where each top lies and what its column costs."""
    for column in range(COLUMNS):
        run, place = run_of(position[column]), position[column] >> PLACE
        if run:
            found.column_of[lowest(run)] = column
            found.burdens[column] = burden(run, place, seen, deal)


@inlined
def add_onto_tops(found, count, head, size, source, change, seen, deal):
    """Add the moves of a run with that head, or of a card, onto the tops that it fits on."""
    targets = deal.accepts[head] & seen.tops
    while targets:
        target = found.column_of[lowest(targets)]
        targets &= targets - U1
        there = found.burdens[target] * np.int64(size)
        count = add(found, count, change + there, move_word(head, source, target), deal)
    return count


@inlined
def add_runs(found, count, word, column, single, seen, deal):
    """Add the moves of a column's run, or of its upper part, onto tops; `single` is what its top card changes."""
    run = run_of(word)
    top = lowest(run)
    most = capacity(seen.free, seen.empties)
    heads = run & seen.spots
    while heads:
        head = lowest(heads)
        heads &= heads - U1
        segment = run & ((U2 << head) - U1)
        size = popcount(segment)
        if size > most:
            break
        change = single
        if head != top:
            change = leaving(word, segment, seen, deal)
        count = add_onto_tops(found, count, head, size, column, change, seen, deal)
    return count


@inlined
def base_points(head, weights):
    """Points of a card that becomes the lowest of a column."""
    return weights.low_base * np.int64(U12 - (head >> U2))


@inlined
def add_to_empty(found, count, word, column, single, prices, seen, deal):
    """Add the moves of a column's top card and of its whole run to an empty column.

    Parts of the run between those come about card by card. What has no prefix stays where it is.
    """
    run = run_of(word)
    size, top, head = popcount(run), lowest(run), highest(run)
    if size > U1:
        change = single + prices.column_taken + base_points(top, deal.weights)
        count = add(found, count, change, move_word(top, column, seen.empty), deal)
    if word >> PLACE and size <= capacity(seen.free, seen.empties - U1):
        change = leaving(word, run, seen, deal) + prices.column_taken + base_points(head, deal.weights)
        count = add(found, count, change, move_word(head, column, seen.empty), deal)
    return count


@inlined
def add_from_column(found, count, word, column, prices, seen, deal):
    """Add all moves of a column that isn't empty."""
    top = lowest(run_of(word))
    bit = U1 << top
    single = leaving(word, bit, seen, deal)
    count = add_runs(found, count, word, column, single, seen, deal)
    if seen.free > U0:
        count = add(found, count, single + prices.cell_taken, move_word(top, column, TO_CELL), deal)
    if bit & seen.next_cards:
        count = add(found, count, single - deal.weights.home, move_word(top, column, TO_FOUNDATION), deal)
    if seen.empties > U0:
        count = add_to_empty(found, count, word, column, single, prices, seen, deal)
    return count


@inlined
def add_from_cell(found, count, card, prices, seen, deal):
    """Add all moves of a card on a cell."""
    bit = U1 << card
    freed = prices.cell_freed
    if bit & seen.spots:
        count = add_onto_tops(found, count, card, U1, TO_CELL, freed, seen, deal)
    if bit & seen.next_cards:
        count = add(found, count, freed - deal.weights.home, move_word(card, TO_CELL, TO_FOUNDATION), deal)
    if seen.empties > U0:
        change = freed + prices.column_taken + base_points(card, deal.weights)
        count = add(found, count, change, move_word(card, TO_CELL, seen.empty), deal)
    return count


@inlined
def find_candidates(found, position, seen, deal):
    """Find the moves of a position and estimate each.

    Parameters
    ----------
    found : Candidates
        Filled.
    position : (10,) uint64
    seen : View
        What was seen of the position.
    deal : Appraisal

    Returns
    -------
    uint64
        Number of moves.
    """
    note_columns(found, position, seen, deal)
    prices = prices_of(position, seen, deal.weights)
    count = U0
    for column in range(COLUMNS):
        if position[column] != U0:
            count = add_from_column(found, count, position[column], column, prices, seen, deal)
    on_cells = position[CELL_WORD]
    while on_cells:
        count = add_from_cell(found, count, lowest(on_cells), prices, seen, deal)
        on_cells &= on_cells - U1
    return count
