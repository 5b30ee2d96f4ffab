"""The smallest number of cells that a deal can be solved with.

What some cells solve, more cells solve; what is impossible with some cells is impossible with fewer. So one win
and one proof are enough for a deal: solved with so many cells, impossible with one less. The way there begins at a
number that about half of all deals need, and goes down from a win, up from a proof.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kernels.decide import Pass, decide_in_passes
from kernels.verdicts import SOLVED, UNDECIDED, UNSOLVABLE, Rows

FIRST_TRIED, FIRST_IN_SUIT = 2, 4
"""Cells that are tried first in FreeCell, and in Baker's Game. Of 32,000 deals of FreeCell, 25,381 need two at most,
and 6,289 of these one. Of 80 deals of Baker's Game, 59 need four at most, and 27 of these three."""

MOST_POSITIONS = 2**32 - 1
"""What the column of positions holds; several numbers of cells together may take more, in theory."""


def decide_fewest(board: npt.NDArray[np.uint8], steps: Sequence[Sequence[Pass]], deal: int | None = None) -> Rows:
    """Find the smallest number of cells that solves one board.

    Parameters
    ----------
    board : (52,) uint8
        Card numbers in dealing order.
    steps : sequence of sequence of Pass
        The passes to make with 0 cells, with 1, and so on, up to the largest number that is allowed.
    deal : int, optional
        Number of the deal, which a contradiction names.

    Returns
    -------
    Rows
        One row. Solved: moves and `cells` are those of the solution with the fewest cells, closures those of the proof
        that one cell less is too few (none for 0 cells). Unsolvable: the proof is of the largest number. Undecided: so
        is the board with a number of cells that matters. Positions are those of all numbers that were tried.

    Raises
    ------
    Contradiction
        As `decide_boards` does.
    """
    too_few, enough = -1, len(steps)
    cells = min(FIRST_IN_SUIT if steps[0][0].rules.in_suit else FIRST_TRIED, enough - 1)
    positions = attempt = 0
    tried: dict[int, Rows] = {}
    while enough - too_few > 1:
        rows = tried[cells] = decide_in_passes(board, steps[cells], deal)
        positions += int(rows.positions[0])
        attempt = max(attempt, int(rows.attempts[0]))
        if rows.verdicts[0] == UNDECIDED:
            return _row(UNDECIDED, positions, attempt, 0, None, None)
        if rows.verdicts[0] == SOLVED:
            enough, cells = cells, cells - 1
        else:
            too_few, cells = cells, cells + 1
    verdict = SOLVED if enough < len(steps) else UNSOLVABLE
    return _row(verdict, positions, attempt, enough, tried.get(enough), tried.get(too_few))


def _row(verdict: int, positions: int, attempt: int, cells: int, won: Rows | None, proof: Rows | None) -> Rows:
    none = np.zeros(1, np.uint64)
    return Rows(
        np.array([verdict], np.uint8),
        np.array([min(positions, MOST_POSITIONS)], np.uint32),
        won.moves if won else np.zeros(1, np.uint16),
        np.array([attempt], np.uint8),
        proof.closures if proof else none,
        proof.safe_closures if proof else none,
        won.solutions if won else np.empty(0, np.uint8),
        np.array([cells if won else 0], np.uint8),
    )
