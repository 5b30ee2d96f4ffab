"""Solutions as players write them."""

import pytest

from kernels.cards import CARDS
from kernels.dealing import deal_block
from kernels.layout import Layout, layout_of
from kernels.rules import FREECELL, Rules
from kernels.search.attempts import WON, decide
from pipeline.deals.replay import COMPLETE, NONE, replay_layout
from pipeline.deals.turns import turn_lines, turns_of

FOUR, THREE, TWO, BLACK_FIVE, BLACK_THREE = 13, 8, 5, 19, 11
"""4D 3C 2D fit on each other, and 4D on 5S."""


def endgame(*columns, cells=()):
    """A layout whose other cards are somewhere out of the way: these tests move only a few."""
    there = {card for column in columns for card in column} | {*cells} - {None}
    rest = [card for card in range(CARDS) if card not in there]
    others = 8 - len(columns)
    return Layout((*columns, *(tuple(rest[number::others]) for number in range(others))), cells)


def texts(layout, moves, rules=FREECELL):
    return [turn.text for turn in turns_of(layout, rules, bytes(moves))]


def test_a_run_by_way_of_cells_is_one_move():
    layout = endgame((FOUR, THREE, TWO), (BLACK_FIVE,))
    assert texts(layout, [0x08, 0x08, 0x01, 0x91, 0x81]) == ["12"]
    (turn,) = turns_of(layout, FREECELL, bytes([0x08, 0x08, 0x01, 0x91, 0x81]))
    assert turn.words == "4D 3C 2D from column 1 onto 5S in column 2"
    assert turn.after.columns[:2] == ((), (BLACK_FIVE, FOUR, THREE, TWO))


def test_a_run_to_an_empty_column_has_its_number():
    layout = endgame((FOUR, THREE, TWO), ())
    (turn,) = turns_of(layout, FREECELL, bytes([0x08, 0x08, 0x01, 0x91, 0x81]))
    assert (turn.text, turn.words) == ("12v3", "4D 3C 2D from column 1 to empty column 2")
    assert texts(layout, [0x01]) == ["12"]


def test_a_run_by_way_of_an_empty_column():
    layout = endgame((FOUR, THREE, TWO), (BLACK_FIVE,), ())
    moves = [0x08, 0x02, 0x82, 0x01, 0x28, 0x21, 0x81]
    assert texts(layout, moves, Rules(1, False)) == ["12"]


def test_what_is_left_in_a_cell_is_no_run():
    layout = endgame((FOUR, THREE, TWO), (BLACK_FIVE,))
    assert texts(layout, [0x08, 0x08, 0x01, 0x91]) == ["1a", "12"]


def test_more_than_the_rules_allow_is_no_run():
    """2D waits on 3S: with a single cell, three cards don't go at once."""
    layout = endgame((FOUR, THREE, TWO), (BLACK_FIVE,), (BLACK_THREE,))
    moves = [0x02, 0x08, 0x01, 0x81, 0x21]
    assert texts(layout, moves, Rules(1, False)) == ["13", "12", "32"]
    assert texts(layout, moves, Rules(2, False)) == ["12"]


def test_other_moves_in_words():
    layout = endgame((51, 0), (), cells=(None, 50))
    turns = turns_of(layout, FREECELL, bytes([0x09, 0x08, 0x91]))
    assert [(turn.text, turn.words) for turn in turns] == [
        ("1h", "AC from column 1 home"),
        ("1a", "KS from column 1 to cell a"),
        ("b2", "KH from cell b to empty column 2"),
    ]


@pytest.fixture(scope="module")
def solved():
    boards = deal_block(1, 50)
    found = decide(boards, FREECELL, [450, 870, 15_880, 30_000])
    assert (found.answer == WON).all()
    ends = found.lengths.astype(int).cumsum()
    return [
        (layout_of(board), found.moves[end - length : end].tobytes())
        for board, end, length in zip(boards, ends, found.lengths, strict=True)
    ]


def test_fifty_solutions_there_and_back(solved):
    for layout, moves in solved:
        turns = turns_of(layout, FREECELL, moves)
        assert len(turns) < len(moves)
        assert turns[-1].after.home == (13, 13, 13, 13)
        replayed = replay_layout(layout, "\n".join(turn_lines(turns)))
        assert (replayed.answer, replayed.written) == (COMPLETE, len(turns))
        assert replayed.moves <= len(moves)
        assert replayed.reading.automatic == NONE


def test_lines_with_words_and_positions_can_be_replayed(solved):
    layout, moves = solved[0]
    turns = turns_of(layout, FREECELL, moves)
    for long, boards in ((True, False), (False, True), (True, True)):
        text = "\n".join(turn_lines(turns, long, boards))
        assert replay_layout(layout, text).answer == COMPLETE
    assert f"  1. {turns[0].text}  # {turns[0].words}" in text
