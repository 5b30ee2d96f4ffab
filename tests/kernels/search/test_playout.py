"""Solutions as single-card moves, before the kernel's referee and the plain one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.dealing import deal_block, deal_one
from kernels.referee import replay_block
from kernels.rules import FREECELL, rules_of
from kernels.search import attempts
from kernels.search.attempts import OUT, WON, decide
from kernels.search.evaluation import EVALUATIONS
from kernels.search.haste import CAREFUL
from kernels.search.playout import move_run, new_solution, play_out
from kernels.search.position import HOME_WORD, ORIGIN_WORD
from kernels.search.search import Searcher, new_desk, search
from kernels.search.trail import IN_CELL, MOST_STEPS, NO_STEP, ON_TABLE, End, new_trail
from tests.kernels import probes
from tests.naive import referee
from tests.naive.moves import CELL, capacity, is_legal, make, move_of_byte
from tests.naive.position import Table, lay_out, mask_of, on_cells

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
    trail = trail_of(table)
    start = End(np.uint64(0), NO_STEP)
    end = move_run(trail, start, np.uint64(mask_of(run)), np.uint64(KING_OF_CLUBS), np.uint64(free), np.uint64(empties))
    for step in trail.steps[1 : int(end.count) + 1].tolist():
        move = move_to(table, step % 64, step // 64 % 64)
        assert is_legal(table, move, rules)
        make(table, move)
    assert table.columns == [[], [KING_OF_CLUBS, *run], *([] for _ in range(empties)), *others]


def move_to(table, card, beneath):
    """The move that puts a card on another, in a cell, or into the first empty column."""
    source = next((index for index, column in enumerate(table.columns) if column[-1:] == [card]), CELL)
    lowest = [] if beneath == ON_TABLE else [beneath]
    target = CELL if beneath == IN_CELL else next(i for i, column in enumerate(table.columns) if column[-1:] == lowest)
    return card, source, target


def trail_of(table):
    """A trail without steps; what lies beneath each card stands on it."""
    trail = new_trail()
    for column in table.columns:
        for card, beneath in zip(column, [ON_TABLE, *column], strict=False):
            trail.beneath[card] = beneath
    trail.steps[0] = NO_STEP
    return trail


def beneath_each(table):
    """What lies beneath each card; the same for tables that are equal up to the order of columns and cells."""
    pairs = [pair for column in table.columns for pair in zip(column, [None, *column], strict=False)]
    return frozenset(pairs) | frozenset((card, "cell") for card in on_cells(table))


@pytest.mark.parametrize("rules", RULES)
def test_each_move_changes_the_position_and_no_card_moves_twice_in_a_row(rules):
    """A position is the same where only the order of columns or cells is another."""
    steps = 0
    for board, moves in solutions(deal_block(11_901, 300), rules):
        table = lay_out(board, rules)
        position, before = beneath_each(table), None
        for byte in moves:
            move = move_of_byte(table, byte)
            make(table, move)
            assert move[0] != before
            assert beneath_each(table) != position
            position, before = beneath_each(table), move[0]
            steps += 1
    assert steps or rules.cells < 3


BOARD = deal_one(617)
"""No card of it goes home at once."""


def won_after_going_there_and_back(times):
    """The path of a search, but first the top card of column 0 goes to a cell and back again and again."""
    desk = new_desk(2_000, False, CAREFUL)
    answer, _, last = search(BOARD, FREECELL, Searcher(desk, EVALUATIONS[0], CAREFUL, 2_000))
    assert (answer, desk.positions[0, HOME_WORD]) == (WON, 0b1111)
    path = []
    while last:
        path.append(last)
        last = int(desk.positions[last, ORIGIN_WORD]) >> 32
    there, back = (int(BOARD[48]) << 12 | source << 8 | target << 4 for source, target in ((0, 8), (8, 0)))
    moves = [there, back] * times + [int(desk.positions[number, ORIGIN_WORD]) & 2**32 - 1 for number in path[::-1]]
    aside = desk.positions[[0, 0]]
    probes.take(aside[1], np.uint64(there >> 4), desk.prefixes.under)
    positions = np.concatenate([desk.positions[:1], np.tile(aside[::-1], (times, 1)), desk.positions[path[::-1]]])
    positions[:, ORIGIN_WORD] = [0, *(number << 32 | move for number, move in enumerate(moves))]
    return positions, len(moves)


@pytest.mark.parametrize("times", [1, 5, 60_000])
def test_what_goes_there_and_back_takes_itself_away(times):
    """Even where the path is longer than a solution may be."""
    room = new_solution()
    straight, winding = (
        (play_out(BOARD, FREECELL, won_after_going_there_and_back(count), CAREFUL, room), room.trail.moves.copy())
        for count in (0, times)
    )
    assert winding[0] == straight[0] >= 52
    assert np.array_equal(winding[1], straight[1])


def test_a_path_without_end_is_no_solution():
    endless = won_after_going_there_and_back(MOST_STEPS // 2)
    assert play_out(BOARD, FREECELL, endless, CAREFUL, new_solution()) == 0


def test_a_solution_that_is_too_long_is_none():
    path = won_after_going_there_and_back(0)
    length = play_out(BOARD, FREECELL, path, CAREFUL, new_solution())
    assert play_out(BOARD, FREECELL, path, CAREFUL, new_solution(length)) == length
    assert play_out(BOARD, FREECELL, path, CAREFUL, new_solution(length - 1)) == 0


def test_the_next_attempt_goes_on_where_a_solution_is_too_long(monkeypatch):
    boards, budgets = deal_block(1, 20), [450, 2_000]
    lengths = decide(boards, FREECELL, budgets).lengths
    longest = int(np.median(lengths))
    monkeypatch.setattr(attempts, "_solution", lambda: new_solution(longest))
    found = decide(boards, FREECELL, budgets)
    assert found.lengths.max() <= longest
    assert (found.attempt[lengths > longest] == 2).all()
    lists = np.split(found.moves, np.cumsum(found.lengths, dtype=np.int64)[:-1])
    for board, moves, answer in zip(boards, lists, found.answer, strict=True):
        assert answer == OUT or referee.replay(board, FREECELL, moves) == 0
