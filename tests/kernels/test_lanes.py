"""Eight words at once against plain integers, and the same bytes from every processor."""

import operator
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from llvmlite import binding

from kernels import lanes
from kernels.cards import ALL
from kernels.jit import CACHE_SETTING, highest, highest_alone, kernel, popcount
from kernels.words import U0, U1
from tests.conftest import ROOT
from tests.naive.lanes import OPERATORS, WORD, chosen, low_half, set_of, signed

TIMES = 50


@kernel
def operate(left, right, word, shifts, out):
    """Each operator on two lanes, then on lanes and a word."""
    x, y, s = lanes.load(left, U0), lanes.load(right, U0), lanes.load(shifts, U0)
    for row, found in enumerate(
        (x & y, x | y, x ^ y, x + y, x - y, x * y, x << s, x >> s, x & word, word | x, x ^ word, word + x, word - x)
    ):
        lanes.store(out[row], U0, found)
    x &= y
    x += word
    x <<= s
    lanes.store(out[13], U0, x)


@kernel
def compare(left, right, word, out):
    x, y = lanes.load(left, U0), lanes.load(right, U0)
    out[0], out[1], out[2] = lanes.met(x, y), lanes.met(x, word), lanes.differing(x, word)
    out[3], out[4] = lanes.at_most(x, y), lanes.at_most(x, np.int64(word))
    out[5], out[6], out[7] = lanes.total(x), lanes.union(x), lanes.least(x)
    for lane in range(np.uint64(8)):
        out[np.uint64(8) + lane] = lanes.word_at(x, lane)


@kernel
def arrange(left, right, word, choice, indices, table, board, out):
    x, y = lanes.load(left, U0), lanes.load(right, U0)
    for row, found in enumerate(
        (
            lanes.where(choice, x, y),
            lanes.where(choice, x, word),
            lanes.where(choice, np.int64(-1), y),
            lanes.smaller(x, y),
            lanes.signed_shift(x, word & np.uint64(63)),
            lanes.gather(table, lanes.load(indices, U0)),
            lanes.load_bytes(board, np.uint64(44), choice),
            lanes.numbers(),
            popcount(x),
            highest(x & ALL | U1),
            highest_alone(x & ALL),
            lanes.product(x, y),
            lanes.product(x, np.int64(word)),
        )
    ):
        lanes.store(out[row], U0, found)
    return lanes.in_bytes(choice)


def words(choose, bits=64, count=8):
    """Random words of random lengths: all lengths are as likely."""
    return [choose.getrandbits(choose.randint(0, bits)) for _ in range(count)]


def array(values):
    return np.array(values, np.uint64)


def samples():
    """Two times eight words, and one more; now and then some are equal."""
    choose = random.Random(1)
    for _ in range(TIMES):
        left = words(choose)
        right = [choose.choice(pair) for pair in zip(left, words(choose), strict=True)]
        yield choose, left, right, choose.choice([*left, *words(choose, count=1)])


def test_operators():
    done = list(OPERATORS)
    for choose, left, right, word in samples():
        shifts = [choose.randrange(64) for _ in range(8)]
        out = np.zeros((14, 8), np.uint64)
        operate(array(left), array(right), np.uint64(word), array(shifts), out)
        others = [right] * 6 + [shifts] * 2
        expected = [list(map(OPERATORS[done[i]], left, others[i])) for i in range(8)]
        for symbol, turned in (
            (operator.and_, 0),
            (operator.or_, 0),
            (operator.xor, 0),
            (operator.add, 0),
            (operator.sub, 1),
        ):
            expected.append([OPERATORS[symbol](*((word, x) if turned else (x, word))) for x in left])
        expected.append([((((x & y) + word) % WORD) << s) % WORD for x, y, s in zip(left, right, shifts, strict=True)])
        assert out.tolist() == expected


def test_comparisons_and_reductions():
    for _, left, right, word in samples():
        out = np.zeros(16, np.uint64)
        compare(array(left), array(right), np.uint64(word), out)
        pairs = list(zip(left, right, strict=True))
        union = 0
        for x in left:
            union |= x
        assert out.tolist() == [
            set_of(x & y for x, y in pairs),
            set_of(x & word for x in left),
            set_of(x != word for x in left),
            set_of(signed(x) <= signed(y) for x, y in pairs),
            set_of(signed(x) <= signed(word) for x in left),
            sum(left) % WORD,
            union,
            min(left),
            *left,
        ]


def test_what_is_chosen_and_looked_up():
    for choose, left, right, word in samples():
        choice, indices, table = choose.getrandbits(8), [choose.randrange(64) for _ in range(8)], words(choose, 64, 64)
        board = np.array(words(choose, 8, 52), np.uint8)
        out = np.zeros((13, 8), np.uint64)
        spread = arrange(
            array(left), array(right), np.uint64(word), np.uint64(choice), array(indices), array(table), board, out
        )
        pairs = list(zip(left, right, chosen(choice), strict=True))
        assert out.tolist() == [
            [x if taken else y for x, y, taken in pairs],
            [x if taken else word for x, _, taken in pairs],
            [WORD - 1 if taken else y for _, y, taken in pairs],
            [min(x, y) for x, y, _ in pairs],
            [(signed(x) >> word % 64) % WORD for x in left],
            [table[index] for index in indices],
            [int(card) if taken else 0 for card, taken in zip(board[44:], chosen(choice), strict=True)],
            list(range(8)),
            [x.bit_count() for x in left],
            [(x % 2**52 | 1).bit_length() - 1 for x in left],
            [1 << (x % 2**52).bit_length() >> 1 for x in left],
            [low_half(x) * low_half(y) % WORD for x, y, _ in pairs],
            [low_half(x) * low_half(word) % WORD for x in left],
        ]
        assert int(spread) == sum(1 << 8 * lane for lane in range(8) if choice >> lane & 1)


DECIDE = """
import sys
from kernels.dealing import deal_block
from kernels.rules import rules_of
from kernels.search.attempts import decide
for game in "freecell", "bakers":
    for column in decide(deal_block(1, 60), rules_of(game, 4), [200, 200, 200, 200]):
        sys.stdout.buffer.write(column.tobytes())
"""

PROCESSORS = {"x86-64-v4": "avx512f", "x86-64-v3": "avx2", "x86-64": "sse2"}
"""Kinds of processors with 512, 256 and 128 bits in a register, and what each needs."""


@pytest.mark.long
def test_every_processor_decides_the_same(tmp_path):
    """Each compiles the search anew. What this machine lacks can't be tried on it."""
    here = binding.get_host_cpu_features()
    outputs = set()
    for name, needed in PROCESSORS.items():
        if here.get(needed):
            kind = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": "", CACHE_SETTING: str(tmp_path)}
            done = subprocess.run(
                [sys.executable, "-c", DECIDE], cwd=ROOT, env={**os.environ, **kind}, capture_output=True, check=True
            )
            outputs.add(done.stdout)
    assert len(outputs) <= 1
