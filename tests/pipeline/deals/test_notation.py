"""Boards and move lists as they are printed; deal numbers as text."""

import json
from pathlib import Path

import pytest

from kernels.dealing import deal_one
from pipeline.deals.notation import (
    board_columns,
    board_json,
    board_rows,
    deal_number,
    deal_range,
    move_texts,
    moves_text,
)
from pipeline.errors import UsageError

BOARDS = sorted((Path(__file__).parents[2] / "data" / "boards").glob("*.txt"))

ROWS_OF_DEAL_1 = """\
JD 2D 9H JC 5D 7H 7C 5H
KD KC 9S 5S AD QC KH 3H
2S KS 9D QD JS AS AH 3C
4C 5C TS QH 4H AC 4D 7S
3S TD 4S TH 8H 2C JH 7D
6D 8S 8D QS 6C 3D 8C TC
6S 9C 2H 6H"""

# Printing boards


def test_rows_are_what_a_player_sees():
    assert board_rows(deal_one(1)) == ROWS_OF_DEAL_1


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_columns_are_the_form_of_the_golden_boards(path):
    assert board_columns(deal_one(int(path.stem))) + "\n" == path.read_text()


def test_json_has_columns_and_the_number_where_it_is_known():
    columns = [line.split() for line in board_columns(deal_one(617)).splitlines()]
    assert json.loads(board_json(deal_one(617), 617)) == {"deal": 617, "columns": columns}
    assert json.loads(board_json(deal_one(617))) == {"columns": columns}


# Moves


def test_moves_in_standard_notation():
    to_cell, home = 8, 9
    moves = [
        (0, to_cell),  # a
        (1, to_cell),  # b
        (8, 5),  # a is free again
        (1, 7),
        (7, to_cell),  # a, not c
        (9, home),
        (4, home),
        (3, to_cell),  # b
    ]
    packed = bytes(source * 16 + target for source, target in moves)
    assert move_texts(packed) == ["1a", "2b", "a6", "28", "8a", "bh", "5h", "4b"]


def test_moves_that_are_none_of_a_solution():
    with pytest.raises(UsageError, match="a byte 26"):
        move_texts([26])
    with pytest.raises(UsageError, match="more cards than cells"):
        move_texts([column * 16 + 8 for column in [*range(8), 0]])


def test_the_eighth_cell_is_not_taken_for_home():
    moves = [column * 16 + 8 for column in range(8)] + [15 * 16 + 9]
    assert move_texts(moves) == ["1a", "2b", "3c", "4d", "5e", "6f", "7g", "8k", "kh"]


def test_ten_moves_a_line():
    assert moves_text(["1a"] * 21) == "\n".join([" ".join(["1a"] * 10)] * 2 + ["1a"])


# Deal numbers


@pytest.mark.parametrize(("text", "number"), [("1", 1), ("617", 617), ("0000000617", 617), ("8589934591", 2**33 - 1)])
def test_deal_numbers(text, number):
    assert deal_number(text) == number


@pytest.mark.parametrize("text", ["0", "-1", "8589934592", "abc", "1.5", "", " 1", "1_0", "٣", "1e3", "9" * 5_000])
def test_other_numbers_are_refused_with_the_allowed_range(text):
    with pytest.raises(UsageError, match=f"^'{text}' is no deal number: .* 1 to 8589934591"):
        deal_number(text)


def test_ranges():
    assert deal_range("1:8589934591") == (1, 2**33 - 1)
    assert deal_range("617:617") == (617, 617)


@pytest.mark.parametrize("text", ["0:5", "1:8589934592", "1:", ":5", "1:abc", "1:2:3", "-1:1"])
def test_ranges_are_of_deal_numbers(text):
    with pytest.raises(UsageError, match="1 to 8589934591"):
        deal_range(text)


def test_a_range_needs_two_ends_in_their_order():
    with pytest.raises(UsageError, match="'617' is no range of deals: FIRST:LAST"):
        deal_range("617")
    with pytest.raises(UsageError, match="1:2 is one"):
        deal_range("2:1")
