"""The audit's search: what it finds is replayed, and what it exhausts is what an exhaustion counts."""

import numpy as np
import pytest

from kernels.audit.closure import count_positions
from kernels.audit.search import EXHAUSTED, GIVEN_UP, SOLVED, solve
from kernels.dealing import deal_block, deal_one
from kernels.referee import replay_block
from kernels.rules import FREECELL, Rules
from tests.naive import closure as naive
from tests.naive import referee

BUDGETS = (200_000, 200_000, 1_000_000)


def test_solutions_are_replayed():
    boards = deal_block(2**31 - 15, 30)
    found = [solve(board, FREECELL, BUDGETS) for board in boards]
    assert [attempt.answer for attempt in found] == [SOLVED] * len(boards)
    lengths = np.array([len(attempt.moves) for attempt in found], np.uint16)
    heard = replay_block(boards, FREECELL, lengths, np.concatenate([attempt.moves for attempt in found]))
    assert not heard.any()
    for board, attempt in zip(boards, found, strict=True):
        assert referee.replay(board, FREECELL, attempt.moves) == 0


@pytest.mark.parametrize("rules", [Rules(2, False), Rules(8, True), Rules(1, True)])
def test_other_rules(rules):
    budget = 30_000
    answers = set()
    for board in deal_block(1, 40):
        attempt = solve(board, rules, [budget])
        answers.add(attempt.answer)
        if attempt.answer == SOLVED:
            assert referee.replay(board, rules, attempt.moves) == 0
        if attempt.answer == EXHAUSTED:
            assert attempt.positions == count_positions(board, rules, budget).positions
    assert answers & {SOLVED, EXHAUSTED}


def test_an_unsolvable_deal_is_exhausted():
    for deal, positions in ((781948, 7_736), (11982, 83_239)):
        attempt = solve(deal_one(deal), FREECELL, BUDGETS)
        assert (attempt.answer, attempt.positions, len(attempt.moves)) == (EXHAUSTED, positions, 0)
        assert solve(deal_one(deal), FREECELL, [positions]).answer == EXHAUSTED
        assert solve(deal_one(deal), FREECELL, [positions - 1]).answer == GIVEN_UP


def test_deals_that_are_won_without_cells():
    """Of the few there are; the deals around them are exhausted, as the plain twin says."""
    rules, budget = Rules(0, False), 3_000
    for deal in (3250, 5152):
        attempt = solve(deal_one(deal), rules, [budget])
        assert attempt.answer == SOLVED
        assert referee.replay(deal_one(deal), rules, attempt.moves) == 0
    exhausted = 0
    for board in deal_block(3200, 100):
        attempt, twin = solve(board, rules, [budget]), naive.exhaust(board, rules, budget)
        if twin.ended:
            exhausted += 1
            assert (attempt.answer, attempt.positions) == (EXHAUSTED, twin.positions)
        else:
            assert attempt.answer != EXHAUSTED
    assert exhausted > 70


def test_it_gives_up_within_the_budget():
    attempt = solve(deal_one(1), FREECELL, [50])
    assert attempt.answer == GIVEN_UP
    assert 50 < attempt.positions <= 130


def test_estimates_that_fail_on_different_deals():
    for deal in (7481685, 7000753):
        answers = [
            solve(deal_one(deal), FREECELL, budgets).answer for budgets in ([100_000], [1, 100_000], [1, 1, 100_000])
        ]
        assert answers == [GIVEN_UP, SOLVED, SOLVED]
        assert solve(deal_one(deal), FREECELL, [1, 1]).answer == GIVEN_UP


def test_what_was_solved_before_leaves_no_trace():
    first = solve(deal_one(5), FREECELL, BUDGETS)
    solve(deal_one(6), FREECELL, BUDGETS)
    again = solve(deal_one(5), FREECELL, BUDGETS)
    assert first.positions == again.positions
    assert first.moves.tolist() == again.moves.tolist()
