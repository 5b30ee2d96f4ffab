"""The plain exhaustion that alone says "unsolvable": every position that single-card moves reach from a deal.

Positions are exact (`packing`), nothing is pruned, and all that is left out are moves to positions that are equal by
the order of columns or cells: of several empty columns one stands for all, and a card that is alone in its column
doesn't move to an empty one.

The walk is depth first. Each position that is found waits on a stack as the move that made it, and is looked at when
everything above it has gone; the move is then made, and stays on the stack until it is taken back:

      18     17    12 11     6 5      0
     +------+--------+--------+--------+
     | made |  card  | origin | target |      origin, target: places (`packing`)
     +------+--------+--------+--------+
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import CARDS
from kernels.jit import inlined, kernel, lowest, popcount
from kernels.moves import accepting, safe_home
from kernels.packing import CELL, CELLS, HOME, NEXT, ON_NO_CARD, TOPS, Layout, Places, empty_layout, move_card, places_of, unpack, words_of
from kernels.rules import MOST_CELLS, Rules
from kernels.table import doubled, insert, new_table, room

MOST_MOVES = (8 + MOST_CELLS) * 5
"""Most moves that a position can have: a card goes home, to a cell, to an empty column, onto one of two cards."""

FIRST_SLOTS = 1 << 14

SLICE = 1 << 20
"""Positions between two looks at signals, which a running kernel holds back: less than a second."""

_COLUMNS = np.uint64(8)
_MADE = np.uint64(1 << 18)
_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_6 = np.uint64(6)
_12 = np.uint64(12)
_63 = np.uint64(63)


class Closure(NamedTuple):
    ended: bool
    won: bool
    positions: int
    most_home: int


class Walk(NamedTuple):
    layout: Layout
    moves: np.ndarray
    tally: np.ndarray


HEIGHT = np.uint64(0)
FOUND = np.uint64(1)
COUNTED = np.uint64(2)
ATHOME = np.uint64(3)
MOST = np.uint64(4)
WON = np.uint64(5)


@inlined
def move_word(card, origin, target):
    return (card << _12) | (origin << _6) | target


@inlined
def moves_out(layout, accepts, cells, moves):
    """Write all moves out of a position; their number."""
    tops, in_cells = layout.sets[TOPS], layout.sets[CELLS]
    count = _0
    going = (tops | in_cells) & layout.sets[NEXT]
    while going:
        card = lowest(going)
        going &= going - _1
        moves[count] = move_word(card, layout.at[card], HOME)
        count += _1
    going = tops | in_cells
    has_empty = popcount(tops) < _COLUMNS
    while going:
        card = lowest(going)
        going &= going - _1
        origin = layout.at[card]
        targets = accepts[card] & tops
        while targets:
            moves[count] = move_word(card, origin, lowest(targets))
            targets &= targets - _1
            count += _1
        if has_empty and origin != ON_NO_CARD:
            moves[count] = move_word(card, origin, ON_NO_CARD)
            count += _1
    if popcount(in_cells) < cells:
        going = tops
        while going:
            card = lowest(going)
            going &= going - _1
            moves[count] = move_word(card, layout.at[card], CELL)
            count += _1
    return count


@kernel
def walk_on(table, stack, layout, places, accepts, moves, tally, cells, in_suit, autoplay, limit):
    height, found, counted, home, most = tally[HEIGHT], tally[FOUND], tally[COUNTED], tally[ATHOME], tally[MOST]
    won = False
    while height > _0 and found <= limit and not won:
        word = np.uint64(stack[height - _1])
        card, origin, target = (word >> _12) & _63, (word >> _6) & _63, word & _63
        if word & _MADE:
            move_card(layout, places, card, target, origin)
            if target == HOME:
                home -= _1
            height -= _1
            continue
        stack[height - _1] = word | _MADE
        move_card(layout, places, card, origin, target)
        if target == HOME:
            home += _1
            most = max(most, home)
        safe = np.uint64(64)
        if autoplay:
            safe = safe_home(layout.sets[TOPS] | layout.sets[CELLS], layout.sets[NEXT], in_suit)
        if safe < np.uint64(64):
            moves[_0] = move_word(safe, layout.at[safe], HOME)
            count = _1
        else:
            count = moves_out(layout, accepts, cells, moves)
            counted += _1
        for i in range(count):
            move = moves[i]
            card = move >> _12
            change = places.codes[card, (move >> _6) & _63] ^ places.codes[card, move & _63]
            word = card % _3
            a = layout.words[_0] ^ (change if word == _0 else _0)
            b = layout.words[_1] ^ (change if word == _1 else _0)
            c = layout.words[_2] ^ (change if word == _2 else _0)
            if a | b | c == _0:
                won = True
            elif insert(table, a, b, c):
                found += _1
                stack[height] = move
                height += _1
    tally[HEIGHT] = height
    tally[FOUND] = found
    tally[COUNTED] = counted
    tally[ATHOME] = home
    tally[MOST] = most
    tally[WON] = won


@kernel
def begin(table, words, places, layout):
    unpack(words, places, layout)
    insert(table, words[_0], words[_1], words[_2])


def exhaust(board: np.ndarray, rules: Rules, budget: int, autoplay: bool = False) -> Closure:
    accepts = accepting(rules.in_suit)
    places = places_of(board, accepts)
    layout = empty_layout()
    table = new_table(FIRST_SLOTS)
    words = words_of(board, places)
    begin(table, words, places, layout)
    stack = np.zeros(len(table), np.uint32)
    tally = np.zeros(6, np.uint64)
    tally[HEIGHT] = tally[FOUND] = 1
    stack[0] = int(layout.at[0]) * 65
    moves = np.zeros(MOST_MOVES, np.uint64)
    while True:
        limit = min(budget, int(tally[FOUND]) + SLICE, room(table))
        walk_on(table, stack, layout, places, accepts, moves, tally, np.uint64(rules.cells), rules.in_suit, autoplay, np.uint64(limit))
        if tally[HEIGHT] == 0 or tally[WON] or tally[FOUND] > budget:
            break
        if tally[FOUND] > room(table):
            table = doubled(table)
            stack = np.resize(stack, len(table))
    ended = tally[HEIGHT] == 0 
    return Closure(bool(ended), bool(tally[WON]), int(tally[COUNTED if autoplay else FOUND]), int(tally[MOST]))
