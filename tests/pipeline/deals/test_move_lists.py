"""Lists of moves as people have them; what is wrong with them is named with its line."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.deals.move_lists import parse_moves
from pipeline.errors import UsageError

THREE = [(0, 8, None), (9, 16, None), (1, 0, 4)]
"""1a bh 21v4: from column 1 to cell a, from cell b home, four cards from column 2 to column 1."""


def steps(text, deal=None):
    return [(step.source, step.target, step.cards) for step in parse_moves(text, deal).steps]


@pytest.mark.parametrize(
    "text",
    [
        "1a bh 21v4",
        "\ufeff1A, BH; 21V4\r\n",
        "# a comment\n1. 1a  # 5H to cell a\n2) bh\n\n3: 21v4 # done",
        "1a\nFoundations: H-0 C-0 D-0 S-0\nFreecells: 4H\n: JD KD\n:\nbh\n21v4",
        "deal          617\nverdict       solved\nattempt       4 (leaves out no move)\n\n  1. 1a bh\n  3. 21v4",
        "-=-=-=-=-\n\n1a bh 21v4 \n\nThis game is solveable.\nTotal number of states checked is 123.\n"
        "This scan generated 171 states.",
        "Move: 1a\n\nFoundations: H-0 C-0 D-0 S-0\n: 2D\n====\n\nMove: bh \n 4C 5C 10S\n\nMove: 21v4 ",
        '["1a", "bh", "21v4"]',
        '{"deal": 617, "verdict": "solved", "solution": ["1a", "bh", "21v4"]}',
        '{"solutions": [{"deal": 617, "moves": ["1a", "bh", "21v4"]}]}',
    ],
)
def test_lists_in_all_their_forms(text):
    assert steps(text) == steps(text, 617) == THREE


def test_words_of_freecell_solver():
    text = (
        "Move a card from stack 0 to freecell 3\n\n====\n\nMove a card from freecell 1 to the foundations\n"
        "Move 1 cards from stack 7 to stack 6\nMove 12 cards from stack 1 to stack 0\n"
    )
    assert steps(text) == [(0, 11, None), (9, 16, None), (7, 6, 1), (1, 0, 12)]


def test_the_eighth_cell_is_not_home():
    assert steps("8k kh 1h") == [(7, 15, None), (15, 16, None), (0, 16, None)]


def test_the_deal_that_a_text_names():
    assert parse_moves("deal          617\n\n1a").deal == 617
    assert parse_moves("# deal 617: 90 moves\n1a").deal == 617
    assert parse_moves('{"deal": 617, "solution": ["1a"]}').deal == 617
    assert parse_moves("1a").deal is None


MANY = "# deal 1: 2 moves\n1a 2b\n\n# deal 617: 3 moves\n1a bh\n21v4\n\n# deal 7: 1 moves\n1h\n"


@pytest.mark.parametrize(
    "text",
    [
        MANY,
        json.dumps({"solutions": [{"deal": 1, "moves": ["1h"]}, {"deal": 617, "moves": ["1a", "bh", "21v4"]}]}),
    ],
)
def test_one_deal_of_many(text):
    assert steps(text, 617) == THREE
    with pytest.raises(UsageError, match="no moves of deal 9: these are of 1, "):
        parse_moves(text, 9)
    with pytest.raises(UsageError, match="which deal's moves are meant: these are of 1, "):
        parse_moves(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1a 2b\n3x", "line 2: '3x' is not a move"),
        ("1a 2bb", "line 1: '2bb' is not a move"),
        ("1a 91", "line 1: '91' is not a move"),
        ("1a h1", "line 1: 'h1' is not a move"),
        ("1a 12v0", "line 1: '12v0' is not a move"),
        ("Move: 9a", "line 1: '9a' is not a move"),
        ("", "no moves in it"),
        ("# nothing\n", "no moves in it"),
        ('{"deal": 1, "verdict": "unsolvable", "solution": null}', "no moves in it"),
        ("[]", "no moves in it"),
        ('["1a", "x"]', "entry 2: 'x' is not a move"),
        ('{"moves": 3}', "moves in JSON are"),
        ("deal 0\n1a", "'0' is no deal number"),
        (f"# deal {'9' * 5_000}\n1a", "9' is no deal number"),
        ('{"solutions": 3}', "moves in JSON are"),
        ('{"deal": 1', "no JSON: line 1, column 11"),
        ("[" * 100_000, "no JSON of ours"),
    ],
)
def test_what_is_wrong_with_a_list_is_named(text, message):
    with pytest.raises(UsageError, match=message):
        parse_moves(text)


@given(st.text(st.sampled_from('1a2bh.v#: \n{["Move cards'), max_size=60))
def test_any_text_is_a_list_or_refused(text):
    with suppress(UsageError):
        assert parse_moves(text).steps
