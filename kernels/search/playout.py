"""From the search's path to single-card moves.

The search moves runs, sends cards home by itself and stops where the win is certain. Here its path is played card by
card: runs by way of cells and empty columns, then what goes home safely, at the end everything. What moves, and what
it comes to lie on, stands in the search's positions. Each step is noted on a trail (`trail.py`), which keeps none that
changes nothing: a run is often taken apart just where another one has been put together.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import highest, inlined, kernel, lowest, popcount
from kernels.search.buckets import move_of, parent_of
from kernels.search.haste import CAREFUL
from kernels.search.moves import NO_CARD, TO_CELL, TO_FOUNDATION, after_home, capacity, safe_home
from kernels.search.position import ACES, COLUMNS, HOME_WORD, ORIGIN_WORD, run_of
from kernels.search.trail import (
    AT_HOME,
    IN_CELL,
    LONGEST,
    MOST_STEPS,
    ON_TABLE,
    End,
    Trail,
    new_trail,
    note,
    set_out,
    write_moves,
)
from kernels.words import U0, U1, U2, U4, U8, U15, U52


class Solution(NamedTuple):
    """Room for writing one solution.

    Attributes
    ----------
    path : (1048576,) uint64
        The positions that the search came through, last first.
    loose : (64,) uint64
        At the end, the cards above the sorted parts of the columns, in the order in which they are taken off.
    trail : Trail
    """

    path: np.ndarray
    loose: np.ndarray
    trail: Trail


def new_solution(longest: int = LONGEST) -> Solution:
    """Room for a solution of so many moves."""
    return Solution(np.zeros(MOST_STEPS, np.uint64), np.zeros(64, np.uint64), new_trail(longest))


class Table(NamedTuple):
    """What can move and where to; what lies beneath each card stands on the trail.

    Attributes
    ----------
    movable, next_cards : uint64
        The cards on top or in a cell, and the next card of each suit.
    free, empties : uint64
        Number of free cells and of empty columns.
    end : End
        Where the trail ends so far.
    """

    movable: int
    next_cards: int
    free: int
    empties: int
    end: End


@inlined
def set_up(board, cells, trail):
    """Lay a deal out."""
    end = set_out(board, trail)
    movable = U0
    for index in range(U52 - COLUMNS, U52):
        movable |= U1 << np.uint64(board[index])
    return Table(movable, ACES, np.uint64(cells), U0, end)


@inlined
def relaid(table, before, after, end):
    """The table after a card, or a run, has come to lie on something else, and where the trail ends then."""
    movable = (table.movable | (U1 << before) & ALL) & ~((U1 << after) & ALL)
    free = table.free + np.uint64(before == IN_CELL) - np.uint64(after == IN_CELL)
    empties = table.empties + np.uint64(before == ON_TABLE) - np.uint64(after == ON_TABLE)
    return Table(movable, table.next_cards, free, empties, end)


@inlined
def play(table, trail, card, after):
    """Make and note a move of one card that doesn't go home."""
    before = np.uint64(trail.beneath[card])
    return relaid(table, before, after, note(trail, table.end, card, after))


@inlined
def send_home(table, trail, card):
    """Send one card home."""
    bit = U1 << card
    movable, next_cards, free, empties, end = play(table, trail, card, AT_HOME)
    return Table(movable ^ bit, after_home(next_cards, bit), free, empties, end)


@inlined
def play_home(table, trail, in_suit, everything):
    """Send home what is safe (or everything that can go) until nothing more goes."""
    while True:
        card = safe_home(table.movable & table.next_cards, table.next_cards, in_suit or everything)
        if card == NO_CARD:
            return table
        table = send_home(table, trail, card)


@inlined
def shuttle(trail, end, segment, beneath):
    """Note a run that moves by way of the cells."""
    head = highest(segment)
    upper = segment ^ (U1 << head)
    cards = upper
    while cards:
        end = note(trail, end, lowest(cards), IN_CELL)
        cards &= cards - U1
    end = note(trail, end, head, beneath)
    while upper:
        card = highest(upper)
        end = note(trail, end, card, head)
        head = card
        upper ^= U1 << card
    return end


