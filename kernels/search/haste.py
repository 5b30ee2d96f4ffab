"""Levels of haste: what a search leaves out, and what it does at once, without a look at anything else.

A careful search leaves nothing out. A brisk one sends home all that can go, puts a card on a cell onto a top as soon
as it fits on one, and doesn't look at moves that are estimated to cost more than a limit. A hasty one also moves whole
runs onto tops at once, whatever they lie on; of several that of the shortest column, which is soonest cleared.

A move made at once is good far more often than not, and costs a fraction of finding and valuing all moves of the
position. But the other moves are lost: a search in haste finds solutions, and never says that there is none. It often
runs out of moves long before its budget.
"""

import numpy as np

from kernels.jit import highest, inlined, popcount
from kernels.lanes import ALL_LANES, at_most, least, met, numbers, where, word_at
from kernels.search.moves import TO_CELL, capacity, holder, move_word, placeable
from kernels.search.position import COLUMNS, PLACE, head_of, run_of, top_of
from kernels.words import U0, U3, U7

CAREFUL, BRISK, HASTY = 0, 1, 2
"""The levels, as the compiled search takes them."""

NO_MOVE = np.uint64(0)
"""No legal move has this word: its source would be its target."""


_LAST = np.uint64(1 << 32)
"""Comes after every column."""


@inlined
def shortest(columns, chosen):
    """Of a set of columns the first of those with the fewest cards."""
    heights = (columns >> PLACE >> U3) + popcount(run_of(columns))
    return least(where(chosen, heights << U3 | numbers(), _LAST)) & U7


@inlined
def movable_run(position, heads, room):
    """Of the columns with one of these heads whose run there is room for the first of the shortest; 8 for none."""
    run = run_of(position.columns)
    chosen = met(head_of(run), heads) & at_most(popcount(run), room)
    return shortest(position.columns, chosen) if chosen else COLUMNS


@inlined
def move_at_once(position, accepts, rules, haste):
    """The move to make without a look at others; `NO_MOVE` where they have to be looked at."""
    if haste == CAREFUL:
        return NO_MOVE
    columns, cells, _, tops, heads = position
    spots = placeable(tops, rules.in_suit)
    if cells & spots:
        source, head = TO_CELL, highest(cells & spots)
    else:
        ready = heads & spots if haste == HASTY else U0
        if ready == U0:
            return NO_MOVE
        empties = popcount(ALL_LANES ^ met(columns, columns))
        source = movable_run(position, ready, capacity(np.uint64(rules.cells) - popcount(cells), empties))
        if source == COLUMNS:
            return NO_MOVE
        head = highest(run_of(word_at(columns, source)))
    return move_word(head, source, holder(columns, top_of(accepts[head] & tops)))
