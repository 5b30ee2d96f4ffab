"""The numbered positions against a dictionary."""

import random

import numpy as np

from kernels.cards import ALL
from kernels.jit import kernel
from kernels.proof.numbered import copy_slots, enter, room, slots_for

LAST = 0b11101010101


@kernel
def enter_one(positions, slots, number, mix, a, b, c, last):
    return enter(positions, slots, number, mix, a, b, c, last)


def entries(count):
    """Positions that share words and mixes: 16 mixes, half of them at the end of the table."""
    source = random.Random(1)
    return [
        (source.choice((0, 0xFFF << 52)) | source.randrange(8) << 32, *source.choices(range(8), k=3))
        for _ in range(count)
    ]


def test_only_what_is_new_has_a_number():
    positions, slots, known = np.zeros((1000, 3), np.uint64), np.zeros(1 << 10, np.uint64), {}
    for entry in entries(2_000):
        number = len(known)
        if number < room(len(slots)):
            new = enter_one(positions, slots, np.uint64(number), *np.array(entry, np.uint64), np.uint64(LAST))
            assert new == (entry not in known)
            known.setdefault(entry, number)
    held = positions[: len(known)]
    assert (held[:, 0] >> np.uint64(52) == LAST).all()
    assert [(int(a & ALL), int(b), int(c)) for a, b, c in held] == [entry[1:] for entry in known]

    larger = np.zeros(2 * len(slots), np.uint64)
    copy_slots(slots, larger)
    for entry in known:
        assert not enter_one(positions, larger, np.uint64(999), *np.array(entry, np.uint64), np.uint64(0))


def test_slots_follow_the_number_of_positions():
    for positions in (1, 1_000, 1 << 20):
        assert room(slots_for(positions) // 2) < positions <= room(slots_for(positions)) or positions == 1
