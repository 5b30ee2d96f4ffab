"""Perft counts: those kept in files, and the plain twin's on other rules."""

from pathlib import Path

import pytest

from kernels.dealing import deal_one
from kernels.proof.perft import first_steps, perft, perft_from
from kernels.proof.planes import facts_of
from kernels.rules import FREECELL, Rules
from tests.naive import perft as naive
from tests.naive.planes import position_from

FILES = sorted((Path(__file__).parents[2] / "data" / "perft").glob("*.txt"))


def counts_in(path):
    rows = [tuple(map(int, line.split())) for line in path.read_text().splitlines() if not line.startswith("#")]
    assert [depth for depth, *_ in rows] == list(range(len(rows)))
    return [(positions, moves) for _, positions, moves in rows]


def disagreement(board, rules, depth):
    """What kernel and twin count below each first move where they differ: the way to a wrong move."""
    facts, _ = facts_of(board, rules.cells, rules.in_suit)
    lines = []
    for planes in first_steps(board, rules):
        position = position_from(planes, board, rules)
        kernel, twin = perft_from(planes, facts, depth - 1), naive.perft_from(position, rules, depth - 1)
        if kernel != twin:
            lines += [f"below {position}:", f"  kernel {kernel}", f"  twin   {twin}"]
    return "\n".join(lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_counts_in_files(path):
    board, expected = deal_one(int(path.stem)), counts_in(path)
    depth = len(expected) - 1
    assert perft(board, FREECELL, depth) == expected, disagreement(board, FREECELL, depth)


@pytest.mark.parametrize("in_suit", [False, True])
@pytest.mark.parametrize("cells", range(9))
def test_the_twin_on_other_rules(cells, in_suit):
    board, rules, depth = deal_one(27 + cells), Rules(cells, in_suit), 4
    assert perft(board, rules, depth) == naive.perft(board, rules, depth), disagreement(board, rules, depth)


def test_a_table_that_grows():
    assert sum(positions for positions, _ in perft(deal_one(1), FREECELL, 12)) > 50_000


def test_counts_below_the_first_moves():
    board, rules = deal_one(617), FREECELL
    assert len(first_steps(board, rules)) == perft(board, rules, 1)[1][0]
    assert disagreement(board, rules, 4) == ""
