"""Blocks of rows: joined, and with single rows exchanged."""

import numpy as np

from pipeline.store.rows import (
    PLAIN,
    SAFE,
    SOLVED,
    UNDECIDED,
    UNSOLVABLE,
    Proof,
    Rows,
    chosen,
    joined,
    proved,
    replaced,
)


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
        np.uint8,
    ]


def test_replaced_rows_bring_their_moves() -> None:
    rows = replaced(block([2, 0, 1, 0], 1), {3: block([2], 7), 1: block([3], 8)})
    assert rows.verdicts.tolist() == [SOLVED] * 4
    assert rows.moves.tolist() == [2, 3, 1, 2]
    assert rows.positions.tolist() == [1, 8, 1, 7]
    assert rows.solutions.tolist() == [1, 1, 8, 8, 8, 1, 7, 7]


def proofs_of_three() -> Rows:
    """Solved in two moves with two cells, unsolvable, solved in one move without any."""
    rows = block([2, 0, 1], 1)
    return rows._replace(
        verdicts=np.array([SOLVED, UNSOLVABLE, SOLVED], np.uint8),
        closures=np.array([0, 9, 0], np.uint64),
        safe_closures=np.array([5, 7, 0], np.uint64),
        cells=np.array([2, 0, 0], np.uint8),
    )


def test_every_proof_is_of_a_number_of_cells() -> None:
    groups = proved(proofs_of_three(), 4)
    assert groups == {1: {0: Proof(0, 5)}, 4: {1: Proof(9, 7)}}
    assert [groups[1][0].grade, groups[4][1].grade] == [SAFE, PLAIN]


def test_chosen_rows_bring_their_moves_and_cells() -> None:
    rows = chosen(replaced(proofs_of_three(), {}), np.array([0, 2]))
    assert (rows.moves.tolist(), rows.solutions.tolist(), rows.cells.tolist()) == ([2, 1], [1, 1, 1], [2, 0])


def test_replaced_without_solutions() -> None:
    def bare(rows: Rows) -> Rows:
        return rows._replace(solutions=rows.solutions[:0])

    rows = replaced(bare(block([2, 0], 1)), {1: bare(block([3], 8))})
    assert rows.moves.tolist() == [2, 3]
    assert len(rows.solutions) == 0
