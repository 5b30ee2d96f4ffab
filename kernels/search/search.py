"""The fast search: best first, children valued before they are made.

A child waits in the queue with an estimate: its parent's value and what the move changes. Only when it is popped is
it made, played home as far as is safe, looked up, valued in full and expanded in turn.

`haste` says what a search in haste leaves out. A careful one leaves no legal move out but those that lead to an equal
position, and nothing is cut: an emptied queue means that it was exhausted. It still proves nothing, since positions
are taken as equal by a 64-bit key: only `closure` says unsolvable.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import ALL
from kernels.jit import highest, inlined, kernel, lowest, popcount
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
from kernels.search.evaluation import (
    Worths,
    appraise,
    cells_points,
    empties_points,
    empty_worths,
    is_certain_win,
    survey,
    value_of,
)
from kernels.search.haste import CAREFUL, NO_MOVE, move_at_once
from kernels.search.moves import (
    CELL,
    FOUNDATION,
    autoplay,
    capacity,
    make,
    move_word,
)
from kernels.search.position import (
    CELLS,
    COLUMNS,
    HOME,
    PLACE,
    WORDS,
    Prefixes,
    empty_prefixes,
    key_of,
    lay_out,
    run_of,
    top_of,
)
from kernels.words import U0, U1, U2, U12, U20

OUT, WON, EXHAUSTED = 0, 1, 2
"""Answers of the search: out of budget, won, or exhausted."""

CHILDREN_A_POSITION = 16
"""Room in the queue, in children for each position of the budget; a search that fills it is out of budget."""

MOST_CHILDREN = 96

NO_LIMIT = np.int64(1 << 40)
"""More than any move is estimated to change."""


class Notes(NamedTuple):
    """Scratch for the position that is being expanded.

    Attributes
    ----------
    accepts : (64,) uint64
        By card, the cards that it fits on.
    column_of : (64,) uint64
        By card, the column whose top it is.
    burdens : (8,) int64
        By column, what each card costs that lies on it.
    moves : (96,) uint64
        Moves found.
    estimates : (96,) int64
        What each is estimated to change.
    """

    accepts: np.ndarray
    column_of: np.ndarray
    burdens: np.ndarray
    moves: np.ndarray
    estimates: np.ndarray


class Desk(NamedTuple):
    """All the room that one search takes.

    Attributes
    ----------
    positions : (n, 10) uint64
        Positions expanded, and those with a move made at once; the first is the deal.
    origins : (n,) uint64
        Child word that each came from.
    gaps : (n,) int64
        Sum of the gaps on the path to each, in points.
    keys : (power of two,) uint64
        Open table of the keys met.
    """

    prefixes: Prefixes
    worths: Worths
    notes: Notes
    queue: Queue
    positions: np.ndarray
    origins: np.ndarray
    gaps: np.ndarray
    keys: np.ndarray


def positions_for(budget: int, haste: int) -> int:
    """Positions that a search has room for: one more than it may expand, and in haste as many again on the way."""
    return (2 * budget if haste > CAREFUL else budget) + 1


def new_desk(budget: int, accepts: np.ndarray, haste: int) -> Desk:
    """Room for searches that expand at most `budget` positions."""
    positions = positions_for(budget, haste)
    return Desk(
        empty_prefixes(),
        empty_worths(),
        Notes(
            accepts,
            np.zeros(64, np.uint64),
            np.zeros(8, np.int64),
            np.zeros(MOST_CHILDREN, np.uint64),
            np.zeros(MOST_CHILDREN, np.int64),
        ),
        empty_queue(budget * CHILDREN_A_POSITION + MOST_CHILDREN + 1),
        np.empty((positions, WORDS), np.uint64),
        np.empty(positions, np.uint64),
        np.empty(positions, np.int64),
        np.zeros(1 << (2 * positions - 1).bit_length(), np.uint64),
    )


def desk_bytes(budget: int, haste: int) -> int:
    """Bytes that `new_desk` may come to hold."""
    positions = positions_for(budget, haste)
    children = budget * CHILDREN_A_POSITION + MOST_CHILDREN + 1
    return positions * (WORDS + 2) * 8 + children * 12 + (8 << (2 * positions - 1).bit_length())


@inlined
def is_new(keys, key):
    """Enter a key into the open table; False where it was there already."""
    mask = np.uint64(keys.size - 1)
    slot = (key >> U20) & mask
    while keys[slot] != U0:
        if keys[slot] == key:
            return False
        slot = (slot + U1) & mask
    keys[slot] = key
    return True


@inlined
def add(notes, count, estimate, move, limit):
    """Note a move found, and count it unless it is estimated to change more than the limit."""
    notes.moves[count] = move
    notes.estimates[count] = estimate
    return count + np.uint64(estimate <= limit)


@inlined
def uncovering(top, head, spots, next_cards, weights):
    """Bonus where a card and the run below its head become free to move; both as sets of one."""
    bonus = np.int64(0)
    if top & spots:
        bonus += weights.uncovers_fitting
    if head & spots:
        bonus += weights.uncovers_run
    if top & next_cards:
        bonus += weights.uncovers_next
    return bonus


@inlined
def burden(run, place, next_cards, prefixes, worths, weights):
    """What each card costs that lies on a column, for the low cards and the next ones in it."""
    buried = np.int64(popcount((prefixes.cards[place] | run) & next_cards))
    return worths.pressure[place] + weights.dig * buried


@inlined
def leaving(word, segment, spots, next_cards, prefixes, worths, weights):
    """What changes where a segment leaves a column: the cards it burdened, and what is uncovered."""
    rest = run_of(word) ^ segment
    place = word >> PLACE
    change = -burden(rest, place, next_cards, prefixes, worths, weights) * np.int64(popcount(segment))
    if rest:
        return change - uncovering(top_of(rest), U1 << highest(rest), spots, next_cards, weights)
    if place == U0:
        return change - weights.empty_more
    change += worths.bared[place]
    return change - uncovering(worths.bare_top[place], worths.bare_head[place], spots, next_cards, weights)


class Scene(NamedTuple):
    """What all moves of a position have in common.

    Attributes
    ----------
    tops, spots, next_cards : uint64
        The top cards, the cards that fit on one of them, and the next card of each suit.
    free, empties, empty : uint64
        Number of free cells and of empty columns; an empty column, if there is one.
    cell_taken, cell_freed, column_taken : int64
        What it changes to put a card on a cell, to take one from there, and to fill an empty column.
    limit : int64
        A move that is estimated to change more is left out.
    """

    tops: int
    spots: int
    next_cards: int
    free: int
    empties: int
    empty: int
    cell_taken: int
    cell_freed: int
    column_taken: int
    limit: int


@inlined
def look_around(position, seen, desk, weights, cells, limit):
    """Note where each top lies and what its column costs; the scene. `seen` is the position's survey."""
    notes = desk.notes
    next_cards = position[HOME] & ALL
    empty = U0
    for column in range(COLUMNS):
        run, place = run_of(position[column]), position[column] >> PLACE
        if run == U0:
            empty = column
        else:
            notes.column_of[lowest(run)] = column
            notes.burdens[column] = burden(run, place, next_cards, desk.prefixes, desk.worths, weights)
    taken = np.int64(popcount(position[CELLS]))
    empties = np.int64(seen.empties)
    return Scene(
        seen.tops,
        seen.spots,
        next_cards,
        np.uint64(cells) - np.uint64(taken),
        seen.empties,
        empty,
        cells_points(taken + 1, weights) - cells_points(taken, weights),
        cells_points(taken - 1, weights) - cells_points(taken, weights),
        empties_points(empties - 1, weights) - empties_points(empties, weights),
        limit,
    )


