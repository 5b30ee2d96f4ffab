"""Decide one deal, or one board that somebody gives, exactly as a census would."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kernels.dealing import deal_one
from kernels.decide import Pass, decide_in_passes, one_careful_pass, passes
from kernels.rules import rules_of
from kernels.search import attempts
from kernels.search.search import MOST_BUDGET
from pipeline.config import Search
from pipeline.deals.notation import Board, deal_number, move_texts, moves_text
from pipeline.errors import UsageError
from pipeline.farm import worker
from pipeline.signals import interruptible
from pipeline.store.rows import SOLVED, UNDECIDED, VERDICTS, Rows

EXIT_STATUS = {"solved": 0, "unsolvable": 1, "undecided": 3}


@dataclass(frozen=True)
class Decision:
    """The verdict on a board, and what it took; None is what doesn't apply.

    Attributes
    ----------
    deal : int, optional
        Number of the deal where it is known.
    verdict : str
        `solved`, `unsolvable` or `undecided`.
    moves : int, optional
        Single-card moves of the solution.
    positions : int
        Positions that the search expanded.
    attempt : int
        The attempt that decided the deal, or else the last one made.
    closure : int, optional
        Positions in the plain exhaustion of an unsolvable deal, unless only the one with safe autoplay ended.
    closure_safe : int, optional
        Positions in the exhaustion with safe autoplay of an unsolvable deal.
    solution : list of str, optional
        The moves in standard notation.
    """

    deal: int | None
    verdict: str
    moves: int | None
    positions: int
    attempt: int
    closure: int | None
    closure_safe: int | None
    solution: list[str] | None

    @property
    def status(self) -> int:
        """0 solved, 1 unsolvable, 3 undecided."""
        return EXIT_STATUS[self.verdict]

    def lines(self) -> list[str]:
        """What applies, a line each; then the moves."""
        said = {**vars(self), "attempt": _attempt_said(self.attempt)}
        facts = [f"{key:<14}{value}" for key, value in said.items() if key != "solution" and value is not None]
        return [*facts, "", moves_text(self.solution)] if self.solution else facts

    def as_json(self) -> dict[str, Any]:
        """All attributes as one object."""
        return dict(vars(self))


def _attempt_said(number: int) -> str:
    """An attempt's number in the series of a census; a budget that somebody chose is given to the first careful one."""
    return f"{number} (leaves out no move)" if number == attempts.FIRST_CAREFUL else str(number)


def solve_deal(
    number: int, cells: int = 4, game: str = "freecell", budget: int | None = None, search: Search | None = None
) -> Decision:
    """Decide a deal; parameters and errors are those of `solve_board`."""
    deal = deal_number(str(number))
    return _solve(deal_one(deal), _passes(cells, game, budget, search), deal)


def solve_board(
    board: Board, cells: int = 4, game: str = "freecell", budget: int | None = None, search: Search | None = None
) -> Decision:
    """Decide a board.

    Parameters
    ----------
    board : (52,) uint8
        Card numbers in dealing order, as `notation.parse_board` gives them.
    cells : int
        Number of cells, 0 to 8.
    game : str
        `freecell`, or `bakers`: columns build in suit.
    budget : int, optional
        Positions to expand in one attempt that leaves out no move, instead of the series of a census.
    search : Search, optional
        Budgets of the series; those of the censuses in `configs` by default.

    Raises
    ------
    UsageError
        If a parameter is out of its range, or the memory doesn't hold so many positions.
    Contradiction
        If engines disagree about the board.
    """
    return _solve(board, _passes(cells, game, budget, search), None)


def _passes(cells: int, game: str, budget: int | None, search: Search | None) -> list[Pass]:
    try:
        rules = rules_of(game, cells)
    except ValueError as error:
        raise UsageError(str(error)) from error
    given = search or Search()
    if budget is None:
        series: list[Pass] = passes(rules, given.quick, given.deep, given.limits)
        return series
    if not 1 <= budget <= MOST_BUDGET:
        raise UsageError(f"--budget {budget}: from 1 to {MOST_BUDGET} positions")
    return [one_careful_pass(rules, budget, given.limits)]


def _solve(board: Board, steps: Sequence[Pass], deal: int | None) -> Decision:
    worker.announce_compilation()
    try:
        with interruptible():
            rows = decide_in_passes(board, steps, deal)
    except MemoryError as error:
        raise UsageError(_too_large(steps)) from error
    largest = max(budget for step in steps for budget in step.budgets)
    if rows.verdicts[0] == UNDECIDED and rows.positions[0] >= largest:
        print(f"every budget ran out: --budget takes more than {largest} positions", file=sys.stderr)
    return _decision(rows, deal)


def _too_large(steps: Sequence[Pass]) -> str:
    """The message that names the attempt which takes most memory."""
    numbered = [(number, budget) for step in steps for number, budget in enumerate(step.budgets, step.first_attempt)]
    size, budget = max((attempts.bytes_needed(number, budget), budget) for number, budget in numbered)
    return f"not enough memory: a budget of {budget} positions takes up to {size / 1e9:.1f} GB, a smaller one less"


def _decision(rows: Rows, deal: int | None) -> Decision:
    code = rows.verdicts[0]
    return Decision(
        deal,
        VERDICTS[code],
        int(rows.moves[0]) if code == SOLVED else None,
        int(rows.positions[0]),
        int(rows.attempts[0]),
        int(rows.closures[0]) or None,
        int(rows.safe_closures[0]) or None,
        move_texts(rows.solutions) if code == SOLVED else None,
    )
