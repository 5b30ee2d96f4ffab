"""From the search's path to single-card moves, played on plain columns.

The search moves runs, sends cards home by itself and stops where the win is certain. Here its path is played card by
card: runs by way of cells and empty columns, then what goes home safely, at the end everything.

A single-card move is one byte, source * 16 + target: sources 0..7 columns, 8..15 cells; targets 0..7 columns, 8 the
first free cell, 9 the foundation.
"""

from typing import NamedTuple

import numpy as np

from kernels.buckets import move_of, parent_of
from kernels.cards import ALL
from kernels.jit import inlined, kernel, lowest, popcount
from kernels.moves import CELL, FOUNDATION, NO_CARD, after_home, capacity, is_safe
from kernels.position import ACES, HOME
from kernels.rules import MOST_CELLS

MOST_MOVES = (1 << 16) - 1
"""Room for one solution, in single-card moves. A longer one is cut, and the referee refuses it."""

TALLEST = 24

_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_4 = np.uint64(4)
_8 = np.uint64(8)
_15 = np.uint64(15)


class Tableau(NamedTuple):
    """Plain columns and cells, and the moves made on them.

    Attributes
    ----------
    columns : (8, 24) uint64
    heights : (8,) uint64
    cells : (8,) uint64
        64 where a cell is free.
    home : (1,) uint64
        The next card of each suit.
    moves : (65535,) uint8
    count : (1,) uint64
        Number of moves made.
    path : (65535,) uint64
        Scratch: the positions that the search came through, last first.
    """

    columns: np.ndarray
    heights: np.ndarray
    cells: np.ndarray
    home: np.ndarray
    moves: np.ndarray
    count: np.ndarray
    path: np.ndarray


def new_tableau() -> Tableau:
    """Room for one deal."""
    return Tableau(
        np.zeros((8, TALLEST), np.uint64),
        np.zeros(8, np.uint64),
        np.zeros(MOST_CELLS, np.uint64),
        np.zeros(1, np.uint64),
        np.zeros(MOST_MOVES, np.uint8),
        np.zeros(1, np.uint64),
        np.zeros(MOST_MOVES, np.uint64),
    )


@inlined
def set_up(deal, tableau):
    """Lay a deal out."""
    for column in range(_8):
        height = _0
        for index in range(column, np.uint64(52), _8):
            tableau.columns[column, height] = deal[index]
            height += _1
        tableau.heights[column] = height
        tableau.cells[column] = NO_CARD
    tableau.home[0] = ACES
    tableau.count[0] = _0


@inlined
def top_card(tableau, column):
    """Top card of a column; 64 for an empty one."""
    height = tableau.heights[column]
    return tableau.columns[column, height - _1] if height > _0 else NO_CARD


@inlined
def cell_of(tableau, card):
    """Number of the cell that holds a card (64: that is free), from 0; 8 where there is none."""
    for cell in range(_8):
        if tableau.cells[cell] == card:
            return cell
    return _8


@inlined
def play(tableau, source, target):
    """Make one single-card move and note it. `source` and `target` as in the byte."""
    if source < _8:
        tableau.heights[source] -= _1
        card = tableau.columns[source, tableau.heights[source]]
    else:
        card = tableau.cells[source - _8]
        tableau.cells[source - _8] = NO_CARD
    if target < _8:
        tableau.columns[target, tableau.heights[target]] = card
        tableau.heights[target] += _1
    elif target == CELL:
        tableau.cells[cell_of(tableau, NO_CARD)] = card
    else:
        tableau.home[0] = after_home(tableau.home[0], _1 << card)
    count = tableau.count[0]
    if count < np.uint64(MOST_MOVES):
        tableau.moves[count] = (source << _4) | target
        tableau.count[0] = count + _1


@kernel
def shuttle(tableau, count, source, target):
    """Move a run by way of the cells."""
    for _ in range(count - _1):
        play(tableau, source, CELL)
    play(tableau, source, target)
    # Where the run stood its cards can still be read, the head first.
    base = tableau.heights[source]
    for above in range(_1, count):
        card = tableau.columns[source, base + above]
        play(tableau, _8 + cell_of(tableau, card), target)


@inlined
def free_cells(tableau, cells):
    """Number of free cells."""
    free = _0
    for cell in range(np.uint64(cells)):
        free += _1 if tableau.cells[cell] == NO_CARD else _0
    return free


