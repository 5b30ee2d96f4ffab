"""Somebody's moves: complete, legal but not finished, or the first wrong one and why."""

import json
import random
from pathlib import Path

import pytest

from kernels.cards import CARDS
from kernels.dealing import deal_one
from kernels.layout import Layout, layout_of
from kernels.rules import FREECELL, Rules
from pipeline.deals.boards import parse_layout
from pipeline.deals.move_lists import parse_moves
from pipeline.deals.notation import move_texts, moves_text
from pipeline.deals.replay import COMPLETE, ILLEGAL, LEGAL, replay, replay_deal, replay_layout
from pipeline.deals.table import HOME, Table, layout_lines
from pipeline.errors import UsageError
from tests.naive import referee as naive

LISTS = Path(__file__).parents[2] / "data" / "moves"
"""Solutions of deal 12 that Freecell Solver 5.0.0 printed, with `-m -snx`, `-m -sn`, and `-m`."""

ENDGAME = Layout(((51, 47), (50, 46), (), (48, 44), (), (), (), ()), (None, 49, 45), (11, 11, 11, 11))
"""Kings lie under queens; the king and the queen of diamonds are in cells b and c."""


@pytest.mark.parametrize("path", sorted(LISTS.glob("12-*.txt")), ids=lambda path: path.stem)
def test_what_freecell_solver_printed(path):
    told = replay_deal(12, path.read_text())
    assert (told.status, told.answer, told.written, told.moves, told.home) == (0, COMPLETE, 133, 155, 52)
    assert told.runs
    assert told.reading.automatic == "none"
    assert bool(told.fewer) == (path.stem != "12-words")


def test_a_list_with_the_position_after_each_move():
    moves = [step.text for step in parse_moves((LISTS / "12-standard.txt").read_text()).steps]
    board = "\n".join(layout_lines(layout_of(deal_one(12))))
    text = "".join(f"Move: {move} \n\n{board}\n\n\n====================\n\n" for move in moves)
    assert replay_deal(12, text).answer == COMPLETE


def solution():
    """Deal 12, and its solution in single cards, a byte each."""
    layout = layout_of(deal_one(12))
    table = Table(layout, FREECELL)
    for step in parse_moves((LISTS / "12-words.txt").read_text()).steps:
        if step.cards and step.cards > 1:
            table.move_run(step.cards, step.source, step.target)
        else:
            table.move(step.source, step.target)
    return layout, bytes(table.moves)


def test_single_cards_as_export_prints_them():
    _, moves = solution()
    told = replay_deal(None, f"# deal 12: {len(moves)} moves\n" + moves_text(move_texts(moves)))
    assert (told.deal, told.answer, told.moves, told.runs) == (12, COMPLETE, len(moves), False)


def test_cards_that_go_home_safely_by_themselves():
    """What a player writes whose program sends them home."""
    layout, moves = solution()
    plain, table, written = Table(layout, FREECELL), Table(layout, FREECELL), []
    for step in parse_moves(" ".join(move_texts(moves))).steps:
        card = plain.card(step.source)
        plain.move(step.source, step.target)
        place = next((place for place in range(12) if table.card(place) == card), None)
        if place is None:
            assert table.home[card % 4] > card // 4
            continue
        target = step.target if step.target < 8 or step.target == HOME else 8 + table.cells.index(None)
        written.append("12345678abcd"[place] + ("h" if target == HOME else "12345678abcd"[target]))
        assert table.fault(place, target) is None
        table.move(place, target)
        while safe := [
            place
            for place in range(12)
            if (top := table.card(place)) is not None and table.is_home_next(top) and table.goes_safely(top, False)
        ]:
            table.move(safe[0], HOME)
    assert len(written) < len(moves)
    told = replay_layout(layout, " ".join(written))
    assert (told.answer, told.reading.automatic, told.moves) == (COMPLETE, "safe", len(table.moves))
    assert "automatic moves: safe" in told.lines()[1]


def test_all_cards_that_can_go_home_by_themselves():
    """2D lies under 5C, which may still be needed: it goes only where all cards do."""
    there = [card for card in range(CARDS - 1, 3, -1) if card not in (4, 5, 8, 12, 16)]
    layout = Layout(((5, 16), tuple(there), (), (), (), (), (), ()), (), (4, 1, 1, 1))
    told = replay_layout(layout, "2a")
    assert (told.answer, told.reading.automatic, told.written) == (COMPLETE, "all", 1)


def test_cards_that_go_home_before_the_first_move():
    """QH goes onto KS once the ace upon it is home; the twos lie at the bottom."""
    rest = tuple(card for card in range(4, CARDS) if card not in (46, 51))
    layout = Layout(((46, 1), (51,), rest, (), (), (), (), ()), (), (1, 0, 1, 1))
    told = replay_layout(layout, "12")
    assert (told.answer, told.reading.automatic, told.reading.at_once) == (LEGAL, "safe", True)
    assert told.layout.columns[1] == (51, 46)
    assert "before the first move" in told.lines()[1]


