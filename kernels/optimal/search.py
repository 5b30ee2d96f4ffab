"""A* search for a shortest solution in single-card moves.

A position's estimate is the moves made so far and the bound on those to come. The search goes through the estimates in
rising order, a round each. In a round it keeps only positions of that estimate or less: what a move leads to is made
again in the round that it belongs to, one or two later (Yoshizumi, Miura & Ishida, AAAI 2000). So no memory goes to
positions beyond the last round, which are most. `later` in a slot says what is still to be made from its position: the
moves that raise its estimate by so much, and more.

The bound never falls by more than the moves made. Therefore whatever a round adds was reached by the fewest moves, and
no position is ever entered twice. The round in which the won position is met is its distance; once a round has ended
without it, every solution has more moves than the round's estimate.

A safe move home is made at once, and is the only move of its position: no solution gets longer by it. Take a solution
in which the card x that may go home safely goes home later. No card that isn't home will need x to lie on, except
perhaps y, one lower and of the other colour, and then z, one lower still, on y; and both can go home whenever they are
uncovered. Send x home first, send y home in place of its first move onto x, z in place of its first move onto y, and
leave out all their later moves. Each of the three makes no more moves than before. All other cards move as they did:
what they need is free, since cards were only taken away, and none of them goes onto x, y or z.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kernels.jit import inlined, kernel, popcount
from kernels.layout import Layout
from kernels.optimal.bound import (
    Dealt,
    Sight,
    at_most_with,
    cards_in_the_way,
    dealt,
    look,
    new_sight,
    waits_for_itself,
    within,
)
from kernels.optimal.table import (
    BEHIND,
    FULL,
    NO_CARD,
    code_of,
    double,
    doublings,
    expect,
    is_free,
    packed,
    reserved,
    set_slot,
    slot_for,
    unpacked,
    way_to,
)
from kernels.proof.around import CARD_BITS, CHILD_WORDS, MOST_CHILDREN, look_around
from kernels.proof.path import WON, Planes
from kernels.proof.planes import (
    HOME,
    IN_CELL,
    ON_LOWER_SUIT,
    PLANES,
    facts_from,
    home_cards,
)
from kernels.rules import Rules
from kernels.words import U0, U1, U2, U4

MOST_WAITING = 1 << 14
"""Positions on the stack. Each was added where a move lowered the bound, at most 104 times in a row, 80 at a time."""

SLICE, SCAN = 1 << 14, 1 << 23
"""Positions to expand and slots to look at, at most, between two returns to Python, which then can take a signal."""

COUNT, WAITING, SCANNED, MET, EXPANDED = (np.uint64(i) for i in range(5))
"""Entries of a tally: positions in the table, on the stack, slots looked at in this round, whether a move wins, and
positions expanded."""

_NO_CARD, _NOT_LATER = np.uint64(NO_CARD), np.uint64(3)
_ONE_LATER = np.uint64(1 << 58)


class Desk(NamedTuple):
    """What a search works with beside its table.

    Attributes
    ----------
    stack : (16384, 3) uint64
        Positions to expand in this round, as words of a slot.
    tally : (5,) uint64
    last : (3,) uint64
        The planes of the position that one move wins from.
    around : (80, 5) uint64
        Scratch: what was found around a position.
    deal : Dealt
    sight : Sight
    """

    stack: np.ndarray
    tally: np.ndarray
    last: np.ndarray
    around: np.ndarray
    deal: Dealt
    sight: Sight


def new_desk(deal: Dealt) -> Desk:
    """Room for the search of one deal."""
    return Desk(
        np.zeros((MOST_WAITING, PLANES), np.uint64),
        np.zeros(5, np.uint64),
        np.zeros(PLANES, np.uint64),
        np.zeros((MOST_CHILDREN, CHILD_WORDS), np.uint64),
        deal,
        new_sight(),
    )


@kernel
def set_out(table, slots, planes, desk):
    """Enter the first position; its estimate."""
    a, b, c = planes[U0], planes[U1], planes[U2]
    way = cards_in_the_way(a, b, c, U0, desk.deal, desk.sight)
    first, second, third = packed(a, b, c, U0, way, U0, _NO_CARD, U0)
    set_slot(table, slot_for(table, a, b, c, slots), first, second, third)
    desk.tally[COUNT] = U1
    return popcount(a | b | c) + way


@inlined
def enter(table, slot, desk, first, second, third):
    """Enter a position into a slot, and put it on the stack; this round makes what doesn't raise its estimate."""
    set_slot(table, slot, first, second + _ONE_LATER, third)
    waiting = desk.tally[WAITING]
    desk.stack[waiting, U0], desk.stack[waiting, U1], desk.stack[waiting, U2] = first, second, third
    desk.tally[WAITING] = waiting + U1
    desk.tally[COUNT] += U1


