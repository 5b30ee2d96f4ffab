"""The referee against its plain twin: complete games, cut and spoilt ones, and lists of any bytes."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.cards import CARDS, TALLEST
from kernels.dealing import LAST_DEAL, deal_block, deal_one
from kernels.layout import Layout
from kernels.referee import UNFINISHED, replay_block, replay_from
from kernels.rules import FREECELL, Rules
from kernels.search.attempts import WON, decide
from tests.naive import referee as naive

DESCENDING = np.arange(CARDS - 1, -1, -1, dtype=np.uint8)
"""A board from which everything goes home: the king of spades is dealt first, the aces last."""
ALL_HOME = [index % 8 * 16 + 9 for index in range(CARDS - 1, -1, -1)]

FIRST_CELL_AS_SOURCE, TO_FIRST_FREE_CELL, HOME = 8 * 16, 8, 9

rules_drawn = st.builds(Rules, st.integers(0, 8), st.booleans())


def replay(board, rules, moves):
    return int(replay_block(board[None], rules, np.array([len(moves)], np.uint16), np.array(moves, np.uint8))[0])


def random_game(board, rules, source, length):
    """Moves of which most are legal: of some bytes drawn, the first that the twin allows, or the last."""
    moves = []
    for _ in range(length):
        for byte in source.choices(range(256), k=source.choice((2, 40, 400))):
            if naive.replay(board, rules, [*moves, byte]) <= 0:
                break
        moves.append(byte)
        if naive.replay(board, rules, moves) > 0:
            break
    return moves


def test_a_complete_game():
    assert replay(DESCENDING, FREECELL, ALL_HOME) == 0


def test_every_shorter_list_is_unfinished():
    for length in range(CARDS):
        assert replay(DESCENDING, FREECELL, ALL_HOME[:length]) == UNFINISHED


def test_nothing_moves_after_the_game_is_won():
    for byte in range(256):
        assert replay(DESCENDING, FREECELL, [*ALL_HOME, byte]) == CARDS + 1


@pytest.mark.parametrize("place", [0, 17, CARDS - 1])
def test_any_byte_in_a_complete_game(place):
    for byte in range(256):
        moves = [*ALL_HOME[:place], byte, *ALL_HOME[place + 1 :]]
        assert replay(DESCENDING, FREECELL, moves) == naive.replay(DESCENDING, FREECELL, moves)


@pytest.mark.parametrize("rules", [Rules(0, False), FREECELL, Rules(8, False), Rules(4, True)])
def test_any_first_byte(rules):
    board = deal_one(617)
    for byte in range(256):
        assert replay(board, rules, [byte]) == naive.replay(board, rules, [byte])


@pytest.mark.parametrize("cells", range(9))
def test_there_are_as_many_cells_as_the_rules_say(cells):
    board = deal_one(1)
    full = [column * 16 + TO_FIRST_FREE_CELL for column in range(cells)]
    rules = Rules(cells, False)
    assert replay(board, rules, full) == UNFINISHED
    assert replay(board, rules, [*full, TO_FIRST_FREE_CELL]) == cells + 1
    # Nor from a cell to a cell: none is free.
    assert replay(board, rules, [*full, FIRST_CELL_AS_SOURCE + TO_FIRST_FREE_CELL]) == cells + 1


def test_the_highest_column_there_can_be():
    """Suits in order upon a king with six cards under it: the ace of that run is the 19th card."""
    run = [48, 45, 40, 37, 32, 29, 24, 21, 16, 13, 8, 5, 0]
    others = [card for card in range(CARDS) if card not in run]
    board = np.zeros(CARDS, np.uint8)
    board[0:48:8] = others[:6]
    board[48] = run[0]
    # The run stands ready, each card on top of its column in turn.
    slots = [index for index in range(CARDS) if index % 8]
    waiting = {slots[-1 - i]: card for i, card in enumerate(run[1:])}
    rest = iter(others[6:])
    for index in slots:
        board[index] = waiting[index] if index in waiting else next(rest)
    moves = [slots[-1 - i] % 8 * 16 for i in range(len(run) - 1)]
    assert len(board[0::8]) + len(moves) == TALLEST
    assert replay(board, FREECELL, moves) == naive.replay(board, FREECELL, moves) == UNFINISHED
    assert replay(board, FREECELL, [*moves, HOME]) == UNFINISHED


@settings(deadline=None, max_examples=60)
@given(deal=st.integers(1, LAST_DEAL), rules=rules_drawn, seed=st.integers(0, 1000))
def test_random_games(deal, rules, seed):
    board = deal_one(deal)
    moves = random_game(board, rules, random.Random(seed), 40)
    assert replay(board, rules, moves) == naive.replay(board, rules, moves)


@settings(deadline=None, max_examples=40)
@given(deal=st.integers(1, LAST_DEAL), rules=rules_drawn, seed=st.integers(0, 1000), cut=st.integers(0, 30))
def test_games_that_go_on_from_their_middle(deal, rules, seed, cut):
    board = deal_one(deal)
    moves = random_game(board, rules, random.Random(seed), 40)
    columns, cells, home = [board[column::8].tolist() for column in range(8)], [None] * rules.cells, [0] * 4
    cut = min(cut, len(moves) - 1)
    assert naive.replay_on(columns, cells, home, rules, moves[:cut]) == UNFINISHED
    layout = Layout(tuple(map(tuple, columns)), tuple(cells), tuple(home))
    rest = np.array(moves[cut:], np.uint8)
    assert replay_from(layout, rules, rest) == naive.replay_on(columns, cells, home, rules, rest)


def test_a_column_as_high_as_a_layout_has_it():
    """All cards but a king and the aces lie in one column, and a run goes on top."""
    layout = Layout((tuple(range(44)), (44,), (45,), (46, 48, 47, 49, 50, 51), (), (), (), ()))
    moves = np.array([3 * 16 + 4, 3 * 16 + 5, 3 * 16 + 6, 3 * 16 + 7], np.uint8)
    assert replay_from(layout, FREECELL, moves) == UNFINISHED
    assert replay_from(layout, FREECELL, np.array([*moves, 3 * 16], np.uint8)) == 5


@settings(deadline=None)
@given(deal=st.integers(1, LAST_DEAL), rules=rules_drawn, moves=st.binary(max_size=80))
def test_any_bytes(deal, rules, moves):
    board = deal_one(deal)
    assert replay(board, rules, list(moves)) == naive.replay(board, rules, list(moves))


@pytest.fixture(scope="module")
def solved():
    """Boards of a block and the solutions that the search found."""
    boards = deal_block(1, 60)
    found = decide(boards, FREECELL, [200, 30_000])
    assert (found.answer == WON).all()
    return boards, found.lengths, found.moves


def test_solutions_in_a_block(solved):
    boards, lengths, moves = solved
    assert not replay_block(boards, FREECELL, lengths, moves).any()


def test_a_solution_belongs_to_its_deal(solved):
    boards, lengths, moves = solved
    verdicts = replay_block(np.roll(boards, 1, axis=0), FREECELL, lengths, moves)
    assert (verdicts > 0).all()


def test_spoilt_solutions(solved):
    boards, lengths, moves = solved
    source, ends = random.Random(2), np.cumsum(lengths)
    spoilt = moves.copy()
    for end, length in zip(ends, lengths, strict=True):
        spoilt[end - source.randint(1, length)] = source.randrange(256)
    lists = np.split(spoilt, ends[:-1])
    expected = [naive.replay(board, FREECELL, one.tolist()) for board, one in zip(boards, lists, strict=True)]
    assert replay_block(boards, FREECELL, lengths, spoilt).tolist() == expected
    assert any(expected)


def test_fewer_cells_than_a_solution_used(solved):
    boards, lengths, moves = solved
    verdicts = replay_block(boards, Rules(0, False), lengths, moves)
    assert (verdicts > 0).any()


def test_no_list_is_unfinished():
    nothing = np.zeros(3, np.uint16)
    assert replay_block(deal_block(1, 3), FREECELL, nothing, np.zeros(0, np.uint8)).tolist() == [UNFINISHED] * 3


@pytest.mark.parametrize("cut", [1, 40])
def test_a_cut_block_is_refused(solved, cut):
    boards, lengths, moves = solved
    with pytest.raises(ValueError, match=f"{len(moves) - cut} moves where the lengths add up to {len(moves)}"):
        replay_block(boards, FREECELL, lengths, moves[:-cut])


def test_a_length_is_needed_for_each_board(solved):
    boards, lengths, moves = solved
    with pytest.raises(ValueError, match="59 move lists for 60 boards"):
        replay_block(boards, FREECELL, lengths[:-1], moves)


def test_a_list_may_be_longer_than_a_result_can_hold():
    """The audit's own search may find such a one. Here the last king goes to a cell and back again and again."""
    moves = np.array([*ALL_HOME[:-1], *[0x08, 0x80] * 35_000, ALL_HOME[-1]], np.uint8)
    assert replay_block(DESCENDING[None], FREECELL, np.array([len(moves)], np.uint64), moves)[0] == 0
