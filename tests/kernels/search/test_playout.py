"""Solutions as single-card moves, before the kernel's referee and the plain one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.dealing import deal_block, deal_one
from kernels.referee import replay_block
from kernels.rules import FREECELL, rules_of
from kernels.search import attempts
from kernels.search.attempts import WON, decide
from kernels.search.evaluation import EVALUATIONS, Weights
from kernels.search.haste import CAREFUL
from kernels.search.playout import EMPTY, FREE, MOVABLE, move_run, new_tableau, play_out
from kernels.search.search import Searcher, new_desk, search
from tests.naive import referee
from tests.naive.moves import capacity, is_legal, make, move_of_byte
from tests.naive.position import Table, mask_of

RULES = [rules_of(game, cells) for game in ("freecell", "bakers") for cells in (1, 3, 4, 5, 8)]


def solutions(boards, rules):
    """Each board that was won, with its moves."""
    found = decide(boards, rules, [2_000])
    lists = np.split(found.moves, np.cumsum(found.lengths, dtype=np.int64)[:-1])
    return [(board, moves) for board, moves, answer in zip(boards, lists, found.answer, strict=True) if answer == WON]


@pytest.mark.parametrize("rules", RULES)
def test_both_referees_accept_every_solution(rules):
    won = solutions(deal_block(2**31 - 60, 120), rules)
    assert won or rules.cells < 3
    for board, moves in won:
        assert len(moves) >= 52
        assert referee.replay(board, rules, moves) == 0
        assert replay_block(board[None], rules, np.array([len(moves)], np.uint16), moves)[0] == 0


QUEEN_DOWN = [4 * (11 - row) + (row + 1) % 2 for row in range(12)]
"""Queen of diamonds, jack of clubs, and on to the ace of clubs."""

KING_OF_CLUBS = 48
OTHERS = [51, 50, 47, 46, 43, 42]


@settings(deadline=None)
@given(st.integers(0, 8), st.integers(0, 3), st.data())
def test_a_run_moves_card_by_card_as_far_as_there_is_room(free, empties, data):
    rules = rules_of("freecell", free)
    run = QUEEN_DOWN[: data.draw(st.integers(1, min(capacity(free, empties), 12)))]
    others = [[card] for card in OTHERS[empties:]]
    table = Table([run.copy(), [KING_OF_CLUBS], *([] for _ in range(empties)), *others], [None] * free, [0] * 4)
    tableau = tableau_of(table)
    between = np.uint64(mask_of(range(2, 2 + empties)))
    move_run(tableau, np.uint64(len(run)), np.uint64(0), np.uint64(1), np.uint64(free), between)
    for byte in tableau.moves[: int(tableau.count[0])]:
        move = move_of_byte(table, byte)
        assert is_legal(table, move, rules)
        make(table, move)
    assert table.columns == [[], [KING_OF_CLUBS, *run], *([] for _ in range(empties)), *others]


def tableau_of(table):
    """The kernel's form of plain columns; no cell is taken."""
    tableau = new_tableau()
    for index, column in enumerate(table.columns):
        tableau.columns[index, : len(column)] = column
        tableau.heights[index] = len(column)
        if column:
            tableau.where[column[-1]] = index
    tableau.sets[MOVABLE] = mask_of(column[-1] for column in table.columns if column)
    tableau.sets[FREE] = mask_of(range(len(table.cells)))
    tableau.sets[EMPTY] = mask_of(index for index, column in enumerate(table.columns) if not column)
    return tableau


LONG_WINDED = Weights(
    home=69, joint=509, first_joint=101, king_joint=42, sorted_joint=-49, on_ace=2, on_two=-5, on_three=-3, on_four=-10,
    any_below=49, dig=141, cell_1=746, cell_2=668, cell_3=789, cell_4=1177, empty_1=587, empty_more=879, low_base=47,
    depth=343, uncovers_fitting=313, uncovers_run=442, uncovers_next=475, limit=0, gap=109,
)  # fmt: skip
"""A careful search that these lead goes from position to position for a very long time."""


def test_a_solution_that_is_too_long_is_none():
    """The search's path alone is longer than a solution may be."""
    board = deal_one(9559005)
    desk = new_desk(400_000, False, CAREFUL)
    answer, _, last = search(board, FREECELL, Searcher(desk, LONG_WINDED, CAREFUL, 400_000))
    assert answer == WON
    assert play_out(board, FREECELL, (desk.positions, desk.origins, last), CAREFUL, new_tableau()) == 0


def test_the_next_attempt_goes_on_where_a_solution_is_too_long(monkeypatch):
    monkeypatch.setattr(attempts, "EVALUATIONS", (LONG_WINDED, EVALUATIONS[0]))
    monkeypatch.setattr(attempts, "SERIES", (attempts.Attempt(0, CAREFUL), attempts.Attempt(1, CAREFUL)))
    attempts._searcher.cache_clear()
    boards = deal_block(9559004, 3)
    found = decide(boards, rules_of("freecell", 4), [400_000, 200_000])
    assert found.answer.tolist() == [WON] * 3
    assert found.attempt.tolist() == [1, 2, 1]
    lists = np.split(found.moves, np.cumsum(found.lengths, dtype=np.int64)[:-1])
    for board, moves in zip(boards, lists, strict=True):
        assert referee.replay(board, rules_of("freecell", 4), moves) == 0
    attempts._searcher.cache_clear()
