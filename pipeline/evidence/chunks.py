"""The rows of one side of a comparison, in the order of their deals, chunk by chunk."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pipeline.errors import UsageError
from pipeline.evidence.ranges import Range
from pipeline.places import Place

CELLS = "cells"
"""The column of the fewest cells; it is as much of an answer as the verdict, so it is always compared."""

FIGURES = ("positions", "moves", "closure", "closure_safe", "attempt", CELLS)
"""Columns of a result beside the verdict."""

CHUNK = 250_000
"""Rows of a file or a list that are held at a time; of a run, a shard's."""


class Chunk(NamedTuple):
    """Rows of deals that ascend, with or without gaps.

    Attributes
    ----------
    deals : (n,) uint64
    verdicts : (n,) uint8
        UNDECIDED, SOLVED or UNSOLVABLE.
    figures : dict of str to (n,) unsigned integers
        Those of FIGURES that were asked for and are there; 0 where null.
    """

    deals: npt.NDArray[np.uint64]
    verdicts: npt.NDArray[np.uint8]
    figures: dict[str, npt.NDArray[Any]]

    def part(self, rows: Any) -> "Chunk":
        """Some of the rows, by slice, mask or indices."""
        figures = {name: values[rows] for name, values in self.figures.items()}
        return Chunk(self.deals[rows], self.verdicts[rows], figures)


NOTHING = Chunk(np.empty(0, np.uint64), np.empty(0, np.uint8), {})


class Stretch(NamedTuple):
    """Deals `first .. last`: one side has all of them and the other none, so nobody needs their rows."""

    first: int
    last: int

    @property
    def deals(self) -> int:
        """Number of deals."""
        return self.last - self.first + 1


def merged(parts: Sequence[Chunk], name: str) -> Chunk:
    """Chunks whose deals are in any order, as one that ascends.

    Raises
    ------
    UsageError
        If a deal is there twice.
    """
    whole = parts[0]
    if len(parts) > 1:
        figures = {figure: np.concatenate([part.figures[figure] for part in parts]) for figure in whole.figures}
        deals, verdicts = (np.concatenate(columns) for columns in zip(*(part[:2] for part in parts), strict=True))
        whole = Chunk(deals, verdicts, figures)
    if (whole.deals[1:] <= whole.deals[:-1]).any():
        whole = whole.part(np.argsort(whole.deals, kind="stable"))
        if len(twice := np.flatnonzero(whole.deals[1:] == whole.deals[:-1])):
            raise UsageError(f"{name}: deal {whole.deals[twice[0]]} is there twice")
    return whole


class Side:
    """What `diff` compares.

    Attributes
    ----------
    name : str
        What the user called it.
    rules : str or None
        The rules as shards name them; None where the file doesn't say.
    rows : int
        Number of rows.
    missing : int
        Deals of its census that it doesn't hold yet.
    figures : tuple of str
        Those of FIGURES that it has.
    files : tuple of Place
        The files that are read, unless they belong to a run.
    """

    files: tuple[Place, ...] = ()
    missing = 0

    def __init__(self, name: str, rules: str | None, rows: int, figures: Sequence[str]) -> None:
        self.name, self.rules, self.rows, self.figures = name, rules, rows, tuple(figures)

    @property
    def spans(self) -> list[Range]:
        """Ranges outside of which it has no deal; known before rows are read."""
        raise NotImplementedError

    def chunks(self, figures: Sequence[str], others: Sequence[Range] | None = None) -> Iterator[Chunk | Stretch]:
        """The rows, with those figures, in the order of their deals.

        Parameters
        ----------
        others : sequence of (int, int), optional
            The other side's spans: what a side can tell of the deals outside without rows, it tells as a Stretch.

        Raises
        ------
        UsageError
            If rows can't be read, or don't ascend by deal.
        """
        raise NotImplementedError
