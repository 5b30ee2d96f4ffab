"""The numbers of a report, gathered shard by shard: memory grows with the numbers that differ, not with the deals."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.rules import MOST_CELLS
from pipeline.evidence.chunks import Chunk
from pipeline.evidence.diff import aligned
from pipeline.evidence.diff_sides import Run
from pipeline.shards import Shard
from pipeline.store import parquet
from pipeline.store.result import ResultSet
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE, VERDICTS, Rows, proved

CELLS = 1_000
"""Parts of the range for which unsolvable deals are counted: finer than a plot shows."""
LARGEST_ATTEMPT = 255
MOST_UNSOLVABLE = 2_000
"""Unsolvable deals that are kept with their figures, the first ones."""
MOST_UNDECIDED = 200
HARDEST = 20

Integers = npt.NDArray[np.integer]


class Histogram:
    """Numbers of a uint32 column, counted one by one.

    Only numbers that occur are kept, each with how often.

    Attributes
    ----------
    total, sum, largest : int
        How many numbers there were, their sum, and the largest one.
    """

    def __init__(self) -> None:
        self._values = np.empty(0, np.uint32)
        self._counts = np.empty(0, np.int64)
        self.total = self.sum = self.largest = 0

    def add(self, values: Integers) -> None:
        """Count numbers."""
        if len(values):
            new, counts = np.unique(values.astype(np.uint32), return_counts=True)
            both, places = np.unique(np.concatenate([self._values, new]), return_inverse=True)
            merged = np.zeros(len(both), np.int64)
            np.add.at(merged, places, np.concatenate([self._counts, counts]))
            self._values, self._counts = both, merged
            self.total += len(values)
            self.sum += int(values.sum(dtype=np.uint64))
            self.largest = int(both[-1])

    def percentile(self, per_mille: int) -> int:
        """The smallest number that at least `per_mille` thousandths of the numbers do not exceed."""
        rank = -(-self.total * per_mille // 1_000)
        return int(self._values[np.searchsorted(np.cumsum(self._counts), rank)])

    def smallest(self) -> int:
        """The smallest number."""
        return int(self._values[0])

    def between(self, edges: Integers) -> npt.NDArray[np.int64]:
        """How many numbers lie from each edge up to the next one.

        Parameters
        ----------
        edges : (n + 1,) ascending
        """
        below = np.concatenate([[0], np.cumsum(self._counts)])
        return np.asarray(np.diff(below[np.searchsorted(self._values, edges)]))


class Deal(NamedTuple):
    """One row of a result."""

    deal: int
    positions: int
    moves: int
    attempt: int
    closure: int
    closure_safe: int


@dataclass
class Figures:
    """What a report says of the rows of a result.

    Attributes
    ----------
    attempts : (256, 3) int64
        Deals by the attempt that decided them (of the undecided: the last one tried), and by verdict.
    positions : Histogram
        Of the decided deals.
    moves : Histogram
        Of the solved deals.
    unsolvable, undecided : list of Deal
        The first ones, in order of deals.
    hardest : list of Deal
        Solved, and with the most positions of the search.
    longest : list of Deal
        The one with the longest solution, if any is solved.
    unsolvable_by_cell : (CELLS,) int64
        Unsolvable deals of each of CELLS equal parts of the range.
    proved : set of int
        All unsolvable deals; only gathered to be compared with a list, which is of as many.
    listed : list of int
        The deals of the list that have a row.
    listed_undecided : set of int
        Those of them that are undecided.
    cells : (9,) int64
        Where the fewest cells were asked for, how many deals need none, one, and so on.
    closures_by_cells : (9,) int64
        The largest proof, of either grade, that so many cells are too few.
    """

    attempts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((LARGEST_ATTEMPT + 1, 3), np.int64))
    positions: Histogram = field(default_factory=Histogram)
    moves: Histogram = field(default_factory=Histogram)
    unsolvable: list[Deal] = field(default_factory=list)
    undecided: list[Deal] = field(default_factory=list)
    hardest: list[Deal] = field(default_factory=list)
    longest: list[Deal] = field(default_factory=list)
    unsolvable_by_cell: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(CELLS, np.int64))
    proved: set[int] = field(default_factory=set)
    listed: list[int] = field(default_factory=list)
    listed_undecided: set[int] = field(default_factory=set)
    cells: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(MOST_CELLS + 1, np.int64))
    closures_by_cells: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(MOST_CELLS + 1, np.int64))


def gathered(result: ResultSet, listed: Collection[int] | None) -> Figures:
    """Read every shard in full, one after the other.

    Parameters
    ----------
    result : ResultSet
        The shards.
    listed : collection of int, optional
        The unsolvable deals of a list that the result is to be compared with.

    Raises
    ------
    Corrupt
        If a shard is not what was written.
    """
    figures = Figures()
    published = np.array(sorted(listed or ()), np.int64)
    for folder, footer in result.shown("reading"):
        rows = parquet.read(folder, footer.shard)
        _add(figures, result, footer.shard.first, rows)
        if listed is not None:
            _add_listed(figures, published, footer.shard, rows)
    return figures


def crossed(first: ResultSet, second: ResultSet) -> npt.NDArray[np.int64]:
    """Deals that two results have, by the verdict in the first one and in the second one: (3, 3)."""
    counts = np.zeros((len(VERDICTS), len(VERDICTS)), np.int64)
    for here, there in aligned(Run("first", first).chunks(()), Run("second", second).chunks(())):
        if isinstance(here, Chunk) and isinstance(there, Chunk):
            _, *rows = np.intersect1d(here.deals, there.deals, assume_unique=True, return_indices=True)
            np.add.at(counts, (here.verdicts[rows[0]], there.verdicts[rows[1]]), 1)
    return counts


def _add(figures: Figures, result: ResultSet, first: int, rows: Rows) -> None:
    both = rows.attempts.astype(np.int64) * len(VERDICTS) + rows.verdicts
    figures.attempts += np.bincount(both, minlength=figures.attempts.size).reshape(figures.attempts.shape)
    solved = np.flatnonzero(rows.verdicts == SOLVED)
    unsolvable = np.flatnonzero(rows.verdicts == UNSOLVABLE)
    undecided = np.flatnonzero(rows.verdicts == UNDECIDED)
    figures.positions.add(rows.positions[rows.verdicts != UNDECIDED] if len(undecided) else rows.positions)
    figures.moves.add(rows.moves[solved])
    figures.unsolvable_by_cell += np.bincount(
        cells_of(unsolvable + first, result.config.range.first, result.config.range.last), minlength=CELLS
    )
    for kept, indices, most in (
        (figures.unsolvable, unsolvable, MOST_UNSOLVABLE),
        (figures.undecided, undecided, MOST_UNDECIDED),
    ):
        kept += _deals(rows, first, indices[: most - len(kept)])
    if result.config.rules.fewest:
        _add_cells(figures, result.config.rules.cells, rows)
    figures.hardest = _largest(figures.hardest + _top(rows, first, solved, rows.positions, HARDEST), 1, HARDEST)
    figures.longest = _largest(figures.longest + _top(rows, first, solved, rows.moves, 1), 2, 1)


def _add_cells(figures: Figures, most: int, rows: Rows) -> None:
    figures.cells += np.bincount(rows.cells[rows.verdicts == SOLVED], minlength=MOST_CELLS + 1)
    for cells, group in proved(rows, most).items():
        largest = max(max(proof) for proof in group.values())
        figures.closures_by_cells[cells] = max(figures.closures_by_cells[cells], largest)


def _add_listed(figures: Figures, listed: Integers, shard: Shard, rows: Rows) -> None:
    figures.proved.update((np.flatnonzero(rows.verdicts == UNSOLVABLE) + shard.first).tolist())
    here = listed[np.searchsorted(listed, shard.first) : np.searchsorted(listed, shard.last, "right")]
    figures.listed += here.tolist()
    figures.listed_undecided.update(here[rows.verdicts[here - shard.first] == UNDECIDED].tolist())


def cells_of(deals: Integers, first: int, last: int) -> npt.NDArray[np.int64]:
    """Which of the CELLS equal parts of first..last each deal lies in."""
    return (deals.astype(np.int64) - first) * CELLS // (last - first + 1)


def _deals(rows: Rows, first: int, indices: Integers) -> list[Deal]:
    columns = (rows.positions, rows.moves, rows.attempts, rows.closures, rows.safe_closures)
    return [Deal(first + int(index), *(int(column[index]) for column in columns)) for index in indices]


def _top(rows: Rows, first: int, indices: Integers, by: Integers, count: int) -> list[Deal]:
    """The rows with the largest figures, the smallest deals where figures are equal."""
    figures = by[indices]
    if len(figures) > count:
        least = np.partition(figures, -count)[-count]
        above, equal = indices[figures > least], indices[figures == least]
        indices = np.concatenate([above, equal[: count - len(above)]])
    return _deals(rows, first, indices)


def _largest(deals: list[Deal], column: int, count: int) -> list[Deal]:
    return sorted(deals, key=lambda row: (-row[column], row.deal))[:count]
