"""One deal: the verdict, what it took, and the exit status; the same as in a census."""

import signal
from collections import defaultdict
from dataclasses import replace

import numba
import numpy as np
import pytest
from numba.core import event

from kernels.dealing import deal_one
from kernels.referee import replay_block
from kernels.rules import FREECELL
from pipeline.census.run import run
from pipeline.config import Search, load
from pipeline.deals import solve
from pipeline.deals.notation import move_texts
from pipeline.errors import UsageError
from pipeline.store.result import open_result
from pipeline.store.rows import Rows
from tests.conftest import SMALL

SEARCH = Search(quick=(200, 201, 202, 200_000), deep=(300_000,), closure=100_000)


def packed(text):
    """A move in standard notation as a byte."""
    source, target = text
    places = {"h": 9} | {str(column + 1): column for column in range(8)}
    return "12345678abcdefgk".index(source) * 16 + places.get(target, 8)


def test_a_solved_deal():
    answer = solve.solve_deal(617, search=SEARCH)
    assert (answer.status, answer.deal, answer.verdict, answer.closure) == (0, 617, "solved", None)
    assert answer.moves == len(answer.solution) >= 52
    assert answer.positions > 0
    moves = np.array([packed(text) for text in answer.solution], np.uint8)
    assert replay_block(deal_one(617)[None], FREECELL, np.array([len(moves)], np.uint16), moves).tolist() == [0]


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
        for name in ("verdict", "positions", "attempt", "moves", "closure", "closure_safe"):
            assert getattr(answer, name) == row[name], (row["deal"], name)
        if answer.solution:
            assert answer.solution == move_texts(np.frombuffer(row["solution"], np.uint8))


def test_a_budget_that_is_too_small(capsys):
    answer = solve.solve_deal(11982, budget=10)
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
    }
    assert "attempt       4 (leaves out no move)" in answer.lines()
    assert "more than 10 positions" in capsys.readouterr().err


@pytest.mark.parametrize("budget", [0, 2**32])
def test_a_budget_out_of_range(budget):
    with pytest.raises(UsageError, match=f"--budget {budget}: from 1 to"):
        solve.solve_deal(1, budget=budget)


def test_an_exhaustion_that_does_not_end_leaves_a_deal_undecided(capsys):
    answer = solve.solve_board(deal_one(11982), search=replace(SEARCH, closure=1_000, closure_safe=1_000))
    assert (answer.status, answer.deal, answer.verdict, answer.closure) == (3, None, "undecided", None)
    assert "budget" not in capsys.readouterr().err


def row_of(solution):
    moves = np.frombuffer(solution, np.uint8)
    columns = [np.array([number]) for number in (1, 40, len(moves), 2, 0, 0)]
    return Rows(*columns, moves)


@pytest.fixture
def decided(monkeypatch):
    """Puts a function in place of the kernels."""
    return lambda decide: monkeypatch.setattr(solve, "decide_in_passes", decide)


def test_a_verdict_for_a_person(decided):
    decided(lambda *_: row_of(bytes([0x08, 0x83] * 6)))
    assert "\n".join(solve.solve_deal(1).lines()) == (
        "deal          1\n"
        "verdict       solved\n"
        "moves         12\n"
        "positions     40\n"
        "attempt       2\n"
        "\n"
        "1a a4 1a a4 1a a4 1a a4 1a a4\n"
        "1a a4"
    )


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
