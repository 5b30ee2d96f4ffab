"""Freecell Solver (Debian's `freecell-solver-bin`) as a judge of what is exported, and positions as it writes them."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pytest

from kernels.cards import RANKS, SUITS, name

PROGRAM = "fc-solve"
ATOMIC = ["--method", "bfs", "-to", "01ABCDE"]
"""Breadth first; one card goes home, from a column or a cell, onto another one, to an empty column, or to a cell."""

needed = pytest.mark.skipif(shutil.which(PROGRAM) is None, reason=f"{PROGRAM} is not installed (freecell-solver-bin)")


class Position(NamedTuple):
    """Cards by name; columns and cells in sorted order, so that their order on the table doesn't matter."""

    columns: tuple[tuple[str, ...], ...]
    cells: tuple[str, ...]
    home: tuple[int, ...]

    @property
    def is_won(self) -> bool:
        """Whether all cards are home."""
        return self.home == (13,) * 4

    def text(self) -> str:
        """As it reads a position."""
        counts = " ".join(f"{suit}-{('0' + RANKS)[count]}" for suit, count in zip(SUITS, self.home, strict=True))
        columns = [*self.columns, *[()] * (8 - len(self.columns))]
        lines = [f"Foundations: {counts}", f"Freecells: {' '.join(self.cells)}"]
        return "\n".join(lines + [f": {' '.join(column)}" for column in columns]) + "\n"


def position_of(columns: Sequence[Sequence[str]], cells: Sequence[str], home: Sequence[int]) -> Position:
    return Position(tuple(sorted(tuple(column) for column in columns if column)), tuple(sorted(cells)), tuple(home))


def positions_along(board: Sequence[int], moves: Sequence[str]) -> Iterator[Position]:
    """The positions that moves in standard notation lead through, one card a move, whether that is legal or not."""
    columns = [[name(int(card)) for card in board[column::8]] for column in range(8)]
    cells: dict[str, str] = {}
    home = [0] * 4
    yield position_of(columns, [], home)
    for source, target in moves:
        card = columns[int(source) - 1].pop() if source.isdigit() else cells.pop(source)
        if target == "h":
            home[SUITS.index(card[1])] += 1
        elif target.isdigit():
            columns[int(target) - 1].append(card)
        else:
            assert target not in cells
            cells[target] = card
        yield position_of(columns, list(cells.values()), home)


def count(board: str) -> int:
    """How many positions it reaches from a board by atomic moves."""
    said = re.search(r"This scan generated (\d+) states", _run(board))
    assert said is not None
    return int(said[1])


def positions_around(position: Position) -> set[Position]:
    """The positions that it reaches with one atomic move."""
    said = _run(position.text(), "-s", "-i", "-p", "-t", "-mi", "100")
    return {_read(block) for block in said.split("Iteration: ") if "\nDepth: 1\n" in block}


def is_solved_by_a_move(position: Position) -> bool:
    """Whether it says that the first move wins. It shows no proper position after that one."""
    said = _run(position.text(), "-s", "-i", "-p", "-t", "-mi", "100")
    return "This game is solveable." in said and "\nDepth: 2\n" not in said


def _run(board: str, *options: str) -> str:
    done = subprocess.run([PROGRAM, *ATOMIC, *options, "-"], input=board, capture_output=True, text=True, check=False)
    return done.stdout


def _read(block: str) -> Position:
    counts = dict(word.split("-") for word in _line(block, "Foundations:"))
    columns = [line[1:].split() for line in block.splitlines() if line.startswith(":")]
    home = [("0" + RANKS).index(counts[suit]) for suit in SUITS]
    return position_of(columns, [word for word in _line(block, "Freecells:") if word != "-"], home)


def _line(block: str, label: str) -> list[str]:
    return next(line for line in block.splitlines() if line.startswith(label)).removeprefix(label).split()
