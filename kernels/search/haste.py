"""Levels of haste: what a search leaves out, and what it does at once, without a look at anything else.

A careful search leaves nothing out. A brisk one sends home all that can go, puts a card on a cell onto a top as soon
as it fits on one, and doesn't look at moves that are estimated to cost more than a limit. A hasty one also moves whole
runs onto tops at once, whatever they lie on; of several that of the shortest column, which is soonest cleared.

A move made at once is good far more often than not, and costs a fraction of finding and valuing all moves of the
position. But the other moves are lost: a search in haste finds solutions, and never says that there is none. It often
runs out of moves long before its budget.
"""

import numpy as np

from kernels.cards import TALLEST
from kernels.jit import highest, inlined, lowest, popcount
from kernels.search.moves import TO_CELL, capacity, move_word, placeable
from kernels.search.position import CELL_WORD, COLUMNS, PLACE, run_of
from kernels.words import U0, U1, U7

CAREFUL, BRISK, HASTY = 0, 1, 2
"""The levels, as the compiled search takes them."""

NO_MOVE = np.uint64(0)
"""No legal move has this word: its source would be its target."""


@inlined
def column_of(position, cards):
    """The last column with one of these cards in its run; there must be one."""
    found = U0
    for column in range(COLUMNS):
        found = column if position[column] & cards else found
    return found


@inlined
def onto(position, tops, accepts, card):
    """The column whose top a card fits on: of two, that of the lower suit."""
    fitting = accepts[card] & tops
    return column_of(position, fitting & (~fitting + U1))


@inlined
def cards_in(word):
    """Number of cards in a column."""
    return ((word >> PLACE) & U7) + popcount(run_of(word))


@inlined
def movable_run(position, spots, free):
    """Of the columns whose whole run fits on a top and has room to move the first of the shortest; 8 for none."""
    empties = U0
    ready = U0
    for column in range(COLUMNS):
        run = run_of(position[column])
        empties += U0 if run else U1
        ready |= U1 << column if (U1 << highest(run | U1)) & run & spots else U0
    best, least = COLUMNS, np.uint64(TALLEST + 1)
    while ready:
        column = lowest(ready)
        ready &= ready - U1
        cards = cards_in(position[column])
        if cards < least and popcount(run_of(position[column])) <= capacity(free, empties):
            best, least = column, cards
    return best


@inlined
def move_at_once(position, tops, accepts, rules, haste):
    """The move to make without a look at others; `NO_MOVE` where they have to be looked at."""
    if haste == CAREFUL:
        return NO_MOVE
    spots = placeable(tops, rules.in_suit)
    fitting = position[CELL_WORD] & spots
    if fitting:
        card = highest(fitting)
        return move_word(card, TO_CELL, onto(position, tops, accepts, card))
    if haste == BRISK:
        return NO_MOVE
    column = movable_run(position, spots, np.uint64(rules.cells) - popcount(position[CELL_WORD]))
    if column == COLUMNS:
        return NO_MOVE
    head = highest(run_of(position[column]))
    return move_word(head, column, onto(position, tops, accepts, head))
