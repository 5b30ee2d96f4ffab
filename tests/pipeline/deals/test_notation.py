"""Boards, move lists and deal numbers as text, both ways."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.dealing import deal_one
from pipeline.deals.notation import (
    board_columns,
    board_json,
    board_rows,
    deal_number,
    deal_range,
    move_texts,
    moves_text,
    parse_board,
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

FORMS = [board_rows, board_columns, board_json]

boards = st.permutations(range(52)).map(lambda cards: np.array(cards, np.uint8))


def changed(form, old, new):
    """A board of deal 1 with a mistake in it."""
    text = form(deal_one(1))
    assert text.count(old) == 1
    return text.replace(old, new)


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


# Reading boards


@given(boards, st.sampled_from(FORMS))
def test_what_is_printed_can_be_read(board, form):
    assert parse_board(form(board)).tolist() == board.tolist()


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_golden_boards_can_be_read(path):
    assert parse_board(path.read_text()).tolist() == deal_one(int(path.stem)).tolist()


@pytest.mark.parametrize("form", FORMS)
def test_10_does_for_t(form):
    assert parse_board(form(deal_one(1)).replace("T", "10")).tolist() == deal_one(1).tolist()


@pytest.mark.parametrize("form", [board_rows, board_columns])
def test_lower_case_colons_and_empty_lines_do(form):
    lines = form(deal_one(1)).lower().splitlines()
    text = "\n" + "".join(f": {line} \r\n\n" for line in lines)
    assert parse_board(text).tolist() == deal_one(1).tolist()


SYMBOLS = str.maketrans("CDHS", "♣♦♥♠")


@pytest.mark.parametrize("form", [board_rows, board_columns])
@pytest.mark.parametrize(
    "written",
    [
        lambda text: text.translate(SYMBOLS),
        lambda text: re.sub("([♣♦♥♠])", "\\1\ufe0f", text.translate(SYMBOLS)),
        lambda text: "\n".join(" ".join(card[::-1] for card in line.split()) for line in text.splitlines()),
        lambda text: text.replace(" ", ", "),
        lambda text: "\ufeff# deal 1\n\n" + text.replace("\n", "  # a line\n"),
        lambda text: "Foundations: H-0 C-0 D-0 S-0\nFreecells:\n" + text,
        lambda text: "Foundations: -\nFC: - - - -\n" + text,
        lambda text: "1 2 3 4 5 6 7 8\n" + text,
        lambda text: "\n".join(f"{number}: {line}" for number, line in enumerate(text.splitlines(), 1)),
        lambda text: text.replace("\n", "\r\n").replace(" ", "\t"),
    ],
)
def test_boards_as_people_have_them(form, written):
    assert parse_board(written(form(deal_one(1)))).tolist() == deal_one(1).tolist()


@given(st.text(st.sampled_from("AC2D 3H:#,\n1♠-fcFreecells{["), max_size=200))
def test_any_text_is_a_board_or_refused(text):
    with pytest.raises(UsageError):
        parse_board(text)


def test_two_boards_are_refused_in_a_short_line():
    with pytest.raises(UsageError, match=r"of these 104, .*; and 47 more$") as refused:
        parse_board(f"{ROWS_OF_DEAL_1}\n\n{ROWS_OF_DEAL_1}")
    assert len(str(refused.value)) < 400


def test_a_bare_list_of_columns_does():
    columns = json.loads(board_json(deal_one(1)))["columns"]
    assert parse_board(json.dumps(columns)).tolist() == deal_one(1).tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed(board_rows, "4C", "1C"), "line 4: '1C' is not a card"),
        (changed(board_columns, "4C", "4"), "line 1: '4' is not a card"),
        (changed(board_columns, "4C", "4CC"), "line 1: '4CC' is not a card"),
        (changed(board_json, "4C", "XX"), "column 1: 'XX' is not a card"),
        (changed(board_rows, "4C", "KD"), r"KD is there 2 times \(line 2, line 4\); missing: 4C"),
        (changed(board_columns, "4C", "JD"), r"JD is there 2 times \(line 1, line 1\); missing: 4C"),
        (changed(board_columns, "4C ", ""), "missing: 4C$"),
        (changed(board_rows, "4C 5C", "5C 4C 4C"), r"4C is there 2 times \(line 4, line 4\)$"),
        (changed(board_rows, "6S 9C 2H 6H", ""), "missing: 2H 6H 6S 9C"),
        (changed(board_rows, "3H\n", "3H "), "7 7 7 7 6 6 6 6 .*; these have 8 16 8 8 8 4"),
        (ROWS_OF_DEAL_1.replace("\n", " "), "these have 52"),
        ("", "missing: AC AD .* KS"),
        ("Foundations: H-3 C-0 D-0 S-0\n" + ROWS_OF_DEAL_1, "line 1: 'H-3' is not in its column: only fresh deals"),
        ("Freecells: 4C\n" + ROWS_OF_DEAL_1, "line 1: '4C' is not in its column: only fresh deals"),
        ("Stock: 4C\n" + ROWS_OF_DEAL_1, "line 1: 'Stock' is neither a card nor"),
        ('{"columns": [', "no JSON: line 1, column 14"),
        ("[" * 100_000, "nested too deeply"),
        ("[" + "9" * 5_000 + "]", "no JSON of ours: .* 5000 digits"),
        ('{"deal": 1}', "a list of cards a column"),
        ('{"columns": [[1, 2]]}', "a list of cards a column"),
        ('["JD", "KD"]', "a list of cards a column"),
    ],
)
def test_what_is_wrong_with_a_board_is_named(text, message):
    with pytest.raises(UsageError, match=message):
        parse_board(text)


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
