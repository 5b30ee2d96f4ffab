"""The way to a won position that a walk through layers met."""

import pytest

from kernels.dealing import deal_one
from kernels.decide import Limits, Pass, decide_boards
from kernels.layout import Layout, layout_of
from kernels.proof import closure as closure_module
from kernels.proof import way as module
from kernels.proof.closure import exhaust_from
from kernels.proof.depth_first import Stopped
from kernels.proof.layers import Layers, Standing, first_waiting, never
from kernels.proof.planes import facts_from
from kernels.proof.shelf import new_shelf
from kernels.proof.way import in_memory, way_through_layers
from kernels.rules import FREECELL, Rules
from kernels.search.attempts import FIRST_CAREFUL
from tests.naive import referee

NO_CELLS = Rules(0, False)


@pytest.fixture(autouse=True)
def nothing_depth_first(monkeypatch):
    monkeypatch.setattr(closure_module, "DEPTH_FIRST", 100)


def near_the_end(deal, moves_left):
    """The position that some moves before the end of a solution leaves."""
    board = deal_one(deal)
    solution = decide_boards(board[None], Pass(FREECELL, (200_000,), FIRST_CAREFUL, Limits(1_000, 1_000))).solutions
    columns, cells, home = [list(column) for column in layout_of(board).columns], [None] * 4, [0] * 4
    assert referee.replay_on(columns, cells, home, FREECELL, solution[:-moves_left]) == -1
    return columns, cells, home


def layout_in(columns, cells, home):
    return Layout(tuple(map(tuple, columns)), tuple(cells), tuple(home))


@pytest.mark.parametrize(("deal", "moves_left"), [(7, 12), (7, 15), (14, 12), (14, 36), (19, 12), (19, 15)])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_referee_accepts_it(deal, moves_left, threads):
    piles = near_the_end(deal, moves_left)
    closure = exhaust_from(layout_in(*piles), FREECELL, 0, 400_000, threads)
    assert closure.won
    assert closure.positions > 10_000
    assert referee.replay_on(*piles, FREECELL, closure.path) == 0


def test_tables_grow(monkeypatch):
    monkeypatch.setattr(module, "FIRST_ROOM", 128)
    piles = near_the_end(7, 15)
    closure = exhaust_from(layout_in(*piles), FREECELL, 0, 400_000)
    assert referee.replay_on(*piles, FREECELL, closure.path) == 0


def walk_from(layout, rules):
    facts, planes = facts_from(layout, *rules)
    return Layers(facts, Standing(), first_waiting(planes), new_shelf(20_000)), facts, planes


def test_there_is_none():
    with pytest.raises(AssertionError, match="no won position"):
        way_through_layers(*walk_from(layout_of(deal_one(1)), NO_CELLS), in_memory, never)


def test_somebody_asks_to_stop_on_the_way_back():
    layers, facts, planes = walk_from(layout_in(*near_the_end(7, 15)), FREECELL)
    with pytest.raises(Stopped):
        way_through_layers(layers, facts, planes, in_memory, lambda: layers.won)
