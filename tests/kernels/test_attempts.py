"""Series of attempts: which of them decides, and that neighbours and history don't matter."""

import numpy as np
import pytest

from kernels.attempts import EXHAUSTED, OUT, WON, bytes_needed, decide, evaluation_of
from kernels.dealing import deal_block
from kernels.moves import accepting
from kernels.rules import FREECELL, rules_of
from kernels.search import new_desk, search

BUDGETS = [60, 300, 3_000]
ONE_CELL = rules_of("freecell", 1)
BOARDS = deal_block(1, 60)


def rows_of(decisions):
    """What was decided, a tuple a deal."""
    ends = np.cumsum(decisions.lengths, dtype=np.int64)
    assert ends[-1] == len(decisions.moves)
    moves = [part.tobytes() for part in np.split(decisions.moves, ends[:-1])]
    return list(zip(*(column.tolist() for column in decisions[:4]), moves, strict=True))


@pytest.fixture(scope="module")
def rows():
    return rows_of(decide(BOARDS, ONE_CELL, BUDGETS))


def test_all_answers_occur(rows):
    assert {row[0] for row in rows} == {WON, EXHAUSTED, OUT}
    assert {row[1] for row in rows} == {1, 2, 3}


def test_a_block_is_decided_as_its_deals_one_by_one(rows):
    assert [row for board in BOARDS for row in rows_of(decide(board[None], ONE_CELL, BUDGETS))] == rows


def test_the_order_of_deals_does_not_matter(rows):
    order = np.random.default_rng(1).permutation(len(BOARDS))
    assert rows_of(decide(BOARDS[order], ONE_CELL, BUDGETS)) == [rows[index] for index in order]


def test_what_was_decided_before_does_not_matter(rows):
    decide(BOARDS, FREECELL, BUDGETS)
    decide(BOARDS, rules_of("bakers", 1), BUDGETS)
    assert rows_of(decide(BOARDS, ONE_CELL, BUDGETS)) == rows


def test_each_attempt_searches_with_its_own_evaluation_until_one_decides(rows):
    desk = new_desk(max(BUDGETS), accepting(False))
    for board, (answer, attempt, positions, length, moves) in zip(BOARDS, rows, strict=True):
        searched = [
            search(board, desk, evaluation_of(number), 1, False, budget) for number, budget in enumerate(BUDGETS, 1)
        ]
        answers = [found for found, _, _ in searched]
        deciding = next((i for i, found in enumerate(answers) if found != OUT), len(BUDGETS) - 1)
        assert (answer, attempt) == (answers[deciding], deciding + 1)
        assert positions == sum(expanded for _, expanded, _ in searched[: deciding + 1])
        assert len(moves) == length
        assert (length >= 52) == (answer == WON)
        assert (length == 0) == (answer != WON)


def test_a_series_may_be_cut_anywhere(rows):
    """The later attempts alone decide what the first one left over as the whole series does."""
    first = decide(BOARDS, ONE_CELL, BUDGETS[:1])
    left = np.flatnonzero(first.answer == OUT)
    later = rows_of(decide(BOARDS[left], ONE_CELL, BUDGETS[1:], first_attempt=2))
    whole = [rows[index] for index in left]
    assert [row[:2] + row[3:] for row in later] == [row[:2] + row[3:] for row in whole]
    assert [row[2] + BUDGETS[0] for row in later] == [row[2] for row in whole]


def test_later_attempts_go_on_with_the_last_evaluation():
    assert evaluation_of(1) != evaluation_of(2)
    assert evaluation_of(200) == evaluation_of(100)


def test_no_deals_are_decided_at_once():
    decisions = decide(BOARDS[:0], FREECELL, BUDGETS)
    assert [len(column) for column in decisions] == [0] * 5


def test_memory_grows_with_the_budget():
    assert bytes_needed(1_000) < bytes_needed(10_000) < 20 * bytes_needed(1_000)
