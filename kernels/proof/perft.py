"""Counts positions and moves by depth, as chess programs do to test how they move.

A depth has the positions that are reached there first, with columns and cells in any order, and the single-card moves
out of them, of which one stands for all that lead to equal positions.
"""

import numpy as np

from kernels.jit import kernel
from kernels.proof.around import CHILD_WORDS, MOST_CHILDREN, look_around
from kernels.proof.planes import PLANES, Facts, facts_of
from kernels.proof.table import doubled, insert, new_table, room
from kernels.rules import Rules
from kernels.words import U0, U1, U2

FIRST_SLOTS = 1 << 14


@kernel
def count_moves(level, facts, around):
    """Number of moves out of all positions of a level."""
    total = U0
    for i in range(np.uint64(level.shape[0])):
        count, _ = look_around(level[i, U0], level[i, U1], level[i, U2], facts, False, U0, around)
        total += count
    return total


@kernel
def look_further(level, facts, around, table, following):
    """Write the positions that are new after one move; their number."""
    found = U0
    for i in range(np.uint64(level.shape[0])):
        count, _ = look_around(level[i, U0], level[i, U1], level[i, U2], facts, False, U0, around)
        for j in range(count):
            if insert(table, around[j, U0], around[j, U1], around[j, U2]):
                for plane in range(np.uint64(PLANES)):
                    following[found, plane] = around[j, plane]
                found += U1
    return found


@kernel
def note_one(position, table):
    """Note a position."""
    insert(table, position[U0], position[U1], position[U2])


def perft_from(position: np.ndarray, facts: Facts, depth: int) -> list[tuple[int, int]]:
    """What `perft` counts, from any position of the deal, as planes: (3,) uint64."""
    around = np.zeros((MOST_CHILDREN, CHILD_WORDS), np.uint64)
    level, table, seen, counts = position[None], new_table(FIRST_SLOTS), 1, []
    note_one(position, table)
    for _ in range(depth):
        moves = int(count_moves(level, facts, around))
        counts.append((len(level), moves))
        while seen + moves > room(len(table)):
            table = doubled(table)
        following = np.empty((moves, PLANES), np.uint64)
        level = following[: int(look_further(level, facts, around, table, following))]
        seen += len(level)
    return [*counts, (len(level), int(count_moves(level, facts, around)))]


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
    facts, position = facts_of(board, rules.cells, rules.in_suit)
    return perft_from(position, facts, depth)


def first_steps(board: np.ndarray, rules: Rules) -> np.ndarray:
    """The positions after one move, as planes: (n, 3) uint64. `perft_from` each shows where counts differ."""
    facts, position = facts_of(board, rules.cells, rules.in_suit)
    around = np.zeros((MOST_CHILDREN, CHILD_WORDS), np.uint64)
    following = np.empty((MOST_CHILDREN, PLANES), np.uint64)
    return following[: int(look_further(position[None], facts, around, new_table(FIRST_SLOTS), following))]
