"""Verdicts as columns: what the decision of a block of deals comes to, and what a shard holds."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

VERDICTS = ("undecided", "solved", "unsolvable")
"""Names of the verdict codes, in the order of the one dictionary that every shard has."""

UNDECIDED, SOLVED, UNSOLVABLE = range(3)

LONGEST_SOLUTION = 65_535
"""Moves of the longest solution that a row can hold."""


class Rows(NamedTuple):
    """The rows of `n` deals that follow each other.

    Attributes
    ----------
    verdicts : (n,) uint8
        UNDECIDED, SOLVED or UNSOLVABLE.
    positions : (n,) uint32
        Positions expanded by all attempts of the search.
    moves : (n,) uint16
        Single-card moves of the solution, 0 unless solved.
    attempts : (n,) uint8
        Number of the attempt that decided the deal, from 1; for an undecided deal the last one tried.
    closures : (n,) uint64
        Positions in the plain exhaustion, 0 unless that ended.
    safe_closures : (n,) uint64
        Positions in the exhaustion with safe autoplay, 0 where it was not made.
    solutions : (m,) uint8
        The moves of all solutions one after another, or nothing at all where they aren't kept.
    cells : (n,) uint8
        The fewest cells that solve each deal, 0 unless solved; nothing at all where the fewest aren't asked for.
    """

    verdicts: npt.NDArray[np.uint8]
    positions: npt.NDArray[np.uint32]
    moves: npt.NDArray[np.uint16]
    attempts: npt.NDArray[np.uint8]
    closures: npt.NDArray[np.uint64]
    safe_closures: npt.NDArray[np.uint64]
    solutions: npt.NDArray[np.uint8]
    cells: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