@inlined
def add_onto_tops(notes, count, head, size, source, change, scene):
    """Add the moves of a run with that head, or of a card, onto the tops that it fits on."""
    targets = notes.accepts[head] & scene.tops
    while targets:
        target = notes.column_of[lowest(targets)]
        targets &= targets - U1
        there = notes.burdens[target] * np.int64(size)
        count = add(notes, count, change + there, move_word(head, source, target), scene.limit)
    return count


@inlined
def add_runs(desk, count, word, column, single, scene, weights):
    """Add the moves of a column's run, or of its upper part, onto tops; `single` is what its top card changes."""
    run = run_of(word)
    top = lowest(run)
    most = capacity(scene.free, scene.empties)
    heads = run & scene.spots
    while heads:
        head = lowest(heads)
        heads &= heads - U1
        segment = run & ((U2 << head) - U1)
        size = popcount(segment)
        if size > most:
            break
        change = single
        if head != top:
            change = leaving(word, segment, scene.spots, scene.next_cards, desk.prefixes, desk.worths, weights)
        count = add_onto_tops(desk.notes, count, head, size, column, change, scene)
    return count


@inlined
def base_points(head, weights):
    """Points of a card that becomes the lowest of a column."""
    return weights.low_base * np.int64(U12 - (head >> U2))


