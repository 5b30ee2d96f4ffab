"""From a board to its verdict: attempts, referee, exhaustion.

Whatever decides a row stands in `kernels`, so that the digest kept with each result covers it. Censuses, `solve` and
`bench` all decide by the passes made here.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.cards import name
from kernels.contradiction import Contradiction
from kernels.proof.closure import Closure, exhaust
from kernels.referee import replay_block
from kernels.rules import Rules
from kernels.search.attempts import EXHAUSTED, FIRST_CAREFUL, WON, Decisions, attempt_of, decide
from kernels.verdicts import LONGEST_SOLUTION, SOLVED, UNDECIDED, UNSOLVABLE, Rows

QUICK_CLOSURE = 1_500_000
"""Positions that an exhaustion in the quick pass may hold: this keeps the tables of a worker small. A deal that needs
more is left for the deep pass, whose first careful attempt finds the search exhausted again."""

Boards = npt.NDArray[np.uint8]


class Limits(NamedTuple):
    """How many positions the exhaustions of a deal may have.

    Attributes
    ----------
    plain : int
        Without autoplay. Where the exhaustion is larger, the one with safe autoplay is the proof.
    safe : int
        With safe autoplay. A deal that needs more stays undecided.
    """

    plain: int
    safe: int


class Pass(NamedTuple):
    """Attempts that are made at a deal in one call.

    Attributes
    ----------
    rules : Rules
    budgets : tuple of int
        Positions that the search may expand, one number an attempt.
    first_attempt : int
        Number of the first of these attempts.
    limits : Limits
    both : bool
        Whether a deal is left undecided unless both exhaustions end: a later pass gives the plain one more room.
    """

    rules: Rules
    budgets: tuple[int, ...]
    first_attempt: int
    limits: Limits
    both: bool = False


def passes(rules: Rules, quick: Sequence[int], deep: Sequence[int], limits: Limits) -> list[Pass]:
    """The passes of a census: one for all quick attempts, then one for each deep attempt."""
    first_deep = len(quick) + 1
    return [
        Pass(rules, tuple(quick), 1, Limits(*(min(QUICK_CLOSURE, limit) for limit in limits)), bool(deep)),
        *(Pass(rules, (budget,), number, limits) for number, budget in enumerate(deep, first_deep)),
    ]


def one_careful_pass(rules: Rules, budget: int, limits: Limits) -> Pass:
    """A single attempt, with no move left out: the only one that fits a budget which somebody chose."""
    return Pass(rules, (budget,), FIRST_CAREFUL, limits)


def decide_in_passes(board: npt.NDArray[np.uint8], steps: Iterable[Pass], deal: int | None = None) -> Rows:
    """Decide one board as a census would: pass after pass, until it is decided.

    Parameters
    ----------
    board : (52,) uint8
        Card numbers in dealing order.
    steps : iterable of Pass
        At least one.
    deal : int, optional
        Number of the deal, which a contradiction names.

    Returns
    -------
    Rows
        One row; its positions are those of all passes that were made.

    Raises
    ------
    Contradiction
        As `decide_boards` does.
    """
    positions = np.zeros(1, np.uint32)
    for step in steps:
        rows = decide_boards(board[None], step, deal)
        positions += rows.positions
        if rows.verdicts[0] != UNDECIDED:
            break
    return rows._replace(positions=positions)


class Found(NamedTuple):
    """Boards after their attempts, before anything but the search and the referee has looked at them.

    Attributes
    ----------
    decisions : Decisions
        What the attempts came to; the referee has replayed all solutions.
    budgets : dict
        For each board that an exhaustion is worth its time for, the positions that it may have with safe autoplay.
    """

    decisions: Decisions
    budgets: dict[int, int]


def decide_boards(boards: Boards, step: Pass, first: int | None = None) -> Rows:
    """Decide boards in one pass, and let other code than the search have the last word on each.

    A win counts only if the referee replays it, an exhausted search only if an exhaustion ends as well. If the last
    attempt has a `proof` budget, deals that ran out of budget get an exhaustion, too, of so many positions with safe
    autoplay. A won position that it meets solves the deal, if the referee replays the moves to it.

    Parameters
    ----------
    boards : (n, 52) uint8
        Card numbers in dealing order.
    step : Pass
    first : int, optional
        Number of the first deal, where they are neighbours; a contradiction names the deal.

    Raises
    ------
    Contradiction
        If the referee refuses a solution, or the exhaustion meets a won position although the search was exhausted.
    """
    found = search_boards(boards, step, first)
    walks = {
        index: exhaust(boards[index], step.rules, step.limits.plain, safe) for index, safe in found.budgets.items()
    }
    return judged(boards, step, found, walks, first)


def search_boards(boards: Boards, step: Pass, first: int | None = None) -> Found:
    """Make the attempts of a pass, without exhaustions; see `decide_boards`.

    Raises
    ------
    Contradiction
        If the referee refuses a solution.
    """
    decisions = decide(boards, step.rules, step.budgets, step.first_attempt)
    won = decisions.answer == WON
    refused = replay_block(boards, step.rules, decisions.lengths, decisions.moves)
    for index in np.flatnonzero(won & (refused != 0)):
        raise _refusal(f"{_named(boards, first, index)}: the search won", decisions.lengths[index], refused[index])
    worth_a_try = min(attempt_of(step.first_attempt + len(step.budgets) - 1).proof, step.limits.safe)
    budgets = np.where(decisions.answer == EXHAUSTED, step.limits.safe, worth_a_try)
    return Found(decisions, {int(index): int(budgets[index]) for index in np.flatnonzero(~won & (budgets > 0))})


def judged(boards: Boards, step: Pass, found: Found, walks: dict[int, Closure], first: int | None = None) -> Rows:
    """The rows of boards, from what the search found and the exhaustions of some came to; see `decide_boards`."""
    decisions = found.decisions
    verdicts = np.where(decisions.answer == WON, SOLVED, UNDECIDED).astype(np.uint8)
    closures, safe_closures = np.zeros((2, len(boards)), np.uint64)
    paths: dict[int, npt.NDArray[np.uint8]] = {}
    for index, walk in walks.items():
        if walk.won and decisions.answer[index] == EXHAUSTED:
            raise Contradiction(
                f"{_named(boards, first, index)}: the search expanded {decisions.positions[index]} positions and was "
                f"exhausted, but the exhaustion met a won position after {walk.positions}"
            )
        if walk.ended or (walk.safe_ended and not step.both):
            verdicts[index] = UNSOLVABLE
            closures[index] = walk.positions if walk.ended else 0
            safe_closures[index] = walk.safe_positions
        elif 0 < len(walk.path) <= LONGEST_SOLUTION:
            path = np.frombuffer(walk.path, np.uint8)
            _check_path(boards, first, index, step.rules, path)
            verdicts[index], paths[index] = SOLVED, path
    lengths, moves = _with_paths(decisions.lengths, decisions.moves, paths)
    return Rows(verdicts, decisions.positions, lengths, decisions.attempt, closures, safe_closures, moves)


def _check_path(boards: Boards, first: int | None, index: Any, rules: Rules, path: npt.NDArray[np.uint8]) -> None:
    (refused,) = replay_block(boards[index][None], rules, np.array([len(path)], np.uint16), path)
    if refused:
        raise _refusal(f"{_named(boards, first, index)}: the exhaustion won", len(path), refused)


def _refusal(who: str, length: int, refused: int) -> Contradiction:
    fault = "the game is not finished" if refused < 0 else f"move {refused} is against the rules"
    return Contradiction(f"{who} in {length} moves, but the referee replayed them and says: {fault}")


def _with_paths(
    lengths: npt.NDArray[np.uint16], moves: npt.NDArray[np.uint8], paths: dict[int, npt.NDArray[np.uint8]]
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
    """Lengths and moves of the solutions, with those of some deals put in; they had none."""
    if not paths:
        return lengths, moves
    pieces = np.split(moves, np.cumsum(lengths.astype(np.int64))[:-1])
    lengths = lengths.copy()
    for index, path in paths.items():
        lengths[index], pieces[index] = len(path), path
    return lengths, np.concatenate(pieces)


def _named(boards: Boards, first: int | None, index: Any) -> str:
    cards = " ".join(name(int(card)) for card in boards[index])
    return f"{'the board' if first is None else f'deal {first + index}'} ({cards})"
