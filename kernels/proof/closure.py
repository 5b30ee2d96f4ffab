"""The plain exhaustion that alone says "unsolvable": every position that single-card moves reach from a deal.

Positions are exact (`packing`) and nothing is pruned. Left out are only moves whose result differs by nothing but the
order of columns or cells: of several empty columns or free cells one stands for all, and a card that is alone in its
column doesn't move to an empty one.

The walk is depth first. Each position found waits on a stack as the move that leads to it. When all above it is done
with, the move is made; it then stays on the stack until it is taken back:

      63      19  18   17    12 11     6 5      0
     +----------+------+--------+--------+--------+
     |    0     | made |  card  | origin | target |      origin, target: places, as `packing` numbers them
     +----------+------+--------+--------+--------+
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import CARDS
from kernels.jit import inlined, kernel, lowest, popcount
from kernels.proof.packing import (
    CELL,
    CELLS,
    HOME,
    NEXT,
    ON_NO_CARD,
    TOPS,
    WORDS,
    Layout,
    Places,
    changed,
    empty_layout,
    move_card,
    places_of,
    unpack,
    words_of,
)
from kernels.proof.table import doubled, expect, insert, new_table, room
from kernels.rules import MOST_CELLS, Rules
from kernels.search.moves import accepting, safe_home

MOST_MOVES = (8 + MOST_CELLS) * 5
"""No position has more: each card on top or in a cell goes home, to a cell, to an empty column or onto two cards."""

FIRST_SLOTS = 1 << 14
SLICE = 1 << 20
"""Positions to find between two returns to Python, which then can take a signal."""

WAITING, FOUND, COUNTED, AT_HOME, MOST_HOME, WON = (np.uint64(i) for i in range(6))
"""Entries of a walk's tally."""

_MADE = np.uint64(1 << 18)
_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_6 = np.uint64(6)
_8 = np.uint64(8)
_12 = np.uint64(12)
_63 = np.uint64(63)
_64 = np.uint64(64)


class Closure(NamedTuple):
    """What an exhaustion came to.

    Attributes
    ----------
    ended : bool
        Whether nothing was left; False when the budget ran out or a won position was met.
    won : bool
        Whether a won position was met.
    positions : int
        Positions counted, the first one included: the size of the closure if `ended`.
    most_home : int
        The greatest number of cards that were home at once.
    """

    ended: bool
    won: bool
    positions: int
    most_home: int


class Walk(NamedTuple):
    """A walk through the closure of a deal.

    Attributes
    ----------
    table : (slots, 3) uint64
        All positions found.
    stack : (slots,) uint32
        Moves, as drawn above.
    tally : (6,) uint64
        Number of moves on the stack (WAITING), of positions found, of those looked at and counted, of cards home now
        and at most; whether a won position was met.
    layout : Layout
        The position that the moves made lead to.
    moves : (80,) uint64
        Scratch: the moves out of it.
    around : (80, 3) uint64
        Scratch: the positions that they lead to.
    places : Places
    accepts : (64,) uint64
        By card, the set of cards that it fits on.
    """

    table: np.ndarray
    stack: np.ndarray
    tally: np.ndarray
    layout: Layout
    moves: np.ndarray
    around: np.ndarray
    places: Places
    accepts: np.ndarray


@inlined
def move_word(card, origin, target):
    """A move as one word."""
    return (card << _12) | (origin << _6) | target


@inlined
def card_of(move):
    """The card that moves."""
    return (move >> _12) & _63


@inlined
def origin_of(move):
    """The place that it leaves."""
    return (move >> _6) & _63


@inlined
def target_of(move):
    """The place that it goes to."""
    return move & _63


@inlined
def moves_to(target, cards, layout, moves, count):
    """Append the move of each card of a set to one place; the number of moves then."""
    while cards:
        card = lowest(cards)
        cards &= cards - _1
        moves[count] = move_word(card, layout.at[card], target)
        count += _1
    return count


@inlined
def moves_out(layout, accepts, cells, moves):
    """Write the moves out of a position; their number."""
    tops, in_cells = layout.sets[TOPS], layout.sets[CELLS]
    movable = tops | in_cells
    count = moves_to(HOME, movable & layout.sets[NEXT], layout, moves, _0)
    if popcount(in_cells) < cells:
        count = moves_to(CELL, tops, layout, moves, count)
    has_empty_column = popcount(tops) < _8
    while movable:
        card = lowest(movable)
        movable &= movable - _1
        origin = layout.at[card]
        if has_empty_column and origin != ON_NO_CARD:
            moves[count] = move_word(card, origin, ON_NO_CARD)
            count += _1
        beneath = accepts[card] & tops
        while beneath:
            moves[count] = move_word(card, origin, lowest(beneath))
            beneath &= beneath - _1
            count += _1
    return count


@inlined
def safe_move_out(layout, in_suit, moves):
    """Write a safe move home, if there is one; the number of moves."""
    card = safe_home(layout.sets[TOPS] | layout.sets[CELLS], layout.sets[NEXT], in_suit)
    if card == _64:
        return _0
    moves[_0] = move_word(card, layout.at[card], HOME)
    return _1