@inlined
def add_to_empty(desk, count, word, column, single, scene, weights):
    """Add the moves of a column's top card and of its whole run to an empty column.

    Parts of the run between those come about card by card. What has no prefix stays where it is.
    """
    run = run_of(word)
    size, top, head = popcount(run), lowest(run), highest(run)
    if size > U1:
        change = single + scene.column_taken + base_points(top, weights)
        count = add(desk.notes, count, change, move_word(top, column, scene.empty), scene.limit)
    if word >> PLACE and size <= capacity(scene.free, scene.empties - U1):
        change = leaving(word, run, scene.spots, scene.next_cards, desk.prefixes, desk.worths, weights)
        change += scene.column_taken + base_points(head, weights)
        count = add(desk.notes, count, change, move_word(head, column, scene.empty), scene.limit)
    return count


@inlined
def add_from_column(desk, count, word, column, scene, weights):
    """Add all moves of a column that isn't empty."""
    notes = desk.notes
    top = lowest(run_of(word))
    bit = U1 << top
    single = leaving(word, bit, scene.spots, scene.next_cards, desk.prefixes, desk.worths, weights)
    count = add_runs(desk, count, word, column, single, scene, weights)
    if scene.free > U0:
        count = add(notes, count, single + scene.cell_taken, move_word(top, column, CELL), scene.limit)
    if bit & scene.next_cards:
        count = add(notes, count, single - weights.home, move_word(top, column, FOUNDATION), scene.limit)
    if scene.empties > U0:
        count = add_to_empty(desk, count, word, column, single, scene, weights)
    return count


@inlined
def add_from_cell(notes, count, card, scene, weights):
    """Add all moves of a card on a cell."""
    bit = U1 << card
    freed = scene.cell_freed
    if bit & scene.spots:
        count = add_onto_tops(notes, count, card, U1, CELL, freed, scene)
    if bit & scene.next_cards:
        count = add(notes, count, freed - weights.home, move_word(card, CELL, FOUNDATION), scene.limit)
    if scene.empties > U0:
        change = freed + scene.column_taken + base_points(card, weights)
        count = add(notes, count, change, move_word(card, CELL, scene.empty), scene.limit)
    return count


@inlined
def expand(position, seen, desk, weights, cells, limit):
    """Find the moves of a position, given its survey, and estimate each; those above the limit are left out.

    Returns
    -------
    uint64
        Number of moves, which stand in `desk.notes` with what each changes.
    """
    scene = look_around(position, seen, desk, weights, cells, limit)
    count = U0
    for column in range(COLUMNS):
        if position[column] != U0:
            count = add_from_column(desk, count, position[column], column, scene, weights)
    on_cells = position[CELLS]
    while on_cells:
        count = add_from_cell(desk.notes, count, lowest(on_cells), scene, weights)
        on_cells &= on_cells - U1
    return count


@inlined
def enqueue(desk, number, value, count, made, weights):
    """Put the moves that `expand` found into the queue; the number of children made so far."""
    notes = desk.notes
    best = np.int64(1 << 40)
    for i in range(count):
        best = min(best, notes.estimates[i])
    # The gaps on the path so far weigh on all children alike, a child's own gap on itself.
    start = value + best + ((weights.gap * desk.gaps[number]) >> 6)
    for i in range(count):
        gap = notes.estimates[i] - best
        bucket = bucket_of(start + ((gap * (64 + weights.gap)) >> 6))
        push(desk.queue, bucket, made, child_word(number, gap, notes.moves[i]))
        made += U1
    lower(desk.queue, bucket_of(start))
    return made


