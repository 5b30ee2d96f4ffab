"""Boards, move lists and deal numbers as they are printed; deal numbers are read here, boards by `boards.py`.

A board has three forms:

    rows      as a player sees it: a line a row from the top, 7 lines of 8 cards, the last one of 4
    columns   a line a column, its bottom card first (as in tests/data/boards): 4 lines of 7 cards, 4 of 6
    json      {"deal": 617, "columns": [["7D", "AD", ..], ..]}, columns as above

Moves are in the standard notation of FreeCell, two characters each, from and to:

    1 .. 8    a column
    a .. g k  a cell; the eighth is k, as Freecell Solver has it, because h is taken
    h         home, the foundation of the card's suit
"""

import json
import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from kernels.cards import CARDS, name
from kernels.dealing import FIRST_DEAL, LAST_DEAL
from pipeline.errors import UsageError

Board = npt.NDArray[np.uint8]
"""(52,) card numbers in dealing order: card `i` lies in column `i % 8`."""

COLUMNS = 8
CELLS = "abcdefgk"
HOME = "h"
MOVES_A_LINE = 10


def board_rows(board: Board) -> str:
    """A board as a player sees it."""
    return _lines_text(board[start : start + COLUMNS] for start in range(0, CARDS, COLUMNS))


def board_columns(board: Board) -> str:
    """A board column by column."""
    return _lines_text(board[column::COLUMNS] for column in range(COLUMNS))


def board_json(board: Board, deal: int | None = None) -> str:
    """A board as a JSON object, with the number of the deal where it is known."""
    number = {} if deal is None else {"deal": deal}
    columns = [[name(card) for card in board[column::COLUMNS]] for column in range(COLUMNS)]
    return json.dumps(number | {"columns": columns})


def _lines_text(lines: Iterable[Board]) -> str:
    return "\n".join(" ".join(name(card) for card in line) for line in lines)


def move_texts(moves: Iterable[int]) -> list[str]:
    """Moves in standard notation.

    Parameters
    ----------
    moves : iterable of int
        Legal single-card moves from a fresh deal on, a byte each: source * 16 + target; sources 0-7 columns, 8-15
        cells; targets 0-7 columns, 8 the first free cell, 9 the foundation.
    """
    occupied: set[int] = set()
    texts = []
    for move in moves:
        source, target = divmod(int(move), 16)
        if target > 9:
            raise UsageError(f"these are no moves of a solution: a byte {int(move)}")
        occupied.discard(source - COLUMNS)
        if target == 8:
            free = [cell for cell in range(len(CELLS)) if cell not in occupied]
            if not free:
                raise UsageError("these are no moves of a solution: more cards than cells")
            cell = free[0]
            occupied.add(cell)
            to = CELLS[cell]
        else:
            to = HOME if target == 9 else _place(target)
        texts.append(_place(source) + to)
    return texts


def _place(number: int) -> str:
    return str(number + 1) if number < COLUMNS else CELLS[number - COLUMNS]


def moves_text(moves: list[str]) -> str:
    """A list of moves, ten a line."""
    return "\n".join(" ".join(moves[start : start + MOVES_A_LINE]) for start in range(0, len(moves), MOVES_A_LINE))


def deal_number(text: str) -> int:
    """The number of a deal.

    Raises
    ------
    UsageError
        Unless it is a whole number from FIRST_DEAL to LAST_DEAL.
    """
    number = int(text) if re.fullmatch("[0-9]{1,10}", text) else 0
    if not FIRST_DEAL <= number <= LAST_DEAL:
        raise UsageError(f"{text!r} is no deal number: a whole number from {FIRST_DEAL} to {LAST_DEAL} is allowed")
    return number


def listed_deal(line: str) -> int | None:
    """The deal that a line of a list names, before a comment that begins with `#`; None where there is none.

    Raises
    ------
    UsageError
        If something else is there: a second number may be a figure of the first.
    """
    words = line.partition("#")[0].split()
    if len(words) > 1:
        raise UsageError(f"{line[:40]!r} is neither a deal number nor a comment: a list has a number a line")
    return deal_number(words[0]) if words else None


def deal_range(text: str) -> tuple[int, int]:
    """First and last deal of FIRST:LAST, both included.

    Raises
    ------
    UsageError
        Unless both are deal numbers and the first isn't the larger one.
    """
    first_text, colon, last_text = text.partition(":")
    if not colon:
        raise UsageError(f"{text!r} is no range of deals: FIRST:LAST is, both included, such as 1:32000")
    first, last = deal_number(first_text), deal_number(last_text)
    if first > last:
        raise UsageError(f"{text!r} is no range of deals: the first is larger than the last; {last}:{first} is one")
    return first, last
