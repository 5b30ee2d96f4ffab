"""Decide one deal, or one board that somebody gives, exactly as a census would; or a position in mid-game.

The solution is not the search's, unless no shorter one is found: see `shorter`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kernels.dealing import deal_one
from kernels.decide import Limits, Pass, decide_in_passes, one_careful_pass, passes
from kernels.layout import Layout, board_of, layout_of
from kernels.mid_game import decide_layout
from kernels.proof.closure import bytes_needed
from kernels.rules import Rules
from kernels.search import attempts
from kernels.search.search import MOST_BUDGET
from pipeline.config import MOST_POSITIONS, Search
from pipeline.deals.notation import Board, deal_number
from pipeline.deals.shorter import shorter
from pipeline.deals.table import check_cells, checked_rules, layout_json
from pipeline.deals.turns import Turn, turn_lines, turns_of
from pipeline.errors import UsageError
from pipeline.farm import worker
from pipeline.signals import interruptible
from pipeline.store.rows import SOLVED, UNDECIDED, VERDICTS

EXIT_STATUS = {"solved": 0, "unsolvable": 1, "undecided": 3}


MID_GAME = 50_000_000
"""Positions that the exhaustion of a position in mid-game may have: 2 GB at most."""


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
        Positions that the search expanded; of a position in mid-game, those that its exhaustions found.
    attempt : int, optional
        The attempt that decided the deal, or else the last one made; None in mid-game.
    closure : int, optional
        Positions in the plain exhaustion of an unsolvable deal, unless only the one with safe autoplay ended.
    closure_safe : int, optional
        Positions in the exhaustion with safe autoplay of an unsolvable deal.
    turns : list of Turn, optional
        The solution as players write it.
    played : bytes
        The single-card moves of the solution, as the referee takes them.
    because : str, optional
        Which budget left it undecided, and what to raise.
    long, boards : bool
        Whether moves are shown in words, and with the position after each.
    """

    deal: int | None
    verdict: str
    moves: int | None
    positions: int
    attempt: int | None
    closure: int | None
    closure_safe: int | None
    turns: list[Turn] | None = None
    played: bytes = b""
    because: str | None = None
    long: bool = False
    boards: bool = False

    @property
    def status(self) -> int:
        """0 solved, 1 unsolvable, 3 undecided."""
        return EXIT_STATUS[self.verdict]

    @property
    def solution(self) -> list[str] | None:
        """The moves in standard notation, a run as one move."""
        return None if self.turns is None else [turn.text for turn in self.turns]

    def shown(self, long: bool, boards: bool) -> "Decision":
        """The same, shown with each move in words, or with the position after it."""
        return replace(self, long=long, boards=boards)

    def _facts(self) -> dict[str, Any]:
        names = ("deal", "verdict", "moves", "positions", "attempt", "closure", "closure_safe")
        return {name: getattr(self, name) for name in names}

    def lines(self) -> list[str]:
        """What applies, a line each; then the moves."""
        facts = self._facts()
        if self.attempt is not None:
            facts["attempt"] = _attempt_said(self.attempt)
        lines = [f"{key:<14}{value}" for key, value in facts.items() if value is not None]
        if self.because:
            lines.append(self.because)
        return [*lines, "", *turn_lines(self.turns, self.long, self.boards)] if self.turns else lines

    def as_json(self) -> dict[str, Any]:
        """All of it as one object; with `words` and `boards`, a list each, where they are shown."""
        said = self._facts() | {"solution": self.solution, "because": self.because}
        if self.long:
            said["words"] = None if self.turns is None else [turn.words for turn in self.turns]
        if self.boards:
            said["boards"] = None if self.turns is None else [layout_json(turn.after) for turn in self.turns]
        return said


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


def solve_layout(layout: Layout, cells: int = 4, game: str = "freecell", budget: int | None = None) -> Decision:
    """Decide a position, perhaps in mid-game, by exhaustions alone, unless it is a fresh deal.

    Parameters
    ----------
    layout : Layout
        As `boards.parse_layout` gives it.
    cells, game
        As in `solve_board`.
    budget : int, optional
        Positions that an exhaustion may have (MID_GAME); of a fresh deal, those that `solve_board` says.

    Raises
    ------
    UsageError
        As `solve_board`, and if cards are in cells that the game doesn't have.
    Contradiction
        If engines disagree about it.
    """
    if (board := board_of(layout)) is not None:
        return solve_board(board, cells, game, budget)
    rules = checked_rules(cells, game)
    check_cells(layout, rules)
    most = MID_GAME if budget is None else budget
    if not 1 <= most <= MOST_POSITIONS:
        raise UsageError(f"--budget {budget}: from 1 to {MOST_POSITIONS} positions")
    worker.announce_compilation()
    try:
        with interruptible():
            found = decide_layout(layout, rules, Limits(most, most))
    except MemoryError as error:
        size = bytes_needed(most)
        raise UsageError(
            f"not enough memory: {most} positions take up to {size / 1e9:.1f} GB, a smaller --budget less"
        ) from error
    because = None
    if found.code == UNDECIDED:
        because = f"the exhaustions went through their budget of {most} positions: --budget takes more"
    played = _shorter(layout, rules, bytes(found.moves)) if found.code == SOLVED else b""
    return Decision(
        deal=None,
        verdict=VERDICTS[found.code],
        moves=len(played) if found.code == SOLVED else None,
        positions=found.positions,
        attempt=None,
        closure=found.closure or None,
        closure_safe=found.closure_safe or None,
        turns=turns_of(layout, rules, played) if found.code == SOLVED else None,
        played=played,
        because=because,
    )


def _passes(cells: int, game: str, budget: int | None, search: Search | None) -> list[Pass]:
    rules = checked_rules(cells, game)
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
    code, layout, rules = rows.verdicts[0], layout_of(board), steps[0].rules
    played = _shorter(layout, rules, rows.solutions.tobytes()) if code == SOLVED else b""
    return Decision(
        deal=deal,
        verdict=VERDICTS[code],
        moves=len(played) if code == SOLVED else None,
        positions=int(rows.positions[0]),
        attempt=int(rows.attempts[0]),
        closure=int(rows.closures[0]) or None,
        closure_safe=int(rows.safe_closures[0]) or None,
        turns=turns_of(layout, rules, played) if code == SOLVED else None,
        played=played,
        because=_ran_out(steps, int(rows.positions[0])) if code == UNDECIDED else None,
    )


def _shorter(layout: Layout, rules: Rules, solution: bytes) -> bytes:
    with interruptible():
        return shorter(layout, rules, solution)


def _ran_out(steps: Sequence[Pass], positions: int) -> str:
    """Which budget left a deal undecided, and what to raise."""
    largest = max(budget for step in steps for budget in step.budgets)
    if positions >= largest:
        return f"the search went through its last budget of {largest} positions: --budget takes up to {MOST_BUDGET}"
    limits = steps[-1].limits
    return (
        "the search looked at all it could reach without a win, but the exhaustion has more than the "
        f"{limits.safe} positions allowed with safe autoplay: `prove` has no such limit"
    )


def _too_large(steps: Sequence[Pass]) -> str:
    """The message that names the attempt which takes most memory."""
    numbered = [(number, budget) for step in steps for number, budget in enumerate(step.budgets, step.first_attempt)]
    size, budget = max((attempts.bytes_needed(number, budget), budget) for number, budget in numbered)
    return f"not enough memory: a budget of {budget} positions takes up to {size / 1e9:.1f} GB, a smaller one less"
