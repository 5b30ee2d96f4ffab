"""Series of attempts: which of them decides, and that neighbours and history don't matter."""

import numpy as np
import pytest

from kernels.dealing import deal_block
from kernels.rules import FREECELL, rules_of
from kernels.search.attempts import EXHAUSTED, OUT, SERIES, WON, Attempt, attempt_of, bytes_needed, decide
from kernels.search.evaluation import EVALUATIONS
from kernels.search.haste import CAREFUL, HASTY
from kernels.search.search import Searcher, new_desk, search

BUDGETS = [250, 300, 3_000, 3_000]
ONE_CELL = rules_of("freecell", 1)
BOARDS = deal_block(140, 60)


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
    assert {row[1] for row in rows} == {1, 2, 3, 4}


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
    series = [attempt_of(number) for number in (1, 2, 3, 4)]
    # Room counts for attempts in haste: each has a desk of its own size.
    desks = [new_desk(budget, False, made.haste) for budget, made in zip(BUDGETS, series, strict=True)]
    for board, (answer, attempt, positions, length, moves) in zip(BOARDS, rows, strict=True):
        searched = [
            search(board, ONE_CELL, Searcher(desk, EVALUATIONS[made.evaluation], made.haste, budget))
            for desk, made, budget in zip(desks, series, BUDGETS, strict=True)
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
    before = first.positions[left].tolist()
    assert [row[2] + done for row, done in zip(later, before, strict=True)] == [row[2] for row in whole]


def test_later_attempts_go_on_as_the_last_of_the_series():
    assert attempt_of(1) == SERIES[0]
    assert attempt_of(200) == attempt_of(100) == SERIES[-1]


def test_the_last_attempts_can_be_exhausted():
    """Without them nothing would ever be unsolvable."""
    assert attempt_of(1) == Attempt(0, HASTY)
    assert attempt_of(4).haste == CAREFUL
    assert all(attempt_of(number).haste == CAREFUL for number in range(6, 12))


def test_an_exhaustion_is_tried_only_in_the_deep_pass():
    assert [number for number, attempt in enumerate(SERIES, 1) if attempt.proof] == [5, 6, 7, 8]


def test_no_deals_are_decided_at_once():
    decisions = decide(BOARDS[:0], FREECELL, BUDGETS)
    assert [len(column) for column in decisions] == [0] * 5


def test_memory_grows_with_the_budget():
    assert bytes_needed(4, 1_000) < bytes_needed(4, 10_000) < 20 * bytes_needed(4, 1_000)
    assert bytes_needed(1, 1_000) > bytes_needed(4, 1_000)
