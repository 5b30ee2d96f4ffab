"""Proofs as columns: what a worker hands back, what a file of proofs holds. Needs no Parquet."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

MOST_IN_A_BATCH = 20
"""Deals that a worker proves at a time: fractions of a second of work, so that little is lost with a worker."""


@dataclass(frozen=True, order=True)
class Batch:
    """Deals that a worker proves at a time; the farm sees it as a task."""

    deals: tuple[int, ...]

    @property
    def first(self) -> int:
        """The first deal, which names the batch."""
        return self.deals[0]

    @property
    def count(self) -> int:
        """Number of deals."""
        return len(self.deals)

    def halves(self) -> tuple["Batch", "Batch"]:
        """The batch cut in two; only for more than one deal."""
        half = len(self.deals) // 2
        return Batch(self.deals[:half]), Batch(self.deals[half:])


class Proofs(NamedTuple):
    """The proofs of `n` deals.

    Attributes
    ----------
    deals : (n,) uint64
        In rising order.
    verdicts : (n,) uint8
        As in a result: UNSOLVABLE where an exhaustion ended, SOLVED where one met a won position, else UNDECIDED.
    closures : (n,) uint64
        Positions of the plain exhaustion, 0 unless it ended.
    safe_closures : (n,) uint64
        Positions of the exhaustion with safe autoplay, 0 unless it ended.
    most_home : (n,) uint8
        The most cards that are ever home, 0 unless an exhaustion ended.
    budgets : (n,) uint64
        Positions that the last exhaustion tried might have: a count that is missing is larger than that, or for the
        plain one larger than what was asked for.
    solutions : tuple of bytes
        The moves of a deal that turned out to be solvable, empty for all others.
    """

    deals: npt.NDArray[np.uint64]
    verdicts: npt.NDArray[np.uint8]
    closures: npt.NDArray[np.uint64]
    safe_closures: npt.NDArray[np.uint64]
    most_home: npt.NDArray[np.uint8]
    budgets: npt.NDArray[np.uint64]
    solutions: tuple[bytes, ...]


def joined(blocks: Sequence[Proofs]) -> Proofs:
    """One block from several, in the order of deals; where a deal is in two, the last one counts."""
    last = {int(deal): (block, index) for block in blocks for index, deal in enumerate(block.deals)}
    places = [last[deal] for deal in sorted(last)]

    def column(name: str) -> Any:
        return np.array([getattr(block, name)[index] for block, index in places], getattr(blocks[0], name).dtype)

    solutions = tuple(block.solutions[index] for block, index in places)
    return Proofs._make([*map(column, Proofs._fields[:-1]), solutions])
