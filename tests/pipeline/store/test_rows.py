"""Blocks of rows: joined, and with single rows exchanged."""

import numpy as np

from pipeline.store.rows import SOLVED, UNDECIDED, Rows, joined, replaced


def block(lengths: list[int], letter: int) -> Rows:
    """Rows that are solved in so many moves, or undecided where it is none; all moves are `letter`."""
    moves = np.array(lengths, np.uint16)
    verdicts = np.where(moves > 0, SOLVED, UNDECIDED).astype(np.uint8)
    n = len(lengths)
    return Rows(
        verdicts,
        np.full(n, letter, np.uint32),
        moves,
        np.ones(n, np.uint8),
        np.zeros(n, np.uint64),
        np.zeros(n, np.uint64),
        np.full(moves.sum(), letter, np.uint8),
    )


def test_joined_keeps_order_and_types() -> None:
    rows = joined([block([2, 0], 1), block([1], 2)])
    assert rows.moves.tolist() == [2, 0, 1]
    assert rows.solutions.tolist() == [1, 1, 2]
    assert [column.dtype for column in rows] == [
        np.uint8,
        np.uint32,
        np.uint16,
        np.uint8,
        np.uint64,
        np.uint64,
        np.uint8,
    ]


def test_replaced_rows_bring_their_moves() -> None:
    rows = replaced(block([2, 0, 1, 0], 1), {3: block([2], 7), 1: block([3], 8)})
    assert rows.verdicts.tolist() == [SOLVED] * 4
    assert rows.moves.tolist() == [2, 3, 1, 2]
    assert rows.positions.tolist() == [1, 8, 1, 7]
    assert rows.solutions.tolist() == [1, 1, 8, 8, 8, 1, 7, 7]


def test_replaced_without_solutions() -> None:
    def bare(rows: Rows) -> Rows:
        return rows._replace(solutions=rows.solutions[:0])

    rows = replaced(bare(block([2, 0], 1)), {1: bare(block([3], 8))})
    assert rows.moves.tolist() == [2, 3]
    assert len(rows.solutions) == 0
