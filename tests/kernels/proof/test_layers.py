"""The walk through layers: threads, and a walk that is kept and goes on."""

import pytest

from kernels.dealing import deal_one
from kernels.proof import layers as module
from kernels.proof.layers import Layers, Standing, first_waiting, never, walk_down
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
    again = Layers(facts, layers.standing(), kept_of(layers), new_shelf(CHUNKS), 2)
    assert last_of(walk_down(again, AMPLE, AMPLE, never)) == last_of(walk)


def kept_of(layers):
    under_way, following, last = ([records.copy() for records in layers.waiting(layer)] for layer in range(3))
    return under_way, following, last


@pytest.mark.parametrize("threads", [1, 2])
def test_a_walk_that_pauses_in_the_middle_of_layers_goes_on(monkeypatch, threads):
    """It begins anew from what is kept in each pause, with a pause after each partition."""
    monkeypatch.setattr(module, "A_PARTITION", 200)
    facts, layers = begun(threads)
    pauses = in_layers = 0
    while not layers.is_done:
        layers.go_on(AMPLE, AMPLE, never, lambda: True)
        pauses += 1
        in_layers += layers.standing().in_layer > 0
        layers = Layers(facts, layers.standing(), kept_of(layers), new_shelf(CHUNKS), 1 + pauses % 2)
    assert (layers.found, layers.settled) == (PLAIN, WITH_AUTOPLAY)
    assert in_layers > 10


def test_without_room_for_what_waits_there_is_an_error():
    facts, planes = facts_of(deal_one(DEAL), 4, False)
    layers = Layers(facts, Standing(), first_waiting(planes), new_shelf(3))
    with pytest.raises(MemoryError):
        last_of(walk_down(layers, AMPLE, AMPLE, never))


def test_what_waits_first_is_the_deal():
    _, layers = begun()
    (records,) = layers.waiting(1)
    assert records.shape == (1, 3)
    assert not list(layers.waiting(0)) + list(layers.waiting(2))
