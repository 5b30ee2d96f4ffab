"""`solve --optimal`: what it proves, what it says when it has to stop, what it refuses."""

import signal

import pytest

from kernels.dealing import deal_one
from kernels.layout import Layout, layout_of
from kernels.optimal.search import Bounds, Shortest
from kernels.rules import FREECELL
from pipeline.cli import main
from pipeline.deals import optimal
from pipeline.deals.replay import replay_deal
from pipeline.deals.solve import solve_deal, solve_layout
from pipeline.errors import UsageError

SMALL_TABLE = 60_000


def shortest_of(number, table=SMALL_TABLE):
    return optimal.optimal(solve_deal(number), layout_of(deal_one(number)), FREECELL, table)


def test_a_shortest_solution(capsys):
    answer = shortest_of(3)
    assert (answer.status, answer.verdict, answer.moves, answer.at_least) == (0, "solved", 73, 73)
    assert replay_deal(3, " ".join(answer.solution)).answer == "complete"
    said = answer.as_json()
    assert (said["moves"], said["at_least"], said["because"]) == (73, 73, None)
    assert 0 < said["table"] <= SMALL_TABLE
    assert f"{SMALL_TABLE:,} positions, up to 0.0 GB" in capsys.readouterr().err


def test_a_full_table_leaves_a_gap():
    answer = shortest_of(4)
    assert (answer.status, answer.verdict) == (3, "solved")
    assert answer.at_least < 85 <= answer.moves
    assert f"from {answer.at_least} to {answer.moves} moves" in answer.because
    assert f"its {SMALL_TABLE} positions are full" in answer.because
    assert answer.because in answer.lines()


def test_ctrl_c_leaves_the_best_so_far(monkeypatch):
    def interrupted(layout, rules, known, most, goes_on):
        bounds = Bounds(70, 100, 100)
        assert goes_on(bounds)
        signal.raise_signal(signal.SIGINT)
        assert not goes_on(bounds)
        return Shortest(bounds, [])

    monkeypatch.setattr(optimal, "shortest", interrupted)
    answer = shortest_of(2)
    assert (answer.status, answer.at_least) == (3, 70)
    assert "SIGINT" in answer.because


def test_what_has_no_solution_is_left_as_it_is():
    decision = solve_deal(11982, budget=10)
    assert optimal.optimal(decision, layout_of(deal_one(11982)), FREECELL, SMALL_TABLE) is decision


def test_a_position_in_mid_game():
    layout = Layout(((51, 47), (50, 46), (), (48, 44), (), (), (), ()), (None, 49, 45), (11, 11, 11, 11))
    answer = optimal.optimal(solve_layout(layout), layout, FREECELL, SMALL_TABLE)
    assert (answer.status, answer.moves, answer.at_least) == (0, 8, 8)


@pytest.mark.parametrize("table", [0, 52_427, 2**31 + 1])
def test_a_table_out_of_range(table):
    with pytest.raises(UsageError, match=f"--table {table}: from 52428 to 2147483648"):
        optimal.checked_table(table)


def test_a_table_that_the_memory_does_not_hold(monkeypatch):
    monkeypatch.setattr(optimal, "free_memory", lambda: 3_000_000)
    with pytest.raises(UsageError, match=r"takes up to 3\.0 GB, and 0\.0 GB are free"):
        optimal.checked_table(100_000_000)


def test_a_table_without_optimal(capsys):
    assert main(["solve", "1", "--table", "100000"]) == 2
    assert "--table 100000 is for --optimal" in capsys.readouterr().err
