"""A large class, walked through by all workers together: the same counts, whatever is given to whom and kept when."""

import numpy as np
import pytest

from kernels.dealing import deal_one
from kernels.proof import crew as module
from kernels.proof import layers as layers_module
from kernels.proof import worker as worker_module
from kernels.proof.closure import exhaust
from kernels.proof.crew import Crew, of_class
from kernels.proof.depth_first import Stopped
from kernels.proof.layers import Layers, Standing, first_waiting, never, walk_down
from kernels.proof.planes import facts_of
from kernels.proof.shelf import new_shelf
from kernels.proof.sweep import PUT_OFF, WAITING, new_sweep
from kernels.rules import FREECELL

DEAL, WITH_AUTOPLAY, PLAIN = 11982, 61_643, 83_239
AMPLE = 1_000_000


@pytest.fixture(autouse=True)
def crews(monkeypatch):
    """Nearly every class counts as large, and rounds are short; gives the crews that were called."""
    called = []

    class Noted(Crew):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            called.append(self)

    monkeypatch.setattr(worker_module, "LARGEST_TABLE", 1 << 8)
    monkeypatch.setattr(layers_module, "Crew", Noted)
    monkeypatch.setattr(module, "SLICE", 64)
    monkeypatch.setattr(module, "FIRST_BITS", 10)
    monkeypatch.setattr(module, "WORTH_GIVING", 2)
    return called


def begun(threads):
    facts, planes = facts_of(deal_one(DEAL), 4, False)
    return facts, Layers(facts, Standing(), first_waiting(planes), new_shelf(40_000), threads)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_counts(crews, threads):
    _, layers = begun(threads)
    *_, end = walk_down(layers, AMPLE, AMPLE)
    assert (end.found, end.settled) == (PLAIN, WITH_AUTOPLAY)
    assert end.plain_ended
    assert len(crews) > 20


@pytest.mark.parametrize("plain", [0, PLAIN - 1])
def test_counts_with_autoplay_alone(plain):
    _, layers = begun(2)
    *_, end = walk_down(layers, plain, AMPLE)
    assert end.settled == WITH_AUTOPLAY
    assert (end.plain_ended, end.safe_ended) == (False, True)


def test_a_walk_that_is_kept_after_each_round_goes_on(monkeypatch):
    """A round has to be long enough to read the records again."""
    monkeypatch.setattr(module, "SLICE", 4_000)
    facts, layers = begun(2)
    in_classes = pauses = 0
    while not layers.is_done:
        layers.go_on(AMPLE, AMPLE, never, lambda: True)
        pauses += 1
        kept = layers.begun
        in_classes += kept is not None
        under_way, following, last = ([records.copy() for records in layers.waiting(layer)] for layer in range(3))
        layers = Layers(facts, layers.standing(), (under_way, following, last), new_shelf(40_000), 1 + pauses % 3, kept)
    assert (layers.found, layers.settled) == (PLAIN, WITH_AUTOPLAY)
    assert in_classes > 100


def test_the_budget_with_autoplay_ends_it():
    assert exhaust(deal_one(DEAL), FREECELL, 0, WITH_AUTOPLAY - 1)[:3:2] == (False, False)
    _, layers = begun(2)
    *_, end = walk_down(layers, 0, WITH_AUTOPLAY - 1)
    assert (end.safe_ended, end.won) == (False, False)
    assert end.settled >= WITH_AUTOPLAY


def test_somebody_asks_to_stop(crews):
    _, layers = begun(2)
    with pytest.raises(Stopped):
        for _ in walk_down(layers, AMPLE, AMPLE, lambda: len(crews) > 3):
            pass


@pytest.mark.parametrize("kind", [WAITING, PUT_OFF])
def test_nothing_is_lost_where_positions_are_given(kind):
    rich, poor = new_sweep(), new_sweep()
    whole = np.arange(3 * 900, dtype=np.uint64).reshape(-1, 3)
    for sweep, rows in ((rich, whole[:800]), (poor, whole[800:])):
        sweep.state[kind] = len(rows)
        place = slice(0, len(rows)) if kind == WAITING else slice(len(sweep.stack) - len(rows), None)
        sweep.stack[place] = rows
    module._give(rich, poor, kind, 350)
    held = [
        sweep.stack[:count] if kind == WAITING else sweep.stack[len(sweep.stack) - count :]
        for sweep, count in ((rich, 450), (poor, 450))
    ]
    assert (int(rich.state[kind]), int(poor.state[kind])) == (450, 450)
    assert np.array_equal(np.sort(np.concatenate(held), axis=0), whole)


def test_records_of_a_class():
    _, layers = begun(1)
    walk = walk_down(layers, AMPLE, AMPLE)
    for _ in range(5):
        next(walk)
    records = np.concatenate(list(layers.waiting(1)))
    a = records[:, 0] & np.uint64((1 << 52) - 1)
    one = int(a[0] & records[0, 1]), int(a[0] | records[0, 1] | records[0, 2])
    ours = of_class(records, one)
    assert 0 < len(ours) < len(records)
    expected = [
        row
        for row, plane in zip(records.tolist(), a.tolist(), strict=True)
        if (plane & row[1], plane | row[1] | row[2]) == one
    ]
    assert ours.tolist() == expected
