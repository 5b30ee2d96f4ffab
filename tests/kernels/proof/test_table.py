"""The table of exact positions against a set."""

import random

import numpy as np

from kernels.jit import kernel
from kernels.proof.table import doubled, insert, new_table, room


@kernel
def insert_one(table, a, b, c):
    return insert(table, a, b, c)


def held(table):
    return {tuple(slot) for slot in table.tolist() if any(slot)}


def words(count, bits):
    """Words with few bits set in few places: many share two of three words."""
    source = random.Random(1)
    return [
        tuple(source.randrange(1 << bits) << source.choice((0, 20, 51 - bits)) for _ in range(3)) for _ in range(count)
    ]


def test_only_what_is_new_is_inserted():
    table, known = new_table(1 << 10), set()
    for entry in words(20_000, 2):
        if any(entry) and len(known) < room(len(table)):
            assert insert_one(table, *np.array(entry, np.uint64)) == (entry not in known)
            known.add(entry)
    assert held(table) == known


def test_a_table_may_be_full_but_for_one_slot():
    table = new_table(64)
    entries = sorted(set(words(200, 6)) - {(0, 0, 0)})[:63]
    assert [insert_one(table, *np.array(entry, np.uint64)) for entry in entries] == [True] * 63
    assert [insert_one(table, *np.array(entry, np.uint64)) for entry in entries] == [False] * 63


def test_a_doubled_table_holds_the_same():
    table = new_table(1 << 8)
    entries = sorted(set(words(500, 8)) - {(0, 0, 0)})[: room(len(table))]
    for entry in entries:
        insert_one(table, *np.array(entry, np.uint64))
    larger = doubled(table)
    assert len(larger) == 2 * len(table)
    assert held(larger) == set(entries)
    assert not any(insert_one(larger, *np.array(entry, np.uint64)) for entry in entries)
