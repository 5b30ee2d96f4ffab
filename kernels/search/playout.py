"""From the search's path to single-card moves, played on plain columns.

The search moves runs, sends cards home by itself and stops where the win is certain. Here its path is played card by
card: runs by way of cells and empty columns, then what goes home safely, at the end everything. Each step is noted on a
trail (`trail.py`), which keeps none that changes nothing: a run is often taken apart just where another one has been
put together.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL, TALLEST
from kernels.jit import inlined, kernel, lowest, popcount
from kernels.search.buckets import move_of, parent_of
from kernels.search.haste import CAREFUL
from kernels.search.moves import NO_CARD, TO_CELL, TO_FOUNDATION, after_home, capacity, safe_home
from kernels.search.position import ACES, HOME_WORD, ORIGIN_WORD
from kernels.search.trail import (
    AT_HOME,
    IN_CELL,
    LONGEST,
    MOST_STEPS,
    ON_TABLE,
    Trail,
    new_trail,
    note,
    set_out,
    write_moves,
)
from kernels.words import U0, U1, U2, U4, U8, U15, U52


class Tableau(NamedTuple):
    """Plain columns and cells, and the steps made on them.

    Attributes
    ----------
    columns : (8, 19) uint64
    heights : (8,) uint64
    where : (64,) uint64
        By card, where it lies as a source: right for those that can move.
    sets : (4,) uint64
        The cards that can move, on top or in a cell (MOVABLE), the next card of each suit (NEXT), and as bits the free
        cells (FREE) and the empty columns (EMPTY).
    path : (1048576,) uint64
        Scratch: the positions that the search came through, last first.
    trail : Trail
    """

    columns: np.ndarray
    heights: np.ndarray
    where: np.ndarray
    sets: np.ndarray
    path: np.ndarray
    trail: Trail


MOVABLE, NEXT, FREE, EMPTY = (np.uint64(i) for i in range(4))


def new_tableau(longest: int = LONGEST) -> Tableau:
    """Room for one deal, and for a solution of so many moves."""
    return Tableau(
        np.zeros((8, TALLEST), np.uint64),
        np.zeros(8, np.uint64),
        np.zeros(64, np.uint64),
        np.zeros(4, np.uint64),
        np.zeros(MOST_STEPS, np.uint64),
        new_trail(longest),
    )


@inlined
def set_up(board, tableau, cells):
    """Lay a deal out."""
    movable = U0
    for column in range(U8):
        height = U0
        for index in range(column, U52, U8):
            tableau.columns[column, height] = board[index]
            height += U1
        tableau.heights[column] = height
        top = tableau.columns[column, height - U1]
        tableau.where[top] = column
        movable |= U1 << top
    tableau.sets[MOVABLE] = movable
    tableau.sets[NEXT] = ACES
    tableau.sets[FREE] = (U1 << np.uint64(cells)) - U1
    tableau.sets[EMPTY] = U0
    set_out(board, tableau.trail)


@inlined
def take(tableau, card, source):
    """Take a card from where it lies."""
    movable = tableau.sets[MOVABLE] ^ (U1 << card)
    if source < U8:
        height = tableau.heights[source] - U1
        tableau.heights[source] = height
        if height > U0:
            top = tableau.columns[source, height - U1]
            tableau.where[top] = source
            movable |= U1 << top
        else:
            tableau.sets[EMPTY] |= U1 << source
    else:
        tableau.sets[FREE] |= U1 << (source - U8)
    tableau.sets[MOVABLE] = movable


@inlined
def put(tableau, card, target):
    """Put a card down."""
    if target == TO_FOUNDATION:
        tableau.sets[NEXT] = after_home(tableau.sets[NEXT], U1 << card)
        return
    movable = tableau.sets[MOVABLE] | (U1 << card)
    if target == TO_CELL:
        cell = lowest(tableau.sets[FREE])
        tableau.sets[FREE] ^= U1 << cell
        tableau.where[card] = U8 + cell
    else:
        height = tableau.heights[target]
        if height > U0:
            movable ^= U1 << tableau.columns[target, height - U1]
        else:
            tableau.sets[EMPTY] ^= U1 << target
        tableau.columns[target, height] = card
        tableau.heights[target] = height + U1
        tableau.where[card] = target
    tableau.sets[MOVABLE] = movable


@inlined
def lies_on(tableau, column):
    """What lies beneath the top card of a column."""
    height = tableau.heights[column]
    return tableau.columns[column, height - U2] if height > U1 else ON_TABLE


@inlined
def play(tableau, card, target):
    """Make and note one single-card move; a target is a column, 8 the first free cell, or 9 the foundation."""
    take(tableau, card, tableau.where[card])
    put(tableau, card, target)
    if target == TO_FOUNDATION:
        note(tableau.trail, card, AT_HOME)
    else:
        note(tableau.trail, card, IN_CELL if target == TO_CELL else lies_on(tableau, target))


@inlined
def top_card(tableau, column):
    """Top card of a column that isn't empty."""
    return tableau.columns[column, tableau.heights[column] - U1]