@pytest.mark.parametrize(
    ("moves", "move", "because"),
    [
        ("1h 1h 1h", 3, "column 1 is empty"),
        ("1h ah", 2, "cell a is free"),
        ("1b", 1, "cell b holds KD"),
        ("1e", 1, "there is no cell e: the game has 4"),
        ("eh", 1, "there is no cell e: the game has 4"),
        ("bh", 1, "KD can't go home: QD is next of its suit"),
        ("12", 1, "QS doesn't fit on QH"),
        ("b1", 1, "KD doesn't fit on QS"),
        ("11", 1, "QS is there already"),
        ("13v2", 1, "the top 2 cards of column 1 are no run"),
        ("1hv2", 1, "2 cards don't move from column 1 to home at once"),
        ("aa", 1, "cell a is free"),
        ("bb", 1, "cell b holds KD"),
    ],
)
def test_the_first_wrong_move_and_why(moves, move, because):
    told = replay_layout(ENDGAME, moves)
    assert (told.status, told.answer, told.because) == (1, ILLEGAL, because)
    assert told.lines()[0].startswith(f"illegal at move {move} ({moves.split()[move - 1]}) in line 1, because")
    said = told.as_json()
    assert (said["move"], said["text"], said["where"]) == (move, moves.split()[move - 1], "line 1")


def test_too_many_cards_for_the_room_there_is():
    """5C 4D 3C 2D go onto 6D; with three cells full and no empty column, two can."""
    layout = parse_layout(
        "Foundations: H-2 C-2 D-A S-2\nFreecells: KS KH KD\n: 5C 4D 3C 2D\n: 6D\n: QS QH\n: QD\n: QC KC\n: JS JH\n"
        ": JD JC\n: TC TD TH TS 9C 9D 9H 9S 8C 8D 8H 8S 7C 7D 7H 7S 6C 6H 6S 5D 5H 5S 4C 4H 4S 3D 3H 3S"
    )
    told = replay_layout(layout, "12")
    assert (told.answer, told.because) == (ILLEGAL, "4 cards are to move, where free cells and empty columns allow 2")
    assert replay(layout, Rules(6, False), parse_moves("12").steps).answer == LEGAL


def test_legal_but_not_finished():
    told = replay_layout(ENDGAME, "1h 2h")
    assert (told.status, told.answer, told.home, told.moves) == (1, LEGAL, 46, 2)
    assert told.lines()[0] == "legal but not finished: 2 moves, 2 single cards, 46 cards home"
    assert parse_layout("\n".join(told.lines()[3:])) == told.layout
    assert parse_layout(json.dumps(told.as_json()["position"])) == told.layout


def test_whose_moves_they_are():
    with pytest.raises(UsageError, match="whose moves are these"):
        replay_deal(None, "1a")
    with pytest.raises(UsageError, match="'0' is no deal number"):
        replay_deal(None, '{"deal": 0, "solution": ["1a"]}')
    with pytest.raises(UsageError, match="no moves of deal 2: these are of 1"):
        replay_deal(2, "deal 1\n\n1a")


def test_other_rules():
    assert replay_deal(1, "1a 2b 3c 4d 5e", cells=5).answer == LEGAL
    with pytest.raises(UsageError, match="9 cells"):
        replay_deal(1, "1a", cells=9)
    with pytest.raises(UsageError, match="unknown game"):
        replay_deal(1, "1a", game="spider")
    with pytest.raises(UsageError, match="a card in cell 3, but the game has 2"):
        replay_layout(ENDGAME, "1a", cells=2)


def test_a_list_without_end():
    with pytest.raises(UsageError, match="a list of 20000 moves: at most 10000"):
        replay_deal(1, "1a a1 " * 10_000)


def test_random_moves_end_where_the_plain_referee_says():
    """Cells are taken in their order, as the referee takes them, and no run moves."""
    source = random.Random(14)
    for deal in range(1, 30):
        table, words = Table(layout_of(deal_one(deal)), FREECELL), []
        while len(words) < 30 and not (words and len(table.moves) < len(words)):
            start = source.choice([place for place in range(12) if table.card(place) is not None])
            end = source.choice([*range(8), HOME, 8 + [*table.cells, None].index(None)])
            legal = table.fault(start, end) is None
            if end < 8 and start < 8 and not legal:  # perhaps it is a run
                continue
            words.append("12345678abcd"[start] + ("h" if end == HOME else "12345678abcde"[end]))
            table.move(start, end)
            if not legal:
                break
        wrong = naive.replay(deal_one(deal), FREECELL, table.moves)
        told = replay_deal(deal, " ".join(words))
        assert told.answer == (LEGAL if wrong < 0 else ILLEGAL)
        assert told.written == (len(words) if wrong < 0 else wrong - 1)
