"""What the search says stands only where other code agrees; and one loop over the passes for all who decide."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kernels import decide as module
from kernels.contradiction import Contradiction
from kernels.dealing import deal_block, deal_one
from kernels.decide import QUICK_CLOSURE, Limits, Pass, decide_boards, decide_in_passes, passes
from kernels.proof.closure import Closure
from kernels.rules import FREECELL, Rules
from kernels.search.attempts import EXHAUSTED, FIRST_CAREFUL, OUT, SERIES, WON, Decisions
from kernels.verdicts import SOLVED, UNDECIDED, UNSOLVABLE

BUDGETS = (200, 30_000)


def fake_search(*answers: int) -> Any:
    """A search that gives these answers, wins in one move each, and expands 7 positions a deal."""

    def decide(boards: Any, rules: Rules, budgets: Sequence[int], first_attempt: int = 1) -> Decisions:
        answer = np.array(answers, np.uint8)
        n, won = len(answer), answer == WON
        attempt = np.full(n, first_attempt + len(budgets) - 1, np.uint8)
        moves = np.zeros(int(won.sum()), np.uint8)
        return Decisions(answer, attempt, np.full(n, 7, np.uint32), won.astype(np.uint16), moves)

    return decide


def fake_referee(*faults: int) -> Any:
    return lambda boards, rules, lengths, moves: np.array(faults, np.int32)


def fake_closure(ended: bool, won: bool, positions: int) -> Any:
    return lambda board, rules, plain, safe=None: Closure(ended, positions, ended, positions, 0, won)


def decided(boards: int) -> Any:
    return decide_boards(deal_block(1, boards), Pass(FREECELL, BUDGETS, 1, Limits(1_000, 1_000)), 1)


def test_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "decide", fake_search(WON, EXHAUSTED, OUT))
    monkeypatch.setattr(module, "replay_block", fake_referee(0, -1, -1))
    monkeypatch.setattr(module, "exhaust", fake_closure(ended=True, won=False, positions=123))
    rows = decided(3)
    assert rows.verdicts.tolist() == [SOLVED, UNSOLVABLE, UNDECIDED]
    assert rows.closures.tolist() == [0, 123, 0]
    assert rows.attempts.tolist() == [2, 2, 2]


def test_exhausted_search_without_an_ended_exhaustion_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "decide", fake_search(EXHAUSTED))
    monkeypatch.setattr(module, "exhaust", fake_closure(ended=False, won=False, positions=1_000))
    rows = decided(1)
    assert rows.verdicts.tolist() == [UNDECIDED]
    assert rows.closures.tolist() == [0]


@pytest.mark.parametrize(("fault", "said"), [(1, "move 1 is against the rules"), (-1, "the game is not finished")])
def test_referee_refuses(monkeypatch: pytest.MonkeyPatch, fault: int, said: str) -> None:
    monkeypatch.setattr(module, "decide", fake_search(OUT, WON))
    monkeypatch.setattr(module, "replay_block", fake_referee(-1, fault))
    with pytest.raises(Contradiction) as found:
        decided(2)
    assert "deal 2 (" in str(found.value)
    assert "the search won in 1 moves" in str(found.value)
    assert said in str(found.value)


def test_exhaustion_meets_a_won_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "decide", fake_search(EXHAUSTED))
    monkeypatch.setattr(module, "exhaust", fake_closure(ended=False, won=True, positions=99))
    with pytest.raises(Contradiction) as found:
        decided(1)
    assert "deal 1 (JD 2D 9H JC 5D 7H 7C 5H" in str(found.value)
    assert "expanded 7 positions and was exhausted" in str(found.value)
    assert "met a won position after 99" in str(found.value)


LOST = deal_block(11_982, 1)
PROVING = next(number for number, attempt in enumerate(SERIES, 1) if attempt.proof)


def test_an_exhaustion_is_tried_where_the_last_attempt_asks_for_it() -> None:
    lost = decide_boards(LOST, Pass(FREECELL, (1,), PROVING, Limits(100_000, 100_000)))
    assert (lost.verdicts.tolist(), lost.closures.tolist()) == ([UNSOLVABLE], [83_239])
    assert (lost.attempts.tolist(), lost.positions.tolist()) == ([PROVING], [1])


@pytest.mark.parametrize(
    "step",
    [
        Pass(FREECELL, (1,), PROVING, Limits(60_000, 60_000)),
        Pass(FREECELL, (1,), PROVING - 1, Limits(100_000, 100_000)),
        Pass(FREECELL, (1, 1), PROVING - 2, Limits(100_000, 100_000)),
    ],
)
def test_no_exhaustion_that_is_too_large_or_not_asked_for(step: Pass) -> None:
    assert decide_boards(LOST, step).verdicts.tolist() == [UNDECIDED]


def test_a_won_position_met_by_an_exhaustion_that_was_only_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "decide", fake_search(OUT))
    monkeypatch.setattr(module, "exhaust", fake_closure(ended=False, won=True, positions=99))
    rows = decide_boards(deal_block(1, 1), Pass(FREECELL, (1,), PROVING, Limits(100_000, 100_000)))
    assert (rows.verdicts.tolist(), rows.closures.tolist()) == ([UNDECIDED], [0])


def test_real_verdicts() -> None:
    boards = np.stack([deal_one(1), deal_one(11982)])
    rows = decide_boards(boards, Pass(FREECELL, (2_000_000,), FIRST_CAREFUL, Limits(1_000_000, 1_000_000)))
    assert rows.verdicts.tolist() == [SOLVED, UNSOLVABLE]
    assert rows.closures.tolist() == [0, 83_239]
    assert rows.attempts.tolist() == [FIRST_CAREFUL, FIRST_CAREFUL]
    assert rows.moves[0] >= 52
    assert rows.moves[1] == 0


def test_a_path_that_an_exhaustion_found_is_a_solution_if_the_referee_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = deal_block(1, 3)
    real = decide_boards(boards, Pass(FREECELL, (2_000_000,), FIRST_CAREFUL, Limits(1_000, 1_000)))
    ends = np.cumsum(real.moves)
    path = real.solutions[ends[0] : ends[1]].tobytes()

    def search(*_: Any) -> Decisions:
        answer = np.array([WON, OUT, WON], np.uint8)
        lengths = np.where(answer == WON, real.moves, 0).astype(np.uint16)
        moves = np.concatenate([real.solutions[: ends[0]], real.solutions[ends[1] :]])
        return Decisions(answer, np.full(3, PROVING, np.uint8), np.full(3, 7, np.uint32), lengths, moves)

    met = Closure(False, 99, False, 99, 52, True, path)
    monkeypatch.setattr(module, "decide", search)
    monkeypatch.setattr(module, "exhaust", lambda *_: met)
    step = Pass(FREECELL, (1,), PROVING, Limits(100_000, 100_000))
    rows = decide_boards(boards, step)
    assert rows.verdicts.tolist() == [SOLVED] * 3
    assert rows.moves.tolist() == real.moves.tolist()
    assert rows.solutions.tolist() == real.solutions.tolist()
    assert rows.attempts.tolist() == [PROVING] * 3
    met = met._replace(path=path[:-1])
    with pytest.raises(Contradiction, match=r"deal 2 .* exhaustion won in .* the game is not finished"):
        decide_boards(boards, step, 1)
    monkeypatch.setattr(module, "LONGEST_SOLUTION", len(path) - 2)
    assert decide_boards(boards, step).verdicts.tolist() == [SOLVED, UNDECIDED, SOLVED]


def test_passes_are_the_quick_attempts_and_then_each_deep_one() -> None:
    assert passes(FREECELL, (10, 20), (30, 40), Limits(2_000_000, 3_000_000)) == [
        Pass(FREECELL, (10, 20), 1, Limits(QUICK_CLOSURE, QUICK_CLOSURE), both=True),
        Pass(FREECELL, (30,), 3, Limits(2_000_000, 3_000_000)),
        Pass(FREECELL, (40,), 4, Limits(2_000_000, 3_000_000)),
    ]
    assert passes(FREECELL, (10,), (), Limits(5, 6)) == [Pass(FREECELL, (10,), 1, Limits(5, 6))]


@pytest.mark.parametrize(
    ("limits", "both", "expected"),
    [
        (Limits(83_239, 61_643), False, (UNSOLVABLE, 83_239, 61_643)),
        (Limits(83_239, 61_643), True, (UNSOLVABLE, 83_239, 61_643)),
        (Limits(83_238, 61_643), False, (UNSOLVABLE, 0, 61_643)),
        (Limits(83_238, 61_643), True, (UNDECIDED, 0, 0)),
        (Limits(83_239, 61_642), False, (UNDECIDED, 0, 0)),
    ],
)
def test_two_grades_of_proof(limits: Limits, both: bool, expected: tuple[int, int, int]) -> None:
    rows = decide_boards(LOST, Pass(FREECELL, (2_000_000,), FIRST_CAREFUL, limits, both))
    assert (rows.verdicts[0], rows.closures[0], rows.safe_closures[0]) == expected


def test_one_deal_goes_through_the_passes_until_it_is_decided() -> None:
    limits = Limits(200_000, 200_000)
    rows = decide_in_passes(deal_one(11_982), passes(FREECELL, (10, 15), (20, 100_000, 200_000), limits))
    assert (rows.verdicts.tolist(), rows.attempts.tolist(), rows.closures.tolist()) == ([UNSOLVABLE], [4], [83_239])
    left = decide_in_passes(deal_one(11_982), passes(FREECELL, (10,), (20, 30), limits))
    assert (left.verdicts.tolist(), left.attempts.tolist(), left.positions.tolist()) == ([UNDECIDED], [3], [60])
