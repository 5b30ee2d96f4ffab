"""The walk through layers: threads, and a walk that is kept and goes on."""

import pytest

from kernels.dealing import deal_one
from kernels.proof import layers as module
from kernels.proof.closure import never
from kernels.proof.layers import Layers, Standing, first_waiting, walk_down
from kernels.proof.planes import facts_of
from kernels.proof.shelf import new_shelf

DEAL, WITH_AUTOPLAY, PLAIN = 11982, 61_643, 83_239
AMPLE = 1_000_000
CHUNKS = 4_000


def begun(threads=1):
    facts, planes = facts_of(deal_one(DEAL), 4, False)
    return facts, Layers(facts, Standing(), first_waiting(planes), new_shelf(CHUNKS), threads)


def last_of(walk):
    *_, last = walk
    return last


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_counts_are_the_same_for_any_number_of_threads(monkeypatch, threads):
    monkeypatch.setattr(module, "A_PARTITION", 200)
    _, layers = begun(threads)
    end = last_of(walk_down(layers, AMPLE, AMPLE, never))
    assert (end.found, end.settled) == (PLAIN, WITH_AUTOPLAY)
    assert (end.plain_ended, end.safe_ended, end.won) == (True, True, False)
    assert layers.is_done


@pytest.mark.parametrize("done", [1, 7, 12])
def test_a_walk_that_was_kept_goes_on(done):
    facts, layers = begun()
    walk = walk_down(layers, AMPLE, AMPLE, never)
    for _ in range(done):
        next(walk)
    kept = [[records.copy() for records in layers.waiting(layer)] for layer in range(2)]
    again = Layers(facts, layers.standing(), (kept[0], kept[1]), new_shelf(CHUNKS), 2)
    assert last_of(walk_down(again, AMPLE, AMPLE, never)) == last_of(walk)


def test_without_room_for_what_waits_there_is_an_error():
    facts, planes = facts_of(deal_one(DEAL), 4, False)
    layers = Layers(facts, Standing(), first_waiting(planes), new_shelf(3))
    with pytest.raises(MemoryError):
        last_of(walk_down(layers, AMPLE, AMPLE, never))


def test_what_waits_first_is_the_deal():
    _, layers = begun()
    (records,) = layers.waiting(0)
    assert records.shape == (1, 3)
    assert not list(layers.waiting(1))
