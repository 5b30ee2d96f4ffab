"""One deal and a person: what is printed, and the exit status."""

import json
import signal
from collections import defaultdict

import duckdb
import numba
import numpy as np
import pyarrow.parquet as pq
import pytest
from numba.core import event

from kernels.dealing import LAST_DEAL, deal_block, deal_one
from kernels.referee import replay_block
from kernels.rules import FREECELL
from pipeline.deals import solve
from pipeline.deals.notation import parse_board
from pipeline.errors import UsageError
from pipeline.store.rows import Rows

BUDGETS = [200, 200, 200, 200_000]
CLOSURE = 100_000

# Showing a deal


@pytest.mark.parametrize("form", ["rows", "columns", "json"])
def test_a_shown_deal_can_be_read(capsys, form):
    assert solve.show_deal(617, form, False) == 0
    assert parse_board(capsys.readouterr().out).tolist() == deal_one(617).tolist()


def test_a_deal_as_json(capsys):
    assert solve.show_deal(617, "rows", True) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["deal"] == 617
    assert shown["columns"][0] == ["7D", "TD", "TH", "KD", "4C", "4S", "JD"]


# Dealing in bulk


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(solve, "ROW_GROUP", 100)


@pytest.mark.usefixtures("small_groups")
def test_a_range_as_parquet(tmp_path, capsys):
    path = tmp_path / "boards.parquet"
    first, last = 2**32 - 150, 2**32 + 149
    assert solve.deal_range_to_parquet(first, last, path, False) == 0
    assert capsys.readouterr().out == f"300 deals, {first} to {last}, in {path}\n"
    table = pq.read_table(path, page_checksum_verification=True)
    assert table["deal"].to_pylist() == list(range(first, last + 1))
    assert table["board"].to_pylist() == [board.tobytes() for board in deal_block(first, 300)]
    assert pq.read_metadata(path).num_row_groups == 3
    assert [entry.name for entry in tmp_path.iterdir()] == ["boards.parquet"]


def test_other_programs_read_the_range(tmp_path):
    path = tmp_path / "boards.parquet"
    solve.deal_range_to_parquet(LAST_DEAL, LAST_DEAL, path, False)
    assert duckdb.sql(f"select deal, board from '{path}'").fetchall() == [(LAST_DEAL, deal_one(LAST_DEAL).tobytes())]


def test_a_range_says_what_it_did_as_json(tmp_path, capsys):
    path = tmp_path / "boards.parquet"
    solve.deal_range_to_parquet(1, 10, path, True)
    assert json.loads(capsys.readouterr().out) == {"first": 1, "last": 10, "deals": 10, "file": str(path)}


