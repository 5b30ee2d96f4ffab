"""Kernels through which tests call the small functions that are inlined into the search."""

from kernels.jit import highest, inlined, kernel, lowest, popcount
from kernels.search.buckets import clear, lower, pop, push
from kernels.search.candidates import NO_LIMIT, find_candidates
from kernels.search.evaluation import Appraisal, appraise, is_certain_win, look_at, value_of
from kernels.search.haste import move_at_once
from kernels.search.keys import clear_keys, is_new
from kernels.search.moves import autoplay, capacity, is_safe, make_move, placeable
from kernels.search.position import deal_out, key_of, read_position, without, write_position


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
def begin(board, accepts, prefixes, row):
    write_position(row, deal_out(board, accepts, prefixes))


@kernel
def key(row):
    return key_of(read_position(row))


@kernel
def shortened(word, segment, under):
    return without(word, segment, under)


@kernel
def take(row, move, under):
    write_position(row, make_move(read_position(row), move, under))


@kernel
def settle(row, under, in_suit):
    """Play home what is safe."""
    write_position(row, autoplay(read_position(row), under, in_suit))


@inlined
def appraisal(desk, weights, limit):
    return Appraisal(desk.accepts, desk.prefixes, desk.worths, weights, limit)


@kernel
def weigh(board, desk, weights):
    """Fill the worths of a deal that `begin` has laid out."""
    appraise(board, appraisal(desk, weights, NO_LIMIT))


@kernel
def value(row, desk, weights, rules):
    position, deal = read_position(row), appraisal(desk, weights, NO_LIMIT)
    return value_of(position, look_at(position, rules, deal), deal)


@kernel
def certain(row, desk, weights, rules):
    return is_certain_win(look_at(read_position(row), rules, appraisal(desk, weights, NO_LIMIT)))


@kernel
def moves(row, desk, weights, rules, limit=NO_LIMIT):
    """Number of candidates found, which stand in the desk."""
    position, deal = read_position(row), appraisal(desk, weights, limit)
    return find_candidates(desk.candidates, position, look_at(position, rules, deal), deal)


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
def at_once(row, accepts, rules, haste):
    return move_at_once(read_position(row), accepts, rules, haste)
