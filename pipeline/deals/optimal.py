"""The shortest solution of a deal, proved to be that; or the best one, and how much shorter another might still be."""

import sys
import time
from dataclasses import dataclass
from typing import Any

from kernels.layout import Layout
from kernels.optimal.search import Bounds, bytes_for, shortest
from kernels.optimal.table import LEAST_POSITIONS, MOST_POSITIONS
from kernels.rules import Rules
from pipeline.deals.shorter import moves_on, shorter
from pipeline.deals.solve import Decision
from pipeline.deals.turns import turns_of
from pipeline.errors import UsageError
from pipeline.farm.limits import free_memory
from pipeline.signals import Stop, interruptible

FIRST_BUDGET = 400_000
"""Positions for the first solution: a search that has a good one ends before its last, largest round."""

DEFAULT_TABLE = 100_000_000
"""Positions that the search may hold unless somebody says otherwise: 3 GB."""

SPEAK_EVERY = 2.0
"""Seconds between two lines on how far the search is."""


@dataclass(frozen=True)
class Optimum(Decision):
    """A solution, and what is proved about its length.

    Attributes
    ----------
    at_least : int
        No solution has fewer moves: where this is `moves`, the solution is a shortest one.
    table : int
        Positions that the search for the shortest held.
    """

    at_least: int = 0
    table: int = 0

    @property
    def status(self) -> int:
        """0 where the solution is proved to be a shortest one, else 3."""
        return 0 if self.moves == self.at_least else 3

    def _facts(self) -> dict[str, Any]:
        return super()._facts() | {"at_least": self.at_least, "table": self.table}


def checked_table(positions: int) -> int:
    """How many positions the search may hold, once it is known that there is room for them.

    Raises
    ------
    UsageError
        If the number is out of its range, or the memory doesn't hold so many.
    """
    if not LEAST_POSITIONS <= positions <= MOST_POSITIONS:
        raise UsageError(f"--table {positions}: from {LEAST_POSITIONS} to {MOST_POSITIONS} positions")
    needed, free = bytes_for(positions), free_memory()
    if needed > free:
        raise UsageError(
            f"--table {positions} takes up to {needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free: "
            f"a smaller one, such as --table {max(LEAST_POSITIONS, free * positions // needed // 2)}"
        )
    return positions


def optimal(decision: Decision, layout: Layout, rules: Rules, table: int = DEFAULT_TABLE) -> Decision:
    """The shortest solution of a layout.

    Parameters
    ----------
    decision : Decision
        What `solve` says about the layout.
    layout : Layout
    rules : Rules
    table : int
        Positions that the search may hold. Once it is full, or after Ctrl-C, the best solution so far is the answer.

    Returns
    -------
    Optimum or Decision
        The decision as it was, where it has no solution.

    Raises
    ------
    UsageError
        As `checked_table` does.
    Contradiction
        If the referee refuses a solution.
    """
    checked_table(table)
    best = decision.played
    if not best:
        return decision
    print(
        f"the search for the shortest solution may hold {table:,} positions, up to {bytes_for(table) / 1e9:.1f} GB; "
        "Ctrl-C ends it with the best one so far",
        file=sys.stderr,
    )
    with interruptible():
        best = shorter(layout, rules, best, FIRST_BUDGET)
    with Stop() as stop:
        found = shortest(layout, rules, len(best), table, _Teller(len(best), stop))
    at_least, because = found.bounds.at_least, None
    if found.way:
        best = moves_on(found.way, layout, rules)
    elif at_least < len(best):
        why = (
            f"{stop.reason} ended the search" if stop.reason else f"its {table} positions are full: --table takes more"
        )
        because = f"a shortest solution has from {at_least} to {len(best)} moves; {why}"
    proved = vars(decision) | {"moves": len(best), "played": best, "turns": turns_of(layout, rules, best)}
    return Optimum(**proved | {"because": because, "at_least": at_least, "table": found.bounds.positions})


class _Teller:
    """Says on standard error what is proved, when that changes and every few seconds."""

    def __init__(self, moves: int, stop: Stop) -> None:
        self._moves, self._stop = moves, stop
        self._began = self._spoke = time.monotonic()

    def __call__(self, bounds: Bounds) -> bool:
        """Whether the search goes on."""
        now = time.monotonic()
        if now - self._spoke >= SPEAK_EVERY:
            self._spoke = now
            print(
                f"from {bounds.at_least} to {self._moves} moves; {bounds.positions:,} positions, "
                f"{now - self._began:.0f} s",
                file=sys.stderr,
                flush=True,
            )
        return not self._stop.requested