@pytest.mark.usefixtures("small_groups")
def test_the_same_range_is_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        solve.deal_range_to_parquet(1, 250, tmp_path / name, False)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.usefixtures("small_groups")
def test_an_interrupted_range_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(first, count):
        if first > 1:
            raise KeyboardInterrupt
        return deal_block(first, count)

    monkeypatch.setattr(solve, "deal_block", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solve.deal_range_to_parquet(1, 250, tmp_path / "boards.parquet", False)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "nowhere" / "boards.parquet"
    with pytest.raises(UsageError, match=f"can't write {path}: No such file or directory"):
        solve.deal_range_to_parquet(1, 10, path, False)


# Solving


def solved_as_json(capsys, deal, budgets):
    status = solve.solve(deal_one(deal), FREECELL, [(budgets, 1)], CLOSURE, True, deal)
    return status, json.loads(capsys.readouterr().out)


def packed(text):
    """A move in standard notation as a byte."""
    source, target = text
    places = {"h": 9} | {str(column + 1): column for column in range(8)}
    return "12345678abcdefgk".index(source) * 16 + places.get(target, 8)


def test_a_solved_deal(capsys):
    status, answer = solved_as_json(capsys, 617, BUDGETS)
    assert status == 0
    assert (answer["deal"], answer["verdict"], answer["closure"]) == (617, "solved", None)
    assert answer["moves"] == len(answer["solution"]) >= 52
    assert answer["positions"] > 0
    moves = np.array([packed(text) for text in answer["solution"]], np.uint8)
    assert replay_block(deal_one(617)[None], FREECELL, np.array([len(moves)], np.uint16), moves).tolist() == [0]


def test_an_unsolvable_deal(capsys):
    status, answer = solved_as_json(capsys, 11982, BUDGETS)
    assert status == 1
    assert (answer["verdict"], answer["moves"], answer["solution"]) == ("unsolvable", None, None)
    assert answer["closure"] == 83_239


def test_attempts_in_several_calls_come_to_what_they_come_to_together(capsys):
    together = solved_as_json(capsys, 11982, BUDGETS)
    calls = [(BUDGETS[:3], 1), (BUDGETS[3:], 4), ([300_000], 5)]
    status = solve.solve(deal_one(11982), FREECELL, calls, CLOSURE, True, 11982)
    assert (status, json.loads(capsys.readouterr().out)) == together


def test_a_budget_that_is_too_small(capsys):
    status, answer = solved_as_json(capsys, 11982, [10])
    assert status == 3
    assert answer == {
        "deal": 11982,
        "verdict": "undecided",
        "moves": None,
        "positions": 10,
        "attempt": 1,
        "closure": None,
        "solution": None,
    }
    assert solve.solve(deal_one(11982), FREECELL, [([10], 1)], CLOSURE, False) == 3
    assert capsys.readouterr().err == "every budget ran out: --budget takes more than 10 positions\n"


def test_an_exhaustion_that_does_not_end_leaves_a_deal_undecided(capsys):
    assert solve.solve(deal_one(11982), FREECELL, [(BUDGETS, 1)], 1_000, True) == 3
    said = capsys.readouterr()
    answer = json.loads(said.out)
    assert (answer["deal"], answer["verdict"], answer["closure"]) == (None, "undecided", None)
    assert "budget" not in said.err


def row_of(solution):
    moves = np.frombuffer(solution, np.uint8)
    columns = [np.array([number]) for number in (1, 40, len(moves), 2, 0, 0)]
    return Rows(*columns, moves)


def test_a_verdict_for_a_person(capsys, monkeypatch):
    monkeypatch.setattr(solve.worker, "decide_boards", lambda *_: row_of(bytes([0x08, 0x83] * 6)))
    assert solve.solve(deal_one(1), FREECELL, [(BUDGETS, 1)], CLOSURE, False, 1) == 0
    assert capsys.readouterr().out == (
        "deal       1\n"
        "verdict    solved\n"
        "moves      12\n"
        "positions  40\n"
        "attempt    2\n"
        "\n"
        "1a a4 1a a4 1a a4 1a a4 1a a4\n"
        "1a a4\n"
    )


def test_ctrl_c_ends_a_kernel_at_once(monkeypatch):
    def decide(*_):
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        return row_of(b"")

    monkeypatch.setattr(solve.worker, "decide_boards", decide)
    before = signal.getsignal(signal.SIGINT)
    solve.solve(deal_one(1), FREECELL, [(BUDGETS, 1)], CLOSURE, False)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_budget_that_memory_does_not_hold(monkeypatch):
    def decide(*_):
        raise MemoryError

    monkeypatch.setattr(solve.worker, "decide_boards", decide)
    with pytest.raises(UsageError, match="a budget of 200000000 positions takes up to"):
        solve.solve(deal_one(1), FREECELL, [([200, 200_000_000], 1)], CLOSURE, False)


@pytest.mark.parametrize("compiled", [0, 1, 2])
def test_compilation_is_announced(capsys, monkeypatch, compiled):
    def decide(*_):
        for _ in range(compiled):
            numba.njit(lambda n: n + 1)(1)
        return row_of(b"")

    monkeypatch.setattr(event, "_registered", defaultdict(list))
    monkeypatch.setattr(solve.worker, "_announcer", solve.worker._Announcer())
    monkeypatch.setattr(solve.worker, "decide_boards", decide)
    solve.solve(deal_one(1), FREECELL, [(BUDGETS, 1)], CLOSURE, True)
    streams = capsys.readouterr()
    assert streams.err.count("compiling kernels") == min(compiled, 1)
    assert json.loads(streams.out)["verdict"] == "solved"