@inlined
def may_raise(before, after, later):
    """Whether a move from one code to another may raise the estimate by so much.

    A move home doesn't; any other is a further move, and it may take a card out of the way of those that it lay above,
    and into the way of those that it comes to lie above.
    """
    if after == np.uint64(HOME):
        return later == U0
    from_cell, onto = before == np.uint64(IN_CELL), after >= np.uint64(ON_LOWER_SUIT)
    return not ((later == U0 and from_cell) or (later == U2 and not onto))


@inlined
def expand(table, slots, facts, desk, first, second, third, later):
    """Enter what is new around a position and has an estimate higher by `later`; stop where a move wins.

    What is lower has been entered by earlier calls for the position. So what is still new is at least so high.
    """
    (a, b, c), moves, way, last, _ = unpacked(first, second, third)
    around, sight, tally = desk.around, desk.sight, desk.tally
    count, settled = look_around(a, b, c, facts, True, U0, around)
    tally[EXPANDED] += U1
    for i in range(count):
        expect(table, around[i, U0], around[i, U1], around[i, U2], slots)
    home, columns = home_cards(a, b, c), b | c
    doomed, looked = U0, False
    asked, helping = U0, U0
    for i in range(count):
        x, y, z, card = around[i, U0], around[i, U1], around[i, U2], around[i, U4] & CARD_BITS
        if card == last and settled:  # one move would do
            continue
        bit = U1 << card
        before, after = code_of(a, b, c, card), code_of(x, y, z, card)
        if not may_raise(before, after, later):
            continue
        if x | y | z == U0:
            tally[MET] = U1
            desk.last[U0], desk.last[U1], desk.last[U2] = a, b, c
            return
        goes_home, onto = after == np.uint64(HOME), after >= np.uint64(ON_LOWER_SUIT)
        if not looked and not goes_home and (later == U0 or (onto and later == U1)):
            doomed, looked = look(a, b, c, desk.deal, sight), True
        if later == U0 and not goes_home:
            if not asked & bit:
                asked |= bit
                if is_in_the_way(home, doomed, card, way, columns, sight):
                    helping |= bit
            if not helping & bit:
                continue
        slot = slot_for(table, x, y, z, slots)
        if not is_free(table, slot):
            continue
        ahead = way if goes_home else way + later - U1
        if onto and later < U2:
            on = desk.deal.higher[card] if x & bit else desk.deal.lower[card]
            beneath = sight.beneath[on] | (U1 << on)
            if not at_most_with(home, doomed, card, beneath, sight.column[on], columns, ahead, sight):
                continue
        one, two, three = packed(x, y, z, moves + U1, ahead, U0, card, before)
        enter(table, slot, desk, one, two, three)


@inlined
def is_in_the_way(home, doomed, card, way, columns, sight):
    """Whether a card that can be moved is one of the fewest in the way: without it there is one less."""
    bit = U1 << card
    if doomed & bit:
        return True
    count = popcount(doomed)
    if way == count or not waits_for_itself(card, sight.beneath[card], doomed, columns, sight):
        return False
    return within(home, doomed | bit, way - count - U1, sight)


