"""One deal: the verdict, what it took, and the exit status; the same as in a census."""

import json
import signal
from collections import defaultdict
from dataclasses import replace

import numba
import numpy as np
import pytest
from numba.core import event

from kernels.dealing import deal_one
from kernels.layout import Layout, layout_of
from kernels.rules import FREECELL
from pipeline.census.run import run
from pipeline.config import Search, load
from pipeline.deals import solve
from pipeline.deals.boards import parse_layout
from pipeline.deals.replay import replay_deal
from pipeline.deals.turns import turns_of
from pipeline.errors import UsageError
from pipeline.store.result import open_result
from pipeline.store.rows import Rows
from tests.conftest import SMALL

SEARCH = Search(quick=(200, 201, 202, 200_000), deep=(300_000,), closure=100_000)


def test_a_solved_deal():
    answer = solve.solve_deal(617, search=SEARCH)
    assert (answer.status, answer.deal, answer.verdict, answer.closure) == (0, 617, "solved", None)
    assert answer.moves > len(answer.solution) >= 52
    assert answer.positions > 0
    replayed = replay_deal(617, " ".join(answer.solution))
    assert (replayed.answer, replayed.reading.automatic) == ("complete", "none")
    assert replayed.moves <= answer.moves


def test_an_unsolvable_deal():
    answer = solve.solve_deal(11982, search=SEARCH)
    assert (answer.status, answer.verdict, answer.moves, answer.solution) == (1, "unsolvable", None, None)
    assert (answer.closure, answer.closure_safe) == (83_239, 61_643)


def test_the_second_grade_of_proof():
    answer = solve.solve_deal(11982, search=replace(SEARCH, closure=80_000))
    assert (answer.verdict, answer.closure, answer.closure_safe) == ("unsolvable", None, 61_643)


def test_it_ends_as_a_census_of_that_deal(tmp_path):
    """Deals for each pass, the last one included; budgets leave some undecided."""
    text = SMALL.replace("shard = 50", "shard = 50\nsolutions = true").replace("[4_000, 100_000]", "[420, 500, 600]")
    text = text.replace("12_200", "12_000").replace("= 1_000_000", "= 50_000")
    (config := tmp_path / "small.toml").write_text(text)
    run(config, tmp_path / "out", workers=1)
    rows = open_result(tmp_path / "out").table().to_pylist()
    chosen = {}
    for row in rows:
        chosen.setdefault((row["verdict"], row["attempt"]), row)
    assert {attempt for _, attempt in chosen} >= {1, 2, 3, 5}
    assert any(verdict == "undecided" for verdict, _ in chosen)
    for row in chosen.values():
        answer = solve.solve_deal(row["deal"], search=load(config).search)
        for name in ("verdict", "positions", "attempt", "closure", "closure_safe"):
            assert getattr(answer, name) == row[name], (row["deal"], name)
        if answer.solution:
            turns = turns_of(layout_of(deal_one(row["deal"])), FREECELL, answer.played)
            assert answer.solution == [turn.text for turn in turns]
            assert answer.moves <= row["moves"]


def test_a_budget_that_is_too_small():
    answer = solve.solve_deal(11982, budget=10)
    because = "the search went through its last budget of 10 positions: --budget takes up to 268435452"
    assert answer.status == 3
    assert answer.as_json() == {
        "deal": 11982,
        "verdict": "undecided",
        "moves": None,
        "positions": 10,
        "attempt": 4,
        "closure": None,
        "closure_safe": None,
        "solution": None,
        "because": because,
    }
    assert "attempt       4 (leaves out no move)" in answer.lines()
    assert because in answer.lines()


@pytest.mark.parametrize("budget", [0, 2**32])
def test_a_budget_out_of_range(budget):
    with pytest.raises(UsageError, match=f"--budget {budget}: from 1 to"):
        solve.solve_deal(1, budget=budget)


def test_an_exhaustion_that_does_not_end_leaves_a_deal_undecided():
    answer = solve.solve_board(deal_one(11982), search=replace(SEARCH, closure=1_000, closure_safe=1_000))
    assert (answer.status, answer.deal, answer.verdict, answer.closure) == (3, None, "undecided", None)
    assert "more than the 1000 positions allowed with safe autoplay" in answer.because


def row_of(solution):
    moves = np.frombuffer(solution, np.uint8)
    columns = [np.array([number]) for number in (1, 40, len(moves), 2, 0, 0)]
    return Rows(*columns, moves)


