"""Kernels through which tests call the small functions that are inlined into the search."""

import numpy as np

from kernels.jit import highest, kernel, lowest, popcount
from kernels.search.buckets import clear, lower, pop, push
from kernels.search.evaluation import appraise, is_certain_win, survey, value_of
from kernels.search.haste import move_at_once
from kernels.search.moves import autoplay, capacity, is_safe, make, placeable, tops_of
from kernels.search.position import CELLS, key_of, lay_out, without
from kernels.search.search import NO_LIMIT, expand


@kernel
def bit_counts(mask):
    """Bits set, the lowest and the highest."""
    return popcount(mask), lowest(mask), highest(mask)


@kernel
def room(free, empties):
    return capacity(free, empties)


@kernel
def fitting(tops, in_suit):
    return placeable(tops, in_suit)


@kernel
def are_safe(cards, next_cards, in_suit, safe):
    """For each row whether a card is safe beside these next cards."""
    for row in range(cards.size):
        safe[row] = is_safe(cards[row], next_cards[row], in_suit)


@kernel
def begin(board, accepts, prefixes, position):
    lay_out(board, accepts, prefixes, position)


@kernel
def key(position):
    return key_of(position)


@kernel
def shortened(word, segment, under):
    return without(word, segment, under)


@kernel
def take(position, move, under):
    make(position, move, under)


@kernel
def settle(position, under, in_suit):
    return autoplay(position, under, in_suit)


@kernel
def weigh(board, desk, weights):
    """Fill the worths of a deal that `begin` has laid out."""
    appraise(board, desk.prefixes, desk.notes.accepts, weights, desk.worths)


@kernel
def value(position, desk, weights, in_suit):
    seen = survey(position, tops_of(position), in_suit)
    return value_of(position, seen, desk.prefixes, desk.worths, weights)


@kernel
def certain(position, desk, cells):
    return is_certain_win(position, np.uint64(cells) - popcount(position[CELLS]), desk.worths)


@kernel
def moves(position, desk, weights, cells, in_suit, limit=NO_LIMIT):
    """Number of moves found, which stand in `desk.notes`."""
    return expand(position, survey(position, tops_of(position), in_suit), desk, weights, cells, limit)


@kernel
def empty(queue):
    clear(queue)


@kernel
def put(queue, bucket, number, child):
    push(queue, bucket, number, child)
    lower(queue, bucket)


@kernel
def get(queue):
    return pop(queue)


@kernel
def at_once(position, accepts, cells, in_suit, haste):
    return move_at_once(position, tops_of(position), accepts, cells, in_suit, haste)