@inlined
def make(walk, move):
    """Make a move."""
    move_card(walk.layout, walk.places, card_of(move), origin_of(move), target_of(move))
    if target_of(move) == HOME:
        walk.tally[AT_HOME] += _1
        walk.tally[MOST_HOME] = max(walk.tally[MOST_HOME], walk.tally[AT_HOME])


@inlined
def take_back(walk, move):
    """Take a move back."""
    move_card(walk.layout, walk.places, card_of(move), target_of(move), origin_of(move))
    if target_of(move) == HOME:
        walk.tally[AT_HOME] -= _1


@inlined
def look_around(walk, cells, in_suit, autoplay):
    """Put what is new around the present position on the stack.

    With autoplay, a position with a safe move home has no other move and is not counted.
    """
    count = safe_move_out(walk.layout, in_suit, walk.moves) if autoplay else _0
    if count == _0:
        walk.tally[COUNTED] += _1
        count = moves_out(walk.layout, walk.accepts, cells, walk.moves)
    around = walk.around
    for i in range(count):
        move = walk.moves[i]
        a, b, c = changed(walk.layout.words, walk.places, card_of(move), origin_of(move), target_of(move))
        around[i, _0], around[i, _1], around[i, _2] = a, b, c
        expect(walk.table, a, b, c)
    for i in range(count):
        a, b, c = around[i, _0], around[i, _1], around[i, _2]
        if a | b | c == _0:
            walk.tally[WON] = _1
        elif insert(walk.table, a, b, c):
            walk.tally[FOUND] += _1
            walk.stack[walk.tally[WAITING]] = walk.moves[i]
            walk.tally[WAITING] += _1


@kernel
def walk_on(walk, cells, in_suit, autoplay, limit):
    """Go on until nothing is left, a won position is met, or more than `limit` positions have been found."""
    tally = walk.tally
    while tally[WAITING] > _0 and tally[FOUND] <= limit and tally[WON] == _0:
        last = tally[WAITING] - _1
        move = np.uint64(walk.stack[last])
        if move & _MADE:
            take_back(walk, move)
            tally[WAITING] = last
        else:
            walk.stack[last] = move | _MADE
            make(walk, move)
            look_around(walk, cells, in_suit, autoplay)


@kernel
def set_out(walk, words):
    """Find the first position; the move that "leads to" it leaves the first card where it is."""
    unpack(words, walk.places, walk.layout)
    insert(walk.table, words[0], words[1], words[2])
    walk.stack[_0] = move_word(_0, walk.layout.at[_0], walk.layout.at[_0])
    walk.tally[WAITING] = walk.tally[FOUND] = _1


def _new_walk(board: np.ndarray, in_suit: bool) -> Walk:
    accepts = accepting(in_suit)
    places = places_of(board, accepts)
    walk = Walk(
        new_table(FIRST_SLOTS),
        np.zeros(FIRST_SLOTS, np.uint32),
        np.zeros(6, np.uint64),
        empty_layout(),
        np.zeros(MOST_MOVES, np.uint64),
        np.zeros((MOST_MOVES, WORDS), np.uint64),
        places,
        accepts,
    )
    set_out(walk, words_of(board, places))
    return walk


def _with_more_room(walk: Walk) -> Walk:
    stack = np.zeros(2 * len(walk.stack), np.uint32)
    stack[: len(walk.stack)] = walk.stack
    return walk._replace(table=doubled(walk.table), stack=stack)


def bytes_needed(budget: int) -> int:
    """Most memory that an exhaustion comes to hold, in bytes: when its table grows for the last time."""
    slots = FIRST_SLOTS
    while room(slots) < budget:
        slots *= 2
    slot_bytes = new_table(1).nbytes + np.dtype(np.uint32).itemsize
    return (slots + slots // 2) * slot_bytes


def exhaust(board: np.ndarray, rules: Rules, budget: int, autoplay: bool = False) -> Closure:
    """Count the positions that can be reached from a deal.

    Parameters
    ----------
    board : (52,) uint8
        Cards in dealing order.
    rules : Rules
    budget : int
        Positions to find at most; with autoplay, those before a safe move home count here too.
    autoplay : bool
        Send home what is safe before a position is counted. The plain count, without, is the proof; this one has
        been published too.

    Returns
    -------
    Closure
        `ended` exactly if the closure isn't larger than the budget and holds no won position.
    """
    walk = _new_walk(board, rules.in_suit)
    waiting, found, won = 1, 1, 0
    while waiting and found <= budget and not won:
        if found > room(len(walk.table)):
            walk = _with_more_room(walk)
        limit = min(budget, found + SLICE, room(len(walk.table)))
        walk_on(walk, np.uint64(rules.cells), rules.in_suit, autoplay, np.uint64(limit))
        waiting, found, won = (int(walk.tally[i]) for i in (WAITING, FOUND, WON))
    most_home = CARDS if won else int(walk.tally[MOST_HOME])
    return Closure(waiting == 0, bool(won), int(walk.tally[COUNTED]), most_home)
