"""The fast search: best first, children valued before they are made.

A child waits in the queue with an estimate: the value of its parent and what the move changes. When it is popped, it is
made, played home as far as is safe, looked up, valued in full and expanded.

What a search in haste leaves out stands in `haste.py`. A careful one leaves out only moves to an equal position, so an
empty queue means that it is exhausted. That proves nothing yet, since positions with the same 64-bit key are taken as
equal: only an exhaustion with exact positions (`kernels/proof`) says unsolvable.
"""

from typing import NamedTuple

import numpy as np

from kernels.jit import inlined, kernel
from kernels.search.buckets import (
    Queue,
    bucket_of,
    child_word,
    clear,
    empty_queue,
    gap_of,
    lower,
    move_of,
    parent_of,
    pop,
    push,
)
from kernels.search.candidates import MOST_CANDIDATES, NO_LIMIT, Candidates, find_candidates, no_candidates
from kernels.search.evaluation import Appraisal, Weights, appraise, empty_worths, is_certain_win, look_at, value_of
from kernels.search.haste import CAREFUL, NO_MOVE, move_at_once
from kernels.search.keys import Keys, clear_keys, is_new, keys_bytes, no_keys
from kernels.search.moves import accepting, autoplay, make_move
from kernels.search.position import (
    GAP_WORD,
    ORIGIN_WORD,
    WORDS,
    Prefixes,
    deal_out,
    empty_prefixes,
    key_of,
    read_position,
    write_position,
)
from kernels.words import U0, U1

OUT, WON, EXHAUSTED = 0, 1, 2
"""Answers of the search: out of budget, won, or exhausted."""

CHILDREN_A_POSITION = 16
"""Room in the queue, in children for each position of the budget; a search that fills it is out of budget."""

MOST_BUDGET = ((1 << 32) - MOST_CANDIDATES - 1) // CHILDREN_A_POSITION
"""Largest budget: children are numbered in 32 bits."""


LINE = 8
"""Words in a line of the processor's cache."""


class Desk(NamedTuple):
    """All the room that one search takes.

    Attributes
    ----------
    accepts : (64,) uint64
        By card, the cards that it fits on.
    prefixes : Prefixes
    worths : (64,) uint64
    candidates : Candidates
    queue : Queue
    positions : (n, 16) uint64
        Positions expanded, and those with a move made at once; the first is the deal.
    keys : Keys
        The keys met.
    """

    accepts: np.ndarray
    prefixes: Prefixes
    worths: np.ndarray
    candidates: Candidates
    queue: Queue
    positions: np.ndarray
    keys: Keys


class Searcher(NamedTuple):
    """How a deal is searched, and the room for it.

    Attributes
    ----------
    desk : Desk
        Room for at least `budget` positions; its former content doesn't matter.
    weights : Weights
    haste : int64
        How much is left out: one of the levels of `haste`.
    budget : int64
        Positions to expand at most; those with a move made at once are not expanded.
    """

    desk: Desk
    weights: Weights
    haste: int
    budget: int


def positions_for(budget: int, haste: int) -> int:
    """Positions that a search has room for: one more than it may expand, and in haste as many again on the way."""
    return (2 * budget if haste > CAREFUL else budget) + 1


