"""Chains of records: what is shelved comes back, and chunks are used again."""

import random

import numpy as np

from kernels.jit import kernel
from kernels.proof.layers import take_out
from kernels.proof.planes import PLANES
from kernels.proof.shelf import CHUNK, FREE, SAFELY, give_back, new_pens, new_shelf, records_in, shelve
from kernels.words import U0, U1, U2

CHUNKS = 40


@kernel
def shelve_all(shelf, pen, records, lower, mark):
    """Shelve records; the number that found room."""
    for i in range(np.uint64(records.shape[0])):
        if not shelve(shelf, pen, records[i, U0], records[i, U1], records[i, U2], lower, mark):
            return i
    return np.uint64(records.shape[0])


def drawn(count):
    source = random.Random(1)
    return np.array([[source.getrandbits(52) for _ in range(PLANES)] for _ in range(count)], np.uint64)


def records_of(shelf, heads):
    records = np.empty((int(records_in(shelf, heads)), PLANES), np.uint64)
    take_out(shelf, heads, records)
    return sorted(map(tuple, records.tolist()))


def chains(pen, layer):
    heads = pen.heads[layer]
    return heads[heads > 0]


def test_records_come_back_from_both_layers():
    shelf = new_shelf(CHUNKS)
    (pen,) = new_pens(shelf, 1)
    pen.shifts[:] = 62, 63
    upper, lower = drawn(1_000), drawn(300)
    assert shelve_all(shelf, pen, upper, U1, U0) == 1_000
    assert shelve_all(shelf, pen, lower, U2, SAFELY) == 300
    assert len(chains(pen, 0)) == 4
    assert len(chains(pen, 1)) == 2
    assert records_of(shelf, chains(pen, 0)) == sorted(map(tuple, upper.tolist()))
    assert records_of(shelf, chains(pen, 1)) == sorted((a | int(SAFELY), b, c) for a, b, c in lower.tolist())


def test_a_full_shelf_refuses_and_takes_more_once_chunks_are_given_back():
    shelf = new_shelf(CHUNKS)
    (pen,) = new_pens(shelf, 1)
    room = (CHUNKS - 1) * int(CHUNK)
    records = drawn(room + 1)
    for _ in range(3):
        assert shelve_all(shelf, pen, records, U1, U0) == room
        give_back(shelf, pen, chains(pen, 0))
        assert pen.stock[FREE] == CHUNKS - 1
        pen.heads[:] = 0


def test_pens_never_share_a_chunk():
    shelf = new_shelf(CHUNKS)
    pens = new_pens(shelf, 3)
    parts = np.array_split(drawn(3_000), 3)
    for pen, records in zip(pens, parts, strict=True):
        assert shelve_all(shelf, pen, records, U1, U0) == len(records)
    for pen, records in zip(pens, parts, strict=True):
        assert records_of(shelf, chains(pen, 0)) == sorted(map(tuple, records.tolist()))