@kernel
def go_on(table, slots, facts, desk, estimate, most, scan, room):
    """Go on with a round, until it has ended, a move wins, or one of the limits is reached.

    Parameters
    ----------
    table : (slots + 4096, 3) uint64
    slots : uint64
    facts : Facts
    desk : Desk
    estimate : uint64
        That of the round.
    most, scan : uint64
        Positions to expand, and slots to look at.
    room : uint64
        Positions that the table may hold before it has to grow.

    Returns
    -------
    bool
        Whether the round has ended.
    """
    tally, stack = desk.tally, desk.stack
    most += tally[EXPANDED]
    while tally[EXPANDED] < most and tally[COUNT] < room and scan > U0:
        if tally[WAITING] > U0:
            tally[WAITING] -= U1
            top = tally[WAITING]
            expand(table, slots, facts, desk, stack[top, U0], stack[top, U1], stack[top, U2], U0)
        else:
            slot = tally[SCANNED]
            if slot == np.uint64(table.shape[0]):
                return True
            tally[SCANNED] += U1
            scan -= U1
            first, second, third = table[slot, U0], table[slot, U1], table[slot, U2]
            later = second >> np.uint64(58)
            if first | second | third == U0 or later == _NOT_LATER:
                continue
            (a, b, c), moves, way, _, _ = unpacked(first, second, third)
            if moves + popcount(a | b | c) + way + later == estimate:
                table[slot, U1] = second + _ONE_LATER
                expand(table, slots, facts, desk, first, second, third, later)
        if tally[MET]:
            return False
    return False


class Bounds(NamedTuple):
    """What is known while the search goes on, and in the end.

    Attributes
    ----------
    at_least : int
        No solution has fewer moves.
    positions : int
        That the table holds.
    expanded : int
        Positions that were expanded, one counted for each time.
    """

    at_least: int
    positions: int
    expanded: int


class Shortest(NamedTuple):
    """What a search came to.

    Attributes
    ----------
    bounds : Bounds
    way : list of (int, int, int)
        The planes from the first position to the won one, if a solution with fewer moves than were known was found: a
        shortest one. Otherwise empty.
    """

    bounds: Bounds
    way: list[Planes]


def shortest(layout: Layout, rules: Rules, known: int, most: int, goes_on: Callable[[Bounds], bool]) -> Shortest:
    """Look for a solution with fewer moves than one that is known.

    Parameters
    ----------
    layout : Layout
        Not a won one.
    rules : Rules
    known : int
        Single-card moves of a solution.
    most : int
        Positions that the table may hold; see `bytes_for`.
    goes_on : callable
        Told what is known after each slice of the work; the search stops where the answer is False.

    Returns
    -------
    Shortest
        If `at_least` is `known`, there is no shorter solution; if there is a way, it is the shortest; otherwise the
        search was stopped, or the room was used up.
    """
    facts, planes = facts_from(layout, rules.cells, rules.in_suit)
    desk = new_desk(dealt(layout, facts.accepts))
    tally = desk.tally
    slots, times = doublings(most)
    memory = reserved(slots << times)
    estimate = int(set_out(memory[: slots + BEHIND], np.uint64(slots), planes, desk))

    def bounds() -> Bounds:
        return Bounds(min(estimate, known), int(tally[COUNT]), int(tally[EXPANDED]))

    while estimate < known and goes_on(bounds()):
        room = int(slots * FULL) - MOST_CHILDREN
        if tally[COUNT] >= room:
            if times == 0:
                break
            double(memory, slots)
            slots, times = 2 * slots, times - 1
            tally[SCANNED] = 0
            continue
        limits = (np.uint64(limit) for limit in (SLICE, SCAN, room))
        table = memory[: slots + BEHIND]
        if go_on(table, np.uint64(slots), facts, desk, np.uint64(estimate), *limits):
            estimate += 1
            tally[SCANNED] = 0
        elif tally[MET]:
            a, b, c = map(int, desk.last)
            return Shortest(bounds(), [*way_to(table, slots, (a, b, c)), WON])
    return Shortest(bounds(), [])


def bytes_for(most: int) -> int:
    """Bytes of memory that a table of so many positions takes."""
    return int(most / FULL) * PLANES * 8
