"""The worker: what the search says stands only where other code agrees."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kernels.dealing import deal_block, deal_one
from kernels.proof.closure import Closure
from kernels.rules import FREECELL, Rules
from kernels.search.attempts import EXHAUSTED, FIRST_CAREFUL, OUT, SERIES, WON, Decisions, decide_block
from pipeline.errors import Contradiction
from pipeline.farm import worker
from pipeline.farm.worker import Plan, decide_boards, decide_task
from pipeline.shards import Task
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE

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
    return decide_boards(deal_block(1, boards), FREECELL, BUDGETS, 1, 1_000, 1)


def test_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "decide", fake_search(WON, EXHAUSTED, OUT))
    monkeypatch.setattr(worker, "replay_block", fake_referee(0, -1, -1))
    monkeypatch.setattr(worker, "exhaust", fake_closure(ended=True, won=False, positions=123))
    rows = decided(3)
    assert rows.verdicts.tolist() == [SOLVED, UNSOLVABLE, UNDECIDED]
    assert rows.closures.tolist() == [0, 123, 0]
    assert rows.attempts.tolist() == [2, 2, 2]


def test_exhausted_search_without_an_ended_exhaustion_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "decide", fake_search(EXHAUSTED))
    monkeypatch.setattr(worker, "exhaust", fake_closure(ended=False, won=False, positions=1_000))
    rows = decided(1)
    assert rows.verdicts.tolist() == [UNDECIDED]
    assert rows.closures.tolist() == [0]


@pytest.mark.parametrize(("fault", "said"), [(1, "move 1 is against the rules"), (-1, "the game is not finished")])
def test_referee_refuses(monkeypatch: pytest.MonkeyPatch, fault: int, said: str) -> None:
    monkeypatch.setattr(worker, "decide", fake_search(OUT, WON))
    monkeypatch.setattr(worker, "replay_block", fake_referee(-1, fault))
    with pytest.raises(Contradiction) as found:
        decided(2)
    assert "deal 2 (" in str(found.value)
    assert "the search won in 1 moves" in str(found.value)
    assert said in str(found.value)


def test_exhaustion_meets_a_won_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "decide", fake_search(EXHAUSTED))
    monkeypatch.setattr(worker, "exhaust", fake_closure(ended=False, won=True, positions=99))
    with pytest.raises(Contradiction) as found:
        decided(1)
    assert "deal 1 (JD 2D 9H JC 5D 7H 7C 5H" in str(found.value)
    assert "expanded 7 positions and was exhausted" in str(found.value)
    assert "met a won position after 99" in str(found.value)


PROVING = next(number for number, attempt in enumerate(SERIES, 1) if attempt.proof)


def test_an_exhaustion_is_tried_where_the_last_attempt_asks_for_it() -> None:
    lost = decide_boards(deal_block(11982, 1), FREECELL, [1], PROVING, 100_000)
    assert (lost.verdicts.tolist(), lost.closures.tolist()) == ([UNSOLVABLE], [83_239])
    assert (lost.attempts.tolist(), lost.positions.tolist()) == ([PROVING], [1])
    assert decide_boards(deal_block(11982, 1), FREECELL, [1], PROVING, 80_000).verdicts.tolist() == [UNDECIDED]
    assert decide_boards(deal_block(11982, 1), FREECELL, [1], PROVING - 1, 100_000).verdicts.tolist() == [UNDECIDED]
    assert decide_boards(deal_block(11982, 1), FREECELL, [1, 1], PROVING, 100_000).verdicts.tolist() == [UNDECIDED]


def test_a_won_position_met_by_an_exhaustion_that_was_only_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "decide", fake_search(OUT))
    monkeypatch.setattr(worker, "exhaust", fake_closure(ended=False, won=True, positions=99))
    rows = decide_boards(deal_block(1, 1), FREECELL, [1], PROVING, 100_000)
    assert (rows.verdicts.tolist(), rows.closures.tolist()) == ([UNDECIDED], [0])


def test_real_verdicts() -> None:
    boards = np.stack([deal_one(1), deal_one(11982)])
    rows = decide_boards(boards, FREECELL, [2_000_000], FIRST_CAREFUL, 1_000_000)
    assert rows.verdicts.tolist() == [SOLVED, UNSOLVABLE]
    assert rows.closures.tolist() == [0, 83_239]
    assert rows.attempts.tolist() == [FIRST_CAREFUL, FIRST_CAREFUL]
    assert rows.moves[0] >= 52
    assert rows.moves[1] == 0


def test_a_task_is_its_deals_whatever_its_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(FREECELL, (60, 400), 1, 1_000_000, solutions=True)
    whole = decide_task(plan, Task(2**31 - 150, 300))
    monkeypatch.setattr(worker, "BLOCK", 70)
    for column, expected in zip(decide_task(plan, Task(2**31 - 150, 300)), whole, strict=True):
        np.testing.assert_array_equal(column, expected)
    assert len(whole.verdicts) == 300
    assert len(whole.solutions) == whole.moves.sum()


def test_moves_are_left_out_unless_asked_for() -> None:
    rows = decide_task(Plan(FREECELL, (60, 400), 1, 1_000_000, solutions=False), Task(1, 20))
    assert len(rows.solutions) == 0
    assert rows.moves.sum() > 0


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_warm_leaves_nothing_to_compile(attempts: int) -> None:
    worker.warm(attempts)
    compiled = len(decide_block.signatures)
    for budgets in ((60,), (60, 400, 500)[:attempts]):
        decide_task(Plan(FREECELL, budgets, 1, 1_000, solutions=False), Task(1, 1))
    assert len(decide_block.signatures) == compiled