@inlined
def upper_part(segment, count):
    """The topmost cards of a run."""
    rest = segment
    for _ in range(count):
        rest &= rest - U1
    return segment ^ rest


@kernel
def move_run(trail, end, segment, beneath, free, empties):
    """Note a run that moves by way of so many free cells and empty columns, and what it comes to lie on."""
    count = popcount(segment)
    if count <= free + U1:
        return shuttle(trail, end, segment, beneath)
    upper = upper_part(segment, min(count - U1, capacity(free, empties - U1)))
    end = move_run(trail, end, upper, ON_TABLE, free, empties - U1)
    end = move_run(trail, end, segment ^ upper, beneath, free, empties - U1)
    return move_run(trail, end, upper, lowest(segment ^ upper), free, empties - U1)


@inlined
def lands_on(position, target):
    """What a card that goes there comes to lie on."""
    if target == TO_CELL:
        return IN_CELL
    run = run_of(position[target])
    return lowest(run) if run else ON_TABLE


@inlined
def follow(table, trail, position, move):
    """Play one move of the search, which it made in a position."""
    head, source, target = move >> U8, (move >> U4) & U15, move & U15
    if target == TO_FOUNDATION:
        return send_home(table, trail, head)
    after = lands_on(position, target)
    if source == TO_CELL or target == TO_CELL:
        return play(table, trail, head, after)
    segment = run_of(position[source]) & ((U2 << head) - U1)
    before = np.uint64(trail.beneath[head])
    if popcount(segment) <= table.free + U1:
        end = shuttle(trail, table.end, segment, after)
    else:
        end = move_run(trail, table.end, segment, after, table.free, table.empties - np.uint64(after == ON_TABLE))
    return relaid(table, before, after, end)


@inlined
def find_loose(position, beneath, loose):
    """Note the cards above the longest sorted part of each column: none higher than the one beneath; their number."""
    count = U0
    for column in range(COLUMNS):
        card = lands_on(position, column)
        above = U0
        number = U0
        while card != ON_TABLE:
            loose[count + above] = card
            above += U1
            below = np.uint64(beneath[card])
            # The lowest card that is higher than the one beneath ends the sorted part.
            number = above if below != ON_TABLE and card >> U2 > below >> U2 else number
            card = below
        count += number
    return count


@kernel
def play_out(board, rules, found, haste, solution):
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
    solution : Solution
        Its trail holds the moves afterwards.

    Returns
    -------
    int64
        Number of single-card moves, which stand in `solution.trail.moves`; 0 if they are too many for it.
    """
    positions, last = found
    path, loose, trail = solution
    steps = U0
    number = np.uint64(last)
    while number > U0 and steps < np.uint64(MOST_STEPS):
        path[steps] = number
        number = parent_of(positions[number, ORIGIN_WORD])
        steps += U1
    if number > U0:
        return 0
    all_home = rules.in_suit or haste > CAREFUL
    table = play_home(set_up(board, rules.cells, trail), trail, rules.in_suit, all_home)
    while steps > U0:
        steps -= U1
        before, number = number, path[steps]
        move = move_of(positions[number, ORIGIN_WORD])
        table = follow(table, trail, positions[before], move)
        if table.next_cards != positions[number, HOME_WORD] & ALL:
            table = play_home(table, trail, rules.in_suit, all_home)
    loose_cards = find_loose(positions[number], trail.beneath, loose)
    table = play_home(table, trail, rules.in_suit, True)
    for index in range(loose_cards):
        if trail.beneath[loose[index]] != AT_HOME:
            table = play(table, trail, loose[index], IN_CELL if table.free else ON_TABLE)
            table = play_home(table, trail, rules.in_suit, True)
    return write_moves(board, np.uint64(rules.cells), trail, table.end.count)
