"""Counts positions and moves by depth, as chess programs do to test how they move.

A depth has the positions that are reached there first, with columns and cells in any order, and the single-card moves
out of them, of which one stands for all that lead to equal positions.
"""

from typing import NamedTuple

import numpy as np

from kernels.jit import kernel
from kernels.proof.closure import FIRST_SLOTS, MOST_MOVES, card_of, moves_out, origin_of, target_of
from kernels.proof.packing import WORDS, Layout, Places, changed, empty_layout, places_of, unpack, words_of
from kernels.proof.table import doubled, insert, new_table, room
from kernels.rules import Rules
from kernels.search.moves import accepting

_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)


class Desk(NamedTuple):
    """What looking around takes.

    Attributes
    ----------
    places : Places
    accepts : (64,) uint64
        By card, the set of cards that it fits on.
    layout : Layout
        Scratch.
    moves : (80,) uint64
        Scratch.
    """

    places: Places
    accepts: np.ndarray
    layout: Layout
    moves: np.ndarray


@kernel
def count_moves(level, desk, cells):
    """Number of moves out of all positions of a level."""
    total = _0
    for i in range(np.uint64(level.shape[0])):
        unpack(level[i], desk.places, desk.layout)
        total += moves_out(desk.layout, desk.accepts, cells, desk.moves)
    return total


@kernel
def look_further(level, desk, cells, table, following):
    """Write the positions that are new after one move; their number."""
    found = _0
    for i in range(np.uint64(level.shape[0])):
        unpack(level[i], desk.places, desk.layout)
        for j in range(moves_out(desk.layout, desk.accepts, cells, desk.moves)):
            move = desk.moves[j]
            a, b, c = changed(level[i], desk.places, card_of(move), origin_of(move), target_of(move))
            if insert(table, a, b, c):
                following[found, _0] = a
                following[found, _1] = b
                following[found, _2] = c
                found += _1
    return found


@kernel
def note(words, table):
    """Note a position."""
    insert(table, words[_0], words[_1], words[_2])


def new_desk(board: np.ndarray, in_suit: bool) -> Desk:
    """Places of a deal and room for one position."""
    accepts = accepting(in_suit)
    return Desk(places_of(board, accepts), accepts, empty_layout(), np.zeros(MOST_MOVES, np.uint64))


def perft_from(words: np.ndarray, desk: Desk, cells: int, depth: int) -> list[tuple[int, int]]:
    """What `perft` counts, from any position of the deal in exact form, (3,) uint64."""
    free_cells = np.uint64(cells)
    level, table, seen, counts = words[None], new_table(FIRST_SLOTS), 1, []
    note(words, table)
    for _ in range(depth):
        moves = int(count_moves(level, desk, free_cells))
        counts.append((len(level), moves))
        while seen + moves > room(len(table)):
            table = doubled(table)
        following = np.empty((moves, WORDS), np.uint64)
        level = following[: int(look_further(level, desk, free_cells, table, following))]
        seen += len(level)
    return [*counts, (len(level), int(count_moves(level, desk, free_cells)))]


def perft(board: np.ndarray, rules: Rules, depth: int) -> list[tuple[int, int]]:
    """Count positions and moves by depth.

    Parameters
    ----------
    board : (52,) uint8
        Cards in dealing order.
    rules : Rules
    depth : int
        Last depth to count, 0..51: no game is won in fewer than 52 moves.

    Returns
    -------
    list of (int, int)
        For each depth from 0: the positions first reached there, and the moves out of them.
    """
    desk = new_desk(board, rules.in_suit)
    return perft_from(words_of(board, desk.places), desk, rules.cells, depth)


def first_steps(board: np.ndarray, rules: Rules) -> np.ndarray:
    """The positions after one move, in exact form: (n, 3) uint64. `perft_from` each shows where counts differ."""
    desk = new_desk(board, rules.in_suit)
    following = np.empty((MOST_MOVES, WORDS), np.uint64)
    level = words_of(board, desk.places)[None]
    count = int(look_further(level, desk, np.uint64(rules.cells), new_table(FIRST_SLOTS), following))
    return following[:count]