@pytest.fixture
def decided(monkeypatch):
    """Puts a function in place of the kernels, whose solution is left as it is."""
    monkeypatch.setattr(solve, "shorter", lambda layout, rules, solution: solution)
    return lambda decide: monkeypatch.setattr(solve, "decide_in_passes", decide)


def test_a_verdict_for_a_person(decided):
    decided(lambda *_: row_of(bytes([0x07, 0x70] * 6)))
    assert "\n".join(solve.solve_deal(1).lines()) == (
        "deal          1\n"
        "verdict       solved\n"
        "moves         12\n"
        "positions     40\n"
        "attempt       2\n"
        "\n"
        "  1. 18 81 18 81 18 81 18 81 18 81\n"
        " 11. 18 81"
    )


POSITION = Layout(((51, 47), (50, 46), (), (48, 44), (), (), (), ()), (None, 49, 45), (11, 11, 11, 11))
"""Kings and queens are left."""


def test_a_position_in_mid_game():
    answer = solve.solve_layout(POSITION)
    assert (answer.status, answer.deal, answer.verdict, answer.attempt) == (0, None, "solved", None)
    assert sorted(answer.solution) == ["1h", "1h", "2h", "2h", "4h", "4h", "bh", "ch"]
    assert solve.solve_layout(Layout(((),) * 8, (), (13,) * 4)).lines()[1] == "moves         0"


def test_a_position_that_is_a_fresh_deal_is_searched():
    assert solve.solve_layout(layout_of(deal_one(617)), budget=20_000).attempt == 4


def test_an_unsolvable_position_has_both_counts():
    """Kings lie on tens, and jacks on queens."""
    stuck = Layout(
        tuple((36 + suit, 48 + suit) for suit in range(4)) + tuple((44 + suit, 40 + suit) for suit in range(4)),
        (),
        (9,) * 4,
    )
    answer = solve.solve_layout(stuck, cells=0)
    assert (answer.status, answer.verdict, answer.turns) == (1, "unsolvable", None)
    assert (answer.closure, answer.closure_safe) == (1, 1)


def test_the_budget_of_a_position_in_mid_game():
    *columns, last = layout_of(deal_one(1)).columns
    layout = Layout((*columns, ()), last)
    answer = solve.solve_layout(layout, cells=8, budget=10)
    assert (answer.status, answer.verdict) == (3, "undecided")
    assert "budget of 10 positions" in answer.because
    for budget in (0, 2**40):
        with pytest.raises(UsageError, match=f"--budget {budget}: from 1 to"):
            solve.solve_layout(layout, cells=8, budget=budget)
    with pytest.raises(UsageError, match="a card in cell 6, but the game has 4"):
        solve.solve_layout(layout)


def test_moves_in_words_and_with_positions():
    answer = solve.solve_layout(POSITION)
    shown = answer.shown(long=True, boards=True)
    lines = shown.lines()
    said = shown.as_json()
    assert f"  1. {answer.solution[0]}  # {said['words'][0]}" in lines
    assert parse_layout(json.dumps(said["boards"][0])) == shown.turns[0].after
    assert lines.count("Foundations: H-K C-K D-K S-K") == 1
    assert "words" not in answer.as_json()


def test_ctrl_c_ends_a_kernel_at_once(decided):
    def decide(*_):
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        return row_of(b"")

    decided(decide)
    before = signal.getsignal(signal.SIGINT)
    solve.solve_deal(1)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_budget_that_memory_does_not_hold(decided):
    def decide(*_):
        raise MemoryError

    decided(decide)
    with pytest.raises(UsageError, match="a budget of 200000000 positions takes up to"):
        solve.solve_deal(1, budget=200_000_000)


@pytest.mark.parametrize("compiled", [0, 1, 2])
def test_compilation_is_announced(capsys, monkeypatch, decided, compiled):
    def decide(*_):
        for _ in range(compiled):
            numba.njit(lambda n: n + 1)(1)
        return row_of(b"")

    monkeypatch.setattr(event, "_registered", defaultdict(list))
    monkeypatch.setattr(solve.worker, "_announcer", solve.worker._Announcer())
    decided(decide)
    assert solve.solve_deal(1).verdict == "solved"
    assert capsys.readouterr().err.count("compiling kernels") == min(compiled, 1)