def empty_rows(count: int) -> np.ndarray:
    """Rows for so many positions, each in two lines of the cache."""
    words = np.empty(count * WORDS + LINE, np.uint64)
    start = -(words.ctypes.data // words.itemsize) % LINE
    return words[start : start + count * WORDS].reshape(count, WORDS)


def new_desk(budget: int, in_suit: bool, haste: int) -> Desk:
    """Room for searches that expand at most `budget` positions.

    Raises
    ------
    ValueError
        For a budget outside 0..MOST_BUDGET.
    """
    if not 0 <= budget <= MOST_BUDGET:
        raise ValueError(f"a budget of {budget} positions: a search takes from 0 to {MOST_BUDGET}")
    positions = positions_for(budget, haste)
    return Desk(
        accepting(in_suit),
        empty_prefixes(),
        empty_worths(),
        no_candidates(),
        empty_queue(budget * CHILDREN_A_POSITION + MOST_CANDIDATES + 1),
        empty_rows(positions),
        no_keys(positions),
    )


def desk_bytes(budget: int, haste: int) -> int:
    """Bytes that `new_desk` may come to hold."""
    positions = positions_for(budget, haste)
    children = budget * CHILDREN_A_POSITION + MOST_CANDIDATES + 1
    return positions * WORDS * 8 + children * 12 + keys_bytes(positions)


@inlined
def enqueue(desk, number, value, count, made, weights):
    """Put the candidates of a position into the queue; the number of children made so far.

    Parameters
    ----------
    number : uint64
        Number of the position.
    value : int64
        Its value, in points above that of the first position.
    count : uint64
        Number of its candidates, which stand in the desk.
    made : uint64
        Number of the next child.
    """
    found = desk.candidates
    best = NO_LIMIT
    for i in range(count):
        best = min(best, found.estimates[i])
    # The gaps on the path so far weigh on all children alike, a child's own gap on itself.
    start = value + best + ((weights.gap * np.int64(desk.positions[number, GAP_WORD])) >> 6)
    # No weight puts a child below the best one, whose bucket `lower` is told of.
    share = max(64 + weights.gap, 0)
    for i in range(count):
        gap = found.estimates[i] - best
        bucket = bucket_of(start + ((gap * share) >> 6))
        push(desk.queue, bucket, made, child_word(number, gap, found.moves[i]))
        made += U1
    lower(desk.queue, bucket_of(start))
    return made


@inlined
def make_child(desk, number, position, gap, child, all_home):
    """The child of a position, played home as far as is safe, or with `all_home` as far as it goes; in row `number`."""
    made = autoplay(make_move(position, move_of(child), desk.prefixes.under), desk.prefixes.under, all_home)
    row = desk.positions[number]
    write_position(row, made)
    row[ORIGIN_WORD] = child
    row[GAP_WORD] = np.uint64(gap)
    return made


@inlined
def rush(desk, number, position, gap, rules, haste):
    """Make the moves that haste makes at once, each into the next row; the last one's number and position.

    Positions on the way are neither looked up nor tested for a win: from equal ones the moves nearly always end
    equally, and a win that they pass is only found later. Where the room ends, they end, too.
    """
    last = np.uint64(desk.positions.shape[0] - 1)
    move = move_at_once(position, desk.accepts, rules, haste)
    while move != NO_MOVE and number < last:
        position = make_child(desk, number + U1, position, gap, child_word(number, np.int64(0), move), True)
        number += U1
        move = move_at_once(position, desk.accepts, rules, haste)
    return number, position


@inlined
def begin(board, rules, searcher, deal, all_home):
    """Clear the desk and lay the deal out; number and position of the one to expand first."""
    desk = searcher.desk
    clear(desk.queue)
    clear_keys(desk.keys)
    position = autoplay(deal_out(board, desk.accepts, desk.prefixes), desk.prefixes.under, all_home)
    appraise(board, deal)
    write_position(desk.positions[0], position)
    desk.positions[0, GAP_WORD] = U0
    number, position = rush(desk, U0, position, np.int64(0), rules, searcher.haste)
    is_new(desk.keys, key_of(position))
    return number, position


@inlined
def next_new(desk, free, rules, haste, all_home):
    """Make the children that are popped until one is new: its number and position, or row 0 where there is none."""
    while True:
        popped = pop(desk.queue)
        if popped == U0:
            return U0, read_position(desk.positions[0])
        child = desk.queue.children[popped]
        parent = desk.positions[parent_of(child)]
        gap = np.int64(parent[GAP_WORD]) + gap_of(child)
        position = make_child(desk, free, read_position(parent), gap, child, all_home)
        number, position = rush(desk, free, position, gap, rules, haste)
        if is_new(desk.keys, key_of(position)):
            return number, position


@kernel
def search(board, rules, searcher):
    """Search one deal.

    Parameters
    ----------
    board : (52,) uint8
        Cards in dealing order.
    rules : Rules
    searcher : Searcher

    Returns
    -------
    answer : int64
        `WON`, `EXHAUSTED` or `OUT`; an exhausted search that left moves out says `OUT`.
    expanded : int64
        Positions expanded.
    last : int64
        Number of the won position in the desk, where `answer` is `WON`.
    """
    desk, weights, haste, budget = searcher
    limit = weights.limit if haste > CAREFUL else NO_LIMIT
    deal = Appraisal(desk.accepts, desk.prefixes, desk.worths, weights, limit)
    all_home = rules.in_suit or haste > CAREFUL
    number, position = begin(board, rules, searcher, deal, all_home)
    start = value_of(position, look_at(position, rules, deal), deal)
    made = U1
    expanded = 0
    last = np.uint64(desk.positions.shape[0] - 1)
    room = np.uint64(desk.queue.children.size - MOST_CANDIDATES)
    while True:
        seen = look_at(position, rules, deal)
        if is_certain_win(seen):
            return WON, expanded, np.int64(number)
        if expanded >= budget or number == last or made > room:
            return OUT, expanded, 0
        value = value_of(position, seen, deal) - start
        count = find_candidates(desk.candidates, position, seen, deal)
        expanded += 1
        made = enqueue(desk, number, value, count, made, weights)
        number, position = next_new(desk, number + U1, rules, haste, all_home)
        if number == U0:
            return OUT if haste > CAREFUL else EXHAUSTED, expanded, 0
