"""Boards and positions as people have them, read from text.

A fresh deal is a line a row or a line a column; a position in mid-game is a line a column, with lines that say what
cells and foundations hold. JSON is ours, or what Solvitaire takes:

    Foundations: H-2 C-0 D-A S-0          {"columns": [["JD", "KD"], ..], "cells": ["4H", null, "6C"],
    Freecells: 4H - 6C                     "foundations": [["AH", "2H"], ["AD"]]}
    : JD KD 2S                            {"tableau piles": [["11D", "13D"], ..], ..}
    :

Without cells and foundations, a fresh deal is meant: then lines of other lengths are a mistake.
"""

import json
import re
from collections import Counter
from typing import Any, NamedTuple

from kernels.cards import CARDS, RANKS, SUITS, name
from kernels.layout import Layout, board_of
from pipeline.deals.notation import COLUMNS, Board
from pipeline.errors import UsageError

MOST_FAULTS = 5
"""That are named in one board."""

_ROW_SIZES = [8] * 6 + [4]
_COLUMN_SIZES = [7] * 4 + [6] * 4
_SYMBOLS = str.maketrans(dict(zip("♣♦♥♠♧♢♡♤", "CDHSCDHS", strict=True))) | {0xFE0E: None, 0xFE0F: None}
_NUMBERS = {name(card): card for card in range(CARDS)}
_RANK_NUMBERS = {"1": "A", "11": "J", "12": "Q", "13": "K"}
"""As Solvitaire has them."""

_HEADING = [str(column + 1) for column in range(COLUMNS)]
_CELL_WIDTH = 4
"""Characters that Freecell Solver gives a cell, blank where it is free."""

_FOUNDATIONS = re.compile(r"(foundations?|home ?cells?|home)", re.IGNORECASE)
_CELLS = re.compile(r"(free ?cells?|cells?|fc)", re.IGNORECASE)
_COLUMN = re.compile(r"(?:(?:column|col|stack|pile)\s*)?#?([1-8])", re.IGNORECASE)


class Line(NamedTuple):
    """Cards that a text has in one line, or in one list of JSON.

    Attributes
    ----------
    where : str
        As it is named to the user.
    cards : list of int
    """

    where: str
    cards: list[int]


class Said(NamedTuple):
    """What a text says.

    Attributes
    ----------
    lines : list of Line
        Rows or columns.
    cells : tuple of (int or None), optional
        What it says of cells; None where it says nothing.
    home : tuple of int, optional
        What it says of foundations, in the order C D H S; None where it says nothing.
    """

    lines: list[Line]
    cells: tuple[int | None, ...] | None
    home: tuple[int, ...] | None


def parse_board(text: str) -> Board:
    """Read the board of a fresh deal, in rows, in columns, or as JSON.

    10 is as good as T, lower case as upper case, a suit's symbol as its letter, and the suit may come first; commas and
    bars are as good as blanks. A line may begin with a colon, a number, or both; empty lines, comments after `#`, a
    line of column numbers, and lines that say that foundations and cells are empty don't count.

    Returns
    -------
    (52,) uint8
        Card numbers in dealing order.

    Raises
    ------
    UsageError
        If it isn't a fresh deal of 52 cards; the message names the wrong card and its line, or what is missing or
        there twice.
    """
    layout = parse_layout(text)
    board: Board | None = board_of(layout)
    if board is None:
        there = "in cells" if layout.in_cells else "home" if any(layout.home) else "in columns of other heights"
        raise UsageError(f"this is a position in mid-game, with cards {there}: a fresh deal is needed here")
    return board


def parse_layout(text: str) -> Layout:
    """Read a fresh deal, as `parse_board` does, or a position in mid-game.

    Raises
    ------
    UsageError
        If some of the 52 cards are missing or there twice, if lines have wrong lengths where a deal is meant, or if
        something can't be read; the message names its line.
    """
    text = text.removeprefix("\ufeff")
    said = _read_json(text) if text.lstrip().startswith(("{", "[")) else _read_lines(text)
    _check_deck(said)
    return _laid_out(said)


# Lines of text