@inlined
def pass_on(tableau, count, source, target):
    """Move the top cards of a column to another without noting how."""
    base, height = tableau.heights[source] - count, tableau.heights[target]
    movable = tableau.sets[MOVABLE]
    if height > U0:
        movable ^= U1 << top_card(tableau, target)
    else:
        tableau.sets[EMPTY] ^= U1 << target
    for row in range(count):
        tableau.columns[target, height + row] = tableau.columns[source, base + row]
    tableau.heights[source] = base
    tableau.heights[target] = height + count
    tableau.where[top_card(tableau, target)] = target
    if base > U0:
        top = top_card(tableau, source)
        tableau.where[top] = source
        movable |= U1 << top
    else:
        tableau.sets[EMPTY] |= U1 << source
    tableau.sets[MOVABLE] = movable


@inlined
def shuttle(tableau, count, source, target):
    """Move a run by way of the cells."""
    pass_on(tableau, count, source, target)
    height = tableau.heights[target]
    for above in range(U1, count):
        note(tableau.trail, tableau.columns[target, height - above], IN_CELL)
    beneath = tableau.columns[target, height - count - U1] if height > count else ON_TABLE
    for row in range(height - count, height):
        card = tableau.columns[target, row]
        note(tableau.trail, card, beneath)
        beneath = card


@kernel
def move_run(tableau, count, source, target, free, empties):
    """Move a run by way of free cells and of the empty columns in the set `empties`."""
    if count <= free + U1:
        shuttle(tableau, count, source, target)
        return
    via = lowest(empties)
    empties &= empties - U1
    upper = min(count - U1, capacity(free, popcount(empties)))
    move_run(tableau, upper, source, via, free, empties)
    move_run(tableau, count - upper, source, target, free, empties)
    move_run(tableau, upper, via, target, free, empties)


@inlined
def depth_of(tableau, column, head):
    """Number of cards from `head` to the top of a column."""
    depth = U1
    while tableau.columns[column, tableau.heights[column] - depth] != head:
        depth += U1
    return depth


@inlined
def follow(tableau, move):
    """Play one move of the search."""
    head, source, target = move >> U8, (move >> U4) & U15, move & U15
    if source == TO_CELL or target >= U8:
        play(tableau, head, target)
        return
    free, empties = popcount(tableau.sets[FREE]), tableau.sets[EMPTY] & ~(U1 << target)
    count = depth_of(tableau, source, head)
    if count <= free + U1:
        shuttle(tableau, count, source, target)
    else:
        move_run(tableau, count, source, target, free, empties)


@inlined
def play_home(tableau, in_suit, everything):
    """Send home what is safe (or everything that can go) until nothing more goes."""
    while True:
        ready = tableau.sets[MOVABLE] & tableau.sets[NEXT]
        card = safe_home(ready, tableau.sets[NEXT], in_suit or everything)
        if card == NO_CARD:
            return
        play(tableau, card, TO_FOUNDATION)


@inlined
def sorted_height(tableau, column):
    """Number of cards in the longest sorted part of a column, from the bottom: none higher than the one beneath."""
    height = tableau.heights[column]
    for row in range(U1, height):
        if tableau.columns[column, row] >> U2 > tableau.columns[column, row - U1] >> U2:
            return row
    return height


@kernel
def clear_loose(tableau, column, in_suit):
    """Take the cards above a column's sorted part to free cells, and when there is none to empty columns."""
    height = sorted_height(tableau, column)
    while tableau.heights[column] > height:
        free, empties = tableau.sets[FREE], tableau.sets[EMPTY]
        play(tableau, top_card(tableau, column), TO_CELL if free else lowest(empties))
        play_home(tableau, in_suit, True)


@kernel
def play_out(board, rules, found, haste, tableau):
    """Write the solution that a search found.

    Parameters
    ----------
    board : (52,) uint8
        Cards in dealing order.
    rules : Rules
    found : (n, 16) uint64, int64
        The search's positions, and the number of the one where it had won.
    haste : int64
        That of the search.
    tableau : Tableau
        Scratch; holds the moves afterwards.

    Returns
    -------
    int64
        Number of single-card moves, which stand in `tableau.trail.moves`; 0 if they are too many for it.
    """
    positions, last = found
    steps = U0
    number = np.uint64(last)
    while number > U0 and steps < np.uint64(MOST_STEPS):
        tableau.path[steps] = number
        number = parent_of(positions[number, ORIGIN_WORD])
        steps += U1
    if number > U0:
        return 0
    set_up(board, tableau, rules.cells)
    play_home(tableau, rules.in_suit, haste > CAREFUL)
    while steps > U0:
        steps -= U1
        number = tableau.path[steps]
        follow(tableau, move_of(positions[number, ORIGIN_WORD]))
        if tableau.sets[NEXT] != positions[number, HOME_WORD] & ALL:
            play_home(tableau, rules.in_suit, haste > CAREFUL)
    play_home(tableau, rules.in_suit, True)
    for column in range(U8):
        clear_loose(tableau, column, rules.in_suit)
    return write_moves(board, np.uint64(rules.cells), tableau.trail)