@inlined
def empty_columns(tableau, target):
    """The empty columns but for `target`: a bit each."""
    empties = _0
    for column in range(_8):
        if tableau.heights[column] == _0 and column != target:
            empties |= _1 << column
    return empties


@kernel
def move_run(tableau, count, source, target, free, empties):
    """Move a run by way of free cells and of the empty columns in the set `empties`."""
    if count <= free + _1:
        shuttle(tableau, count, source, target)
        return
    via = lowest(empties)
    empties &= empties - _1
    upper = min(count - _1, capacity(free, popcount(empties)))
    move_run(tableau, upper, source, via, free, empties)
    move_run(tableau, count - upper, source, target, free, empties)
    move_run(tableau, upper, via, target, free, empties)


@inlined
def depth_of(tableau, column, head):
    """Number of cards from `head` to the top of a column."""
    depth = _1
    while tableau.columns[column, tableau.heights[column] - depth] != head:
        depth += _1
    return depth


@kernel
def follow(tableau, move, cells):
    """Play one move of the search."""
    head, source, target = move >> _8, (move >> _4) & _15, move & _15
    if source == CELL:
        play(tableau, _8 + cell_of(tableau, head), target)
    elif target >= _8:
        play(tableau, source, target)
    else:
        count = depth_of(tableau, source, head)
        move_run(tableau, count, source, target, free_cells(tableau, cells), empty_columns(tableau, target))


@inlined
def goes_home(tableau, card, in_suit, everything):
    """Whether a card is next on its foundation, and safe unless everything goes."""
    if card == NO_CARD or (_1 << card) & tableau.home[0] == _0:
        return False
    return everything or is_safe(card, tableau.home[0], in_suit)


@kernel
def play_home(tableau, cells, in_suit, everything):
    """Send home what is safe (or everything that can go) until nothing more goes."""
    going = True
    while going:
        going = False
        for column in range(_8):
            while goes_home(tableau, top_card(tableau, column), in_suit, everything):
                play(tableau, column, FOUNDATION)
                going = True
        for cell in range(np.uint64(cells)):
            if goes_home(tableau, tableau.cells[cell], in_suit, everything):
                play(tableau, _8 + cell, FOUNDATION)
                going = True


@inlined
def sorted_height(tableau, column):
    """Number of cards in the longest sorted part of a column, from the bottom: none higher than the one beneath."""
    height = tableau.heights[column]
    for row in range(_1, height):
        if tableau.columns[column, row] >> _2 > tableau.columns[column, row - _1] >> _2:
            return row
    return height


@kernel
def clear_loose(tableau, column, cells, in_suit):
    """Take the cards above a column's sorted part to free cells, and when there is none to empty columns."""
    while tableau.heights[column] > sorted_height(tableau, column):
        if free_cells(tableau, cells) > _0:
            play(tableau, column, CELL)
        else:
            play(tableau, column, lowest(empty_columns(tableau, column)))
        play_home(tableau, cells, in_suit, True)


@kernel
def play_out(deal, positions, origins, last, tableau, cells, in_suit):
    """Write the solution that a search found.

    Parameters
    ----------
    deal : (52,) uint8
        Cards in dealing order.
    positions : (n, 10) uint64
        The search's positions.
    origins : (n,) uint64
        Child word that each came from.
    last : int64
        Number of the position where the search had won.
    tableau : Tableau
        Scratch; holds the moves afterwards.
    cells : int64
    in_suit : bool

    Returns
    -------
    int64
        Number of single-card moves, which stand in `tableau.moves`.
    """
    steps = _0
    number = np.uint64(last)
    while number > _0 and steps < np.uint64(MOST_MOVES):
        tableau.path[steps] = number
        number = parent_of(origins[number])
        steps += _1
    set_up(deal, tableau)
    play_home(tableau, cells, in_suit, False)
    while steps > _0:
        steps -= _1
        number = tableau.path[steps]
        follow(tableau, move_of(origins[number]), cells)
        if tableau.home[0] != positions[number, HOME] & ALL:
            play_home(tableau, cells, in_suit, False)
    play_home(tableau, cells, in_suit, True)
    for column in range(_8):
        clear_loose(tableau, column, cells, in_suit)
    play_home(tableau, cells, in_suit, True)
    return np.int64(tableau.count[0])
