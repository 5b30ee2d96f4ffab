"""From the search's path to single-card moves, played on plain columns.

The search moves runs, sends cards home by itself and stops where the win is certain. Here its path is played card by
card: runs by way of cells and empty columns, then what goes home safely, at the end everything.

One run is often taken apart just where another one has been put together. So a card that is moved twice in a row moves
at once to where it comes in the end, or not at all: a step there and back takes itself away, and those before it meet.

A single-card move is one byte, source * 16 + target: sources 0..7 columns, 8..15 cells; targets 0..7 columns, 8 the
first free cell, 9 the foundation. While it is played it is a step, which knows the cell:

      8    5 4    0
     +------+------+
     |source|target|      0..7 a column, 8..15 a cell, 16 the foundation
     +------+------+
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL, TALLEST
from kernels.jit import highest, inlined, kernel, lowest, popcount
from kernels.search.buckets import move_of, parent_of
from kernels.search.haste import CAREFUL
from kernels.search.moves import NO_CARD, TO_CELL, TO_FOUNDATION, after_home, capacity, safe_home
from kernels.search.position import ACES, HOME_WORD
from kernels.words import U0, U1, U2, U4, U5, U8, U15, U31, U52

LONGEST = (1 << 16) - 1
"""Room for one solution, in single-card moves. A longer one can't be kept."""

MOST_STEPS = 1 << 20
"""Room for the search's path, and for its steps where no detour has been found yet."""

_HOME = np.uint64(16)


class Tableau(NamedTuple):
    """Plain columns and cells, and the moves made on them.

    Attributes
    ----------
    columns : (8, 19) uint64
    heights : (8,) uint64
    where : (64,) uint64
        By card, where it lies as a source: right for those that can move.
    sets : (4,) uint64
        The cards that can move, on top or in a cell (MOVABLE), the next card of each suit (NEXT), and as bits the free
        cells (FREE) and the empty columns (EMPTY).
    steps : (1048576,) uint16
    count : (1,) uint64
        Number of steps.
    path : (1048576,) uint64
        Scratch: the positions that the search came through, last first.
    moves : (65535,) uint8
        The solution.
    """

    columns: np.ndarray
    heights: np.ndarray
    where: np.ndarray
    sets: np.ndarray
    steps: np.ndarray
    count: np.ndarray
    path: np.ndarray
    moves: np.ndarray


MOVABLE, NEXT, FREE, EMPTY = (np.uint64(i) for i in range(4))


def new_tableau(longest: int = LONGEST) -> Tableau:
    """Room for one deal, and for a solution of so many moves."""
    return Tableau(
        np.zeros((8, TALLEST), np.uint64),
        np.zeros(8, np.uint64),
        np.zeros(64, np.uint64),
        np.zeros(4, np.uint64),
        np.zeros(MOST_STEPS, np.uint16),
        np.zeros(1, np.uint64),
        np.zeros(MOST_STEPS, np.uint64),
        np.zeros(longest, np.uint8),
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
    tableau.count[0] = U0


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
def note(tableau, source, target):
    """Note a step, or what it makes of the step before; where there was once no room, all that comes is dropped."""
    count = tableau.count[0]
    if count == np.uint64(MOST_STEPS):
        return
    if count > U0:
        before = np.uint64(tableau.steps[count - U1])
        origin = before >> U5
        if before & U31 == source and (origin == target or origin < U8 or target < U8 or target == _HOME):
            tableau.steps[count - U1] = (origin << U5) | target
            tableau.count[0] = count - np.uint64(origin == target)
            return
    tableau.steps[count] = (source << U5) | target
    tableau.count[0] = count + U1


@inlined
def play(tableau, card, target):
    """Make and note one single-card move; `target` as in the byte."""
    source = tableau.where[card]
    take(tableau, card, source)
    put(tableau, card, target)
    note(tableau, source, _HOME if target == TO_FOUNDATION else tableau.where[card])


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
    free = tableau.sets[FREE]
    for _ in range(count - U1):
        note(tableau, source, U8 + lowest(free))
        free &= free - U1
    note(tableau, source, target)
    taken = tableau.sets[FREE] ^ free
    while taken:
        cell = highest(taken)
        taken ^= U1 << cell
        note(tableau, U8 + cell, target)


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


@inlined
def write_moves(tableau):
    """Write the steps as moves; their number, 0 if there is no room for all."""
    count = tableau.count[0]
    if count > np.uint64(tableau.moves.size):
        return 0
    for number in range(count):
        step = np.uint64(tableau.steps[number])
        source, target = step >> U5, step & U31
        target = TO_FOUNDATION if target == _HOME else min(target, TO_CELL)
        tableau.moves[number] = (source << U4) | target
    return np.int64(count)


@kernel
def play_out(board, rules, found, haste, tableau):
    """Write the solution that a search found.

    Parameters
    ----------
    board : (52,) uint8
        Cards in dealing order.
    rules : Rules
    found : (n, 10) uint64, (n,) uint64, int64
        The search's positions, the child word that each came from, and the number of the one where the search had won.
    haste : int64
        That of the search.
    tableau : Tableau
        Scratch; holds the moves afterwards.

    Returns
    -------
    int64
        Number of single-card moves, which stand in `tableau.moves`; 0 if they are too many for it.
    """
    positions, origins, last = found
    steps = U0
    number = np.uint64(last)
    while number > U0 and steps < np.uint64(MOST_STEPS):
        tableau.path[steps] = number
        number = parent_of(origins[number])
        steps += U1
    if number > U0:
        return 0
    set_up(board, tableau, rules.cells)
    play_home(tableau, rules.in_suit, haste > CAREFUL)
    while steps > U0:
        steps -= U1
        number = tableau.path[steps]
        follow(tableau, move_of(origins[number]))
        if tableau.sets[NEXT] != positions[number, HOME_WORD] & ALL:
            play_home(tableau, rules.in_suit, haste > CAREFUL)
    play_home(tableau, rules.in_suit, True)
    for column in range(U8):
        clear_loose(tableau, column, rules.in_suit)
    return write_moves(tableau)