def _read_lines(text: str) -> Said:
    lines: list[Line] = []
    cells: tuple[int | None, ...] | None = None
    home: tuple[int, ...] | None = None
    for number, written in enumerate(text.splitlines(), 1):
        where = f"line {number}"
        head, rest = _head_and_rest(written.partition("#")[0])
        if _FOUNDATIONS.fullmatch(head):
            _check_one(home is None, where)
            home = _home(rest, where)
        elif _CELLS.fullmatch(head):
            _check_one(cells is None, where)
            cells = _cells(rest, where)
        elif line := _column_or_row(head, _words(rest), lines, where):
            lines.append(line)
    return Said(lines, cells, home)


def _column_or_row(head: str, words: list[str], before: list[Line], where: str) -> Line | None:
    """A line of cards; None of one that doesn't count. An empty column has at least its colon."""
    column = _COLUMN.fullmatch(head)
    if head not in ("", ":") and not column:
        raise UsageError(f"{where}: {head[:40]!r} is neither a card nor the name of a column")
    if not head and words in ([], _HEADING):
        return None
    if words:
        _check_one({card for line in before for card in line.cards} < set(range(CARDS)), where)
    if column and int(column[1]) != len(before) + 1:
        raise UsageError(f"{where}: number {column[1]}, where {len(before) + 1} comes next")
    return Line(where, [_card(word, where) for word in words])


def _head_and_rest(line: str) -> tuple[str, str]:
    """What a line says that it is, and its cards: a name, a number, `:` alone, or nothing."""
    head, colon, rest = line.partition(":")
    if colon:
        return head.strip() or ":", rest
    numbered = re.fullmatch(r"\s*([1-8])[.)]?\s+(?![1-8](\s|$))(.*)", line)
    return (numbered[1], numbered[3]) if numbered else ("", line)


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,;|]+", text) if word]


def _check_one(first: bool, where: str) -> None:
    if not first:
        raise UsageError(f"{where}: a second board begins here, where one is needed")


def _card(text: str, where: str) -> int:
    word = text.upper().translate(_SYMBOLS).replace("10", "T")
    card = _NUMBERS.get(word, _NUMBERS.get(word[::-1]))
    if card is None:
        raise UsageError(f"{where}: {text[:20]!r} is not a card: a rank of {RANKS}, then a suit of {SUITS}, such as TD")
    return card


