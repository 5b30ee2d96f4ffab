"""Blocks of rows put together and exchanged: what workers hand back, what a shard holds. Needs no Parquet."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.verdicts import SOLVED, UNDECIDED, UNSOLVABLE, VERDICTS, Rows

__all__ = [
    "PLAIN",
    "SAFE",
    "SOLVED",
    "UNDECIDED",
    "UNSOLVABLE",
    "VERDICTS",
    "Proof",
    "Rows",
    "chosen",
    "joined",
    "proofs",
    "proved",
    "replaced",
    "solution_ends",
]

PLAIN, SAFE = "plain", "safe autoplay only"
"""Grades of the proof that a deal is unsolvable: the plain exhaustion ended, or only the one with safe autoplay did."""


class Proof(NamedTuple):
    """Why a deal is unsolvable: positions of its exhaustions, 0 for one that did not end or was not made.

    Attributes
    ----------
    plain : int
        Without autoplay.
    safe : int
        With safe autoplay.
    """

    plain: int
    safe: int

    @property
    def grade(self) -> str:
        """PLAIN or SAFE."""
        return PLAIN if self.plain else SAFE


def proofs(rows: Rows) -> dict[int, Proof]:
    """The proof of each unsolvable deal, by its index in the rows."""
    there = np.flatnonzero(rows.verdicts == UNSOLVABLE)
    return {int(index): Proof(int(rows.closures[index]), int(rows.safe_closures[index])) for index in there}


def proved(rows: Rows, most: int) -> dict[int, dict[int, Proof]]:
    """Every proof that rows hold: number of cells that was proved too few -> index in the rows -> the proof.

    Parameters
    ----------
    most : int
        The number of cells that the rows are about: unsolvable deals are so with that many. Where the fewest cells are
        asked for, a solved deal has the proof of one less than its own.
    """
    groups: dict[int, dict[int, Proof]] = {}
    for index in np.flatnonzero((rows.closures > 0) | (rows.safe_closures > 0)).tolist():
        cells = most if rows.verdicts[index] == UNSOLVABLE else int(rows.cells[index]) - 1
        groups.setdefault(cells, {})[index] = Proof(int(rows.closures[index]), int(rows.safe_closures[index]))
    return groups


def chosen(rows: Rows, indices: npt.NDArray[np.intp]) -> Rows:
    """Some of the rows, in their order."""
    ends = solution_ends(rows)
    kept = [rows.solutions[ends[index] : ends[index + 1]] for index in indices] if len(rows.solutions) else []
    return Rows(
        rows.verdicts[indices],
        rows.positions[indices],
        rows.moves[indices],
        rows.attempts[indices],
        rows.closures[indices],
        rows.safe_closures[indices],
        np.concatenate(kept) if kept else rows.solutions[:0],
        rows.cells[indices] if len(rows.cells) else rows.cells,
    )


def joined(blocks: Sequence[Rows]) -> Rows:
    """One block of rows from several, in their order."""
    return Rows(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))


def replaced(rows: Rows, fresh: dict[int, Rows]) -> Rows:
    """`rows` with the rows of single deals exchanged: index in `rows` -> block of one row."""
    blocks: list[Rows] = []
    ends = solution_ends(rows)
    done = 0
    for index in sorted(fresh):
        blocks += [_slice(rows, ends, done, index), fresh[index]]
        done = index + 1
    blocks.append(_slice(rows, ends, done, len(rows.verdicts)))
    return joined(blocks)


def solution_ends(rows: Rows) -> npt.NDArray[np.int64]:
    """Where the solution of each row begins in `solutions`, and at last where they all end: (n + 1,) int64."""
    ends = np.zeros(len(rows.moves) + 1, np.int64)
    if len(rows.solutions):
        np.cumsum(rows.moves, out=ends[1:])
    return ends


def _slice(rows: Rows, ends: npt.NDArray[np.int64], start: int, stop: int) -> Rows:
    return Rows(
        rows.verdicts[start:stop],
        rows.positions[start:stop],
        rows.moves[start:stop],
        rows.attempts[start:stop],
        rows.closures[start:stop],
        rows.safe_closures[start:stop],
        rows.solutions[ends[start] : ends[stop]],
        rows.cells[start:stop],
    )
