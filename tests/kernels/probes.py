"""Kernels through which tests call the small functions that are inlined into the search."""

import numpy as np

from kernels.jit import highest, inlined, kernel, lowest, popcount
from kernels.search.buckets import clear, lower, pop, push
from kernels.search.candidates import NO_LIMIT, find_candidates
from kernels.search.evaluation import Appraisal, appraise, is_certain_win, look_at, value_of
from kernels.search.haste import move_at_once
from kernels.search.keys import clear_keys, is_new
from kernels.search.moves import autoplay, capacity, is_safe, make_move, placeable, tops_of
from kernels.search.position import CELL_WORD, deal_out, key_of, without


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
    deal_out(board, accepts, prefixes, position)


@kernel
def key(position):
    return key_of(position)


@kernel
def shortened(word, segment, under):
    return without(word, segment, under)


@kernel
def take(position, move, under):
    make_move(position, move, under)


@kernel
def settle(position, under, in_suit):
    return autoplay(position, under, in_suit)


@inlined
def appraisal(desk, weights, limit):
    return Appraisal(desk.accepts, desk.prefixes, desk.worths, weights, limit)


@kernel
def weigh(board, desk, weights):
    """Fill the worths of a deal that `begin` has laid out."""
    appraise(board, appraisal(desk, weights, NO_LIMIT))


@kernel
def value(position, desk, weights, rules):
    seen = look_at(position, tops_of(position), rules)
    return value_of(position, seen, appraisal(desk, weights, NO_LIMIT))


@kernel
def certain(position, desk, cells):
    return is_certain_win(position, np.uint64(cells) - popcount(position[CELL_WORD]), desk.worths)


@kernel
def moves(position, desk, weights, rules, limit=NO_LIMIT):
    """Number of candidates found, which stand in the desk."""
    seen = look_at(position, tops_of(position), rules)
    return find_candidates(desk.candidates, position, seen, appraisal(desk, weights, limit))


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
def forget(keys):
    clear_keys(keys)


@kernel
def meet(keys, met, new):
    """For each key whether it is new."""
    for i in range(met.size):
        new[i] = is_new(keys, met[i])


@kernel
def at_once(position, accepts, rules, haste):
    return move_at_once(position, tops_of(position), accepts, rules, haste)