def _home(text: str, where: str) -> tuple[int, ...]:
    """Cards on the foundations by suit: from their number (H-0), the rank of the top card (H-A), or itself (AH)."""
    home = [0] * len(SUITS)
    for word in _words(text):
        plain = word.upper().translate(_SYMBOLS).replace("-", "")
        if plain and plain.removesuffix("0") not in SUITS:
            card = _card(plain, where)
            home[card % 4] = max(home[card % 4], card // 4 + 1)
    return tuple(home)


def _cells(text: str, where: str) -> tuple[int | None, ...]:
    """What cells hold; a free one is a dash, or blank where each has its four characters."""
    pieces = [text.rstrip("\r\n")[start : start + _CELL_WIDTH] for start in range(0, len(text), _CELL_WIDTH)]
    if all(re.fullmatch(r" {4}| {1,2}\S{2,3}", piece) for piece in pieces):
        words = [piece.strip() or "-" for piece in pieces]
    else:
        words = _words(text)
    return tuple(None if not word.strip("-") else _card(word, where) for word in words)


# JSON


def _read_json(text: str) -> Said:
    try:
        said: Any = json.loads(text)
    except json.JSONDecodeError as error:
        fault = "a second board begins here" if error.msg == "Extra data" else error.msg
        raise UsageError(f"the board is no JSON: line {error.lineno}, column {error.colno}: {fault}") from error
    except RecursionError as error:
        raise UsageError("the board is no JSON of ours: it is nested too deeply") from error
    except ValueError as error:  # a number of more digits than int takes
        raise UsageError(f"the board is no JSON of ours: {error}") from error
    if not isinstance(said, dict):
        said = {"columns": said}
    columns = said.get("columns", said.get("tableau piles"))
    if not _is_list_of(columns, list) or not all(_is_list_of(column, str) for column in columns):
        raise UsageError('a board in JSON is {"columns": [["JD", "KD", ..], ..]}: a list of cards a column')
    lines = [Line(f"column {number}", _json_cards(f"column {number}", each)) for number, each in enumerate(columns, 1)]
    return Said(lines, _json_cells(said.get("cells")), _json_home(said.get("foundations")))


def _is_list_of(value: object, *kinds: type) -> bool:
    return isinstance(value, list) and all(isinstance(entry, kinds) for entry in value)


def _json_cards(where: str, words: list[str]) -> list[int]:
    return [_card(_with_letter(word), where) for word in words]


def _with_letter(word: str) -> str:
    """A card whose rank may be a number."""
    return _RANK_NUMBERS.get(word[:-1], word[:-1]) + word[-1:]


def _json_cells(cells: Any) -> tuple[int | None, ...] | None:
    if cells is None:
        return None
    if not _is_list_of(cells, str, type(None)):
        raise UsageError('cells in JSON are "cells": ["4H", null, "6C"]: a card a cell, null for a free one')
    return tuple(_card(_with_letter(word), "cells") if word else None for word in cells)


def _json_home(foundations: Any) -> tuple[int, ...] | None:
    if foundations is None:
        return None
    if not _is_list_of(foundations, list) or not all(_is_list_of(each, str) for each in foundations):
        raise UsageError('foundations in JSON are "foundations": [["AH", "2H"], ["AD"]]: a list of cards each')
    home = [0] * len(SUITS)
    for cards in (_json_cards("foundations", each) for each in foundations):
        if cards != [4 * rank + cards[0] % 4 for rank in range(len(cards))]:
            raise UsageError(f"foundations: {' '.join(map(name, cards))} is no suit from its ace up")
        if cards:
            home[cards[0] % 4] = len(cards)
    return tuple(home)


# What they add up to


def _check_deck(said: Said) -> None:
    """Refuse a board that hasn't each card once."""
    home = [4 * rank + suit for suit, count in enumerate(said.home or ()) for rank in range(count)]
    cells = [card for card in said.cells or () if card is not None]
    places = [*said.lines, Line("cells", cells), Line("foundations", home)]
    counts = Counter(card for place in places for card in place.cards)
    faults = []
    for card, count in counts.items():
        if count > 1:
            there = [where for where, cards in places for other in cards if other == card]
            faults.append(f"{name(card)} is there {count} times ({', '.join(there)})")
    if missing := [name(card) for card in range(CARDS) if card not in counts]:
        faults.append(f"missing: {' '.join(missing)}{_odd_line(said)}")
    if more := len(faults) - MOST_FAULTS:
        faults[MOST_FAULTS:] = [f"and {more} more"] if more > 0 else []
    if faults:
        number = sum(counts.values())
        raise UsageError(f"a board has each of the 52 cards once; of these {number}, {'; '.join(faults)}")


def _odd_line(said: Said) -> str:
    """Which line of a deal is shorter or longer than it should be, where only one is."""
    sizes = {len(_ROW_SIZES): _ROW_SIZES, len(_COLUMN_SIZES): _COLUMN_SIZES}.get(len(said.lines), [])
    odd = [(line, size) for line, size in zip(said.lines, sizes, strict=False) if len(line.cards) != size]
    if len(odd) != 1 or said.home or said.cells:
        return ""
    line, size = odd[0]
    return f" ({line.where} has {len(line.cards)} cards, not {size})"


def _laid_out(said: Said) -> Layout:
    sizes = [len(line.cards) for line in said.lines]
    cards = [line.cards for line in said.lines]
    empty = not any(said.home or ()) and not any(card is not None for card in said.cells or ())
    if sizes == _ROW_SIZES and empty:
        dealt = [card for row in cards for card in row]
        return Layout(tuple(tuple(dealt[column::COLUMNS]) for column in range(COLUMNS)))
    if sizes != _COLUMN_SIZES and said.home is None and said.cells is None:
        raise UsageError(
            "a fresh deal has lines of 8 8 8 8 8 8 4 cards (rows) or 7 7 7 7 6 6 6 6 (columns); "
            f"these have {' '.join(map(str, sizes))}; a position in mid-game says what is in its cells, as "
            "`Freecells: 4H - 6C`, and home, as `Foundations: H-2 C-0 D-A S-0`"
        )
    if len(sizes) > COLUMNS:
        raise UsageError(f"{said.lines[COLUMNS].where}: a ninth column; a position has eight, a line each")
    columns = [*map(tuple, cards), *[()] * (COLUMNS - len(sizes))]
    cells = said.cells or ()
    while cells and cells[-1] is None:
        cells = cells[:-1]
    return Layout(tuple(columns), cells, said.home or (0, 0, 0, 0))