@inlined
def is_won(position, cells, worths):
    """Whether nothing is left to search: certainly won, or already home."""
    return is_certain_win(position, np.uint64(cells) - popcount(position[CELLS]), worths)


@inlined
def make_child(desk, number, parent, child, all_home):
    """Make a child of a position, played home as far as is safe, or with `all_home` as far as it goes; its tops."""
    position = desk.positions[number]
    for word in range(np.uint64(WORDS)):
        position[word] = desk.positions[parent, word]
    make(position, move_of(child), desk.prefixes.under)
    desk.origins[number] = child
    desk.gaps[number] = desk.gaps[parent] + gap_of(child)
    return autoplay(position, desk.prefixes.under, all_home)


@inlined
def rush(desk, number, tops, cells, in_suit, haste):
    """Make the moves that haste makes at once, each into the next position; the last one's number and tops.

    Positions on the way are neither looked up nor tested for a win: from equal ones the moves nearly always end
    equally, and a win that they pass is only found later. Where the room ends, they end, too.
    """
    last = np.uint64(desk.positions.shape[0] - 1)
    move = move_at_once(desk.positions[number], tops, desk.notes.accepts, cells, in_suit, haste)
    while move != NO_MOVE and number < last:
        tops = make_child(desk, number + U1, number, child_word(number, np.int64(0), move), True)
        number += U1
        move = move_at_once(desk.positions[number], tops, desk.notes.accepts, cells, in_suit, haste)
    return number, tops


@kernel
def search(deal, desk, weights, cells, in_suit, haste, budget):
    """Search one deal.

    Parameters
    ----------
    deal : (52,) uint8
        Cards in dealing order.
    desk : Desk
        Room for at least `budget` positions; its former content doesn't matter.
    weights : Weights
    cells : int64
    in_suit : bool
    haste : int64
        How much is left out: one of the levels of `haste`.
    budget : int64
        Positions to expand at most; those with a move made at once are not expanded.

    Returns
    -------
    answer : int64
        `WON`, `EXHAUSTED` or `OUT`; an exhausted search that left moves out says `OUT`.
    expanded : int64
        Positions expanded.
    last : int64
        Number of the won position in `desk`, where `answer` is `WON`.
    """
    positions, queue = desk.positions, desk.queue
    clear(queue)
    desk.keys[:] = U0
    lay_out(deal, desk.notes.accepts, desk.prefixes, positions[0])
    appraise(deal, desk.prefixes, desk.notes.accepts, weights, desk.worths)
    desk.gaps[0] = 0
    all_home = in_suit or haste > CAREFUL
    limit = weights.limit if haste > CAREFUL else NO_LIMIT
    number, tops = rush(desk, U0, autoplay(positions[0], desk.prefixes.under, all_home), cells, in_suit, haste)
    is_new(desk.keys, key_of(positions[number]))
    start = value_of(positions[number], survey(positions[number], tops, in_suit), desk.prefixes, desk.worths, weights)
    made = U1
    expanded = 0
    last = np.uint64(positions.shape[0] - 1)
    room = np.uint64(queue.children.size - MOST_CHILDREN)
    while not is_won(positions[number], cells, desk.worths):
        if expanded >= budget or number == last or made > room:
            return OUT, expanded, 0
        seen = survey(positions[number], tops, in_suit)
        value = value_of(positions[number], seen, desk.prefixes, desk.worths, weights) - start
        count = expand(positions[number], seen, desk, weights, cells, limit)
        expanded += 1
        made = enqueue(desk, number, value, count, made, weights)
        free = number + U1
        new = False
        while not new:
            popped = pop(queue)
            if popped == U0:
                return OUT if haste > CAREFUL else EXHAUSTED, expanded, 0
            child = queue.children[popped]
            tops = make_child(desk, free, parent_of(child), child, all_home)
            number, tops = rush(desk, free, tops, cells, in_suit, haste)
            new = is_new(desk.keys, key_of(positions[number]))
    return WON, expanded, np.int64(number)
