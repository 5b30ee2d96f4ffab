"""Boards and positions as people have them, read from text; what is wrong with them is named."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.dealing import deal_one
from kernels.layout import Layout, board_of, layout_of
from pipeline.deals.boards import parse_board, parse_layout
from pipeline.deals.find import find
from pipeline.deals.notation import board_columns, board_json, board_rows
from pipeline.errors import UsageError

BOARDS = sorted((Path(__file__).parents[2] / "data" / "boards").glob("*.txt"))
"""Printed by Freecell Solver's generator of boards, a line a column."""

ROWS_OF_DEAL_1 = board_rows(deal_one(1))
FORMS = [board_rows, board_columns, board_json]

boards = st.permutations(range(52)).map(lambda cards: np.array(cards, np.uint8))


def changed(form, old, new):
    """A board of deal 1 with a mistake in it."""
    text = form(deal_one(1))
    assert text.count(old) == 1
    return text.replace(old, new)


@given(boards, st.sampled_from(FORMS))
def test_what_is_printed_can_be_read(board, form):
    assert parse_board(form(board)).tolist() == board.tolist()


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_golden_boards_can_be_read(path):
    board = parse_board(path.read_text())
    assert board.tolist() == deal_one(int(path.stem)).tolist()
    assert find(board).deals == [int(path.stem)]
    assert board_columns(board) + "\n" == path.read_text()


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
        lambda text: "\n".join(f"{number} {line}" for number, line in enumerate(text.splitlines(), 1)),
        lambda text: "\n".join(f"{number}. {line}" for number, line in enumerate(text.splitlines(), 1)),
        lambda text: "\n".join(f"Column {number}: {line}" for number, line in enumerate(text.splitlines(), 1)),
        lambda text: "Foundations: H-0 C-0 D-0 S-0 \nFreecells:                \n" + text,
        lambda text: text.replace("\n", "\r\n").replace(" ", "\t"),
    ],
)
def test_boards_as_people_have_them(form, written):
    assert parse_board(written(form(deal_one(1)))).tolist() == deal_one(1).tolist()


@given(st.text(st.sampled_from("AC2D 3H:#,\n1♠-fcFreecells{["), max_size=200))
def test_any_text_is_a_board_or_refused(text):
    with pytest.raises(UsageError):
        parse_board(text)


def test_many_faults_are_named_in_a_short_line():
    twice = ROWS_OF_DEAL_1.splitlines()[:6] * 2
    with pytest.raises(UsageError, match=r"of these 96, .*; and 44 more$") as refused:
        parse_board("\n".join(twice))
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("between", ["\n", "\n\n", "\nFoundations: -\n", "\nFreecells:\n: "])
@pytest.mark.parametrize("form", [board_rows, board_columns])
def test_a_second_board_is_named_with_its_line(form, between):
    text = "Foundations: -\nFreecells: -\n" + form(deal_one(1)) + between + form(deal_one(2))
    line = len((form(deal_one(1)) + between.split("F")[0]).splitlines()) + 3
    with pytest.raises(UsageError, match=f"line {line}: a second board begins"):
        parse_layout(text)


def test_a_second_board_in_json_is_named_with_its_line():
    with pytest.raises(UsageError, match="line 2, column 1: a second board begins"):
        parse_board(board_json(deal_one(1)) + "\n" + board_json(deal_one(2)))


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
        (changed(board_columns, "4C ", ""), r"of these 51, missing: 4C \(line 1 has 6 cards, not 7\)$"),
        (changed(board_rows, "4C ", ""), r"of these 51, missing: 4C \(line 4 has 7 cards, not 8\)$"),
        (changed(board_rows, "4C 5C", "5C 4C 4C"), r"4C is there 2 times \(line 4, line 4\)$"),
        (changed(board_rows, "6S 9C 2H 6H", ""), "missing: 2H 6H 6S 9C"),
        (changed(board_rows, "3H\n", "3H "), "7 7 7 7 6 6 6 6 .*; these have 8 16 8 8 8 4"),
        (ROWS_OF_DEAL_1.replace("\n", " "), "these have 52"),
        ("", "missing: AC AD .* KS"),
        ("Foundations: H-3 C-0 D-0 S-0\n" + ROWS_OF_DEAL_1, r"AH is there 2 times \(line 4, foundations\)"),
        ("Freecells: 4C\n" + ROWS_OF_DEAL_1, r"4C is there 2 times \(line 5, cells\)$"),
        ("Freecells: 4C X9\n" + ROWS_OF_DEAL_1, "line 1: 'X9' is not a card"),
        ("Foundations: H-Z\n" + ROWS_OF_DEAL_1, "line 1: 'HZ' is not a card"),
        ("1: JD\n3: 2D", "line 2: number 3, where 2 comes next"),
        ("9: JD\n", "line 1: '9' is neither a card nor the name of a column"),
        ("Stock: 4C\n" + ROWS_OF_DEAL_1, "line 1: 'Stock' is neither a card nor"),
        ('{"columns": [', "no JSON: line 1, column 14"),
        ("[" * 100_000, "nested too deeply"),
        ("[" + "9" * 5_000 + "]", "no JSON of ours: .* 5000 digits"),
        ('{"deal": 1}', "a list of cards a column"),
        ('{"columns": [[1, 2]]}', "a list of cards a column"),
        ('["JD", "KD"]', "a list of cards a column"),
        ('{"columns": [], "cells": "4H"}', "cells in JSON are"),
        ('{"columns": [], "foundations": {"H": 1}}', "foundations in JSON are"),
        ('{"columns": [], "foundations": [["AH", "3H"]]}', "foundations: AH 3H is no suit from its ace up"),
    ],
)
def test_what_is_wrong_with_a_board_is_named(text, message):
    with pytest.raises(UsageError, match=message):
        parse_board(text)


# Positions in mid-game

KINGS = Layout(((51,), (50,), (), (48,), (), (), (), ()), (None, 49), (12, 12, 12, 12))
"""The four kings are left, one of them in the second cell."""


@pytest.mark.parametrize(
    "text",
    [
        "Foundations: H-Q C-Q D-Q S-Q\nFreecells: - KD - -\n: KS\n: KH\n:\n: KC\n:\n:\n:\n:\n",
        "Foundations: H-Q C-Q D-Q S-Q \nFreecells:      KD        \n: KS\n: KH\n:\n: KC\n",
        "Foundations: QH QC QD QS\nFC: -- kd\n1: KS\n2: KH\n3:\n4: KC\n",
        "Foundations: ♥-12 ♣-Q ♦-Q ♠-Q\nCells: - ♦K\n: KS\n: KH\n:\n: KC\n".replace("12", "Q"),
        json.dumps(
            {
                "tableau piles": [["13S"], ["13H"], [], ["13C"]],
                "cells": ["", "13D"],
                "foundations": [[f"{rank}{suit}" for rank in range(1, 13)] for suit in "HCDS"],
            }
        ),
    ],
)
def test_positions_as_people_have_them(text):
    assert parse_layout(text) == KINGS
    with pytest.raises(UsageError, match="mid-game, with cards in cells: a fresh deal is needed"):
        parse_board(text)


@given(boards)
def test_a_position_that_is_a_deal(board):
    layout = layout_of(board)
    assert parse_layout(board_rows(board)) == layout
    assert board_of(layout).tolist() == board.tolist()


def test_the_json_that_solvitaire_takes():
    """Deal 11982, as its deal-presets have it."""
    columns = [line.replace("T", "10").split() for line in board_columns(deal_one(11_982)).splitlines()]
    assert find(parse_board(json.dumps({"tableau piles": columns}))).deals == [11_982]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Freecells: KD\n: KS\n: KH\n: KC\n", "of these 4, missing: AC AD"),
        ("Foundations: H-Q C-Q D-Q S-Q\nFreecells: KD KD\n: KS\n: KH\n: KC\n", r"KD is there 2 times \(cells, cells\)"),
        ("Foundations: H-K C-Q D-Q S-Q\n: KD\n: KS\n: KH\n: KC\n", r"KH is there 2 times \(line 4, foundations\)"),
        ("Foundations: H-Q C-Q D-Q S-Q\n: KD\n: KS\n: KH\n: KC\n:\n:\n:\n:\n:", "line 10: a ninth column"),
        (
            board_columns(deal_one(1)).replace("\n", " ", 1),
            "fresh deal .*; these have 14 7 7 6 6 6 6; a position in mid",
        ),
    ],
)
def test_what_is_wrong_with_a_position_is_named(text, message):
    with pytest.raises(UsageError, match=message):
        parse_layout(text)
