"""Boards, move lists and deal numbers as text.

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
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from kernels.cards import CARDS, RANKS, SUITS, name
from kernels.dealing import FIRST_DEAL, LAST_DEAL
from pipeline.errors import UsageError

Board = npt.NDArray[np.uint8]
"""(52,) card numbers in dealing order: card `i` lies in column `i % 8`."""

COLUMNS = 8
CELLS = "abcdefgk"
HOME = "h"
MOVES_A_LINE = 10
MOST_FAULTS = 5
"""That are named in one board."""

_ROW_SIZES = [8] * 6 + [4]
_COLUMN_SIZES = [7] * 4 + [6] * 4
_SYMBOLS = str.maketrans(dict(zip("♣♦♥♠♧♢♡♤", "CDHSCDHS", strict=True))) | {0xFE0E: None, 0xFE0F: None}
_NUMBERS = {name(card): card for card in range(CARDS)}


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


def parse_board(text: str) -> Board:
    """Read a board in any of the three forms.

    10 is as good as T, lower case as upper case, a suit's symbol as its letter, and the suit may come first; commas and
    bars are as good as blanks. A line may begin with a colon, or a number and a colon; empty lines, comments after `#`,
    a line of column numbers, and lines that say that foundations and cells are empty don't count.

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
    text = text.removeprefix("\ufeff")
    lines = _json_lines(text) if text.lstrip().startswith(("{", "[")) else _text_lines(text)
    cards = {where: [_card(word, where) for word in words] for where, words in lines}
    _check_deck(cards)
    return _laid_out(list(cards.values()))


def _text_lines(text: str) -> Iterator[tuple[str, list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        where, (head, colon, rest) = f"line {number}", line.partition("#")[0].partition(":")
        words = re.split(r"[\s,;|]+", rest if colon else head)
        words = [word for word in words if word]
        if re.fullmatch(r"\s*(foundations?|free ?cells?|cells?|fc)\s*", head, re.IGNORECASE) and colon:
            if there := [word for word in words if not re.fullmatch(r"-+|[CDHS]-?0?", word, re.IGNORECASE)]:
                raise UsageError(f"{where}: {there[0]!r} is not in its column: only fresh deals are read")
        elif head.strip() and colon and not re.fullmatch(r"\s*(column )?[1-8]\s*", head, re.IGNORECASE):
            raise UsageError(f"{where}: {head.strip()!r} is neither a card nor the name of a column")
        elif words and words != [str(column + 1) for column in range(COLUMNS)]:
            yield where, words


def _json_lines(text: str) -> Iterator[tuple[str, list[str]]]:
    try:
        columns = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"the board is no JSON: line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise UsageError("the board is no JSON of ours: it is nested too deeply") from error
    except ValueError as error:  # a number of more digits than int takes
        raise UsageError(f"the board is no JSON of ours: {error}") from error
    if isinstance(columns, dict):
        columns = columns.get("columns")
    if not _is_list_of(columns, list) or not all(_is_list_of(column, str) for column in columns):
        raise UsageError('a board in JSON is {"columns": [["JD", "KD", ..], ..]}: a list of cards a column')
    for number, column in enumerate(columns, 1):
        yield f"column {number}", column


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(entry, kind) for entry in value)


def _card(text: str, where: str) -> int:
    word = text.upper().translate(_SYMBOLS).replace("10", "T")
    card = _NUMBERS.get(word, _NUMBERS.get(word[::-1]))
    if card is None:
        raise UsageError(f"{where}: {text[:20]!r} is not a card: a rank of {RANKS}, then a suit of {SUITS}, such as TD")
    return card


def _check_deck(lines: dict[str, list[int]]) -> None:
    counts = Counter(card for line in lines.values() for card in line)
    faults = []
    for card, count in counts.items():
        if count > 1:
            places = [where for where, line in lines.items() for other in line if other == card]
            faults.append(f"{name(card)} is there {count} times ({', '.join(places)})")
    if missing := [name(card) for card in range(CARDS) if card not in counts]:
        faults.append(f"missing: {' '.join(missing)}")
    if more := len(faults) - MOST_FAULTS:
        faults[MOST_FAULTS:] = [f"and {more} more"] if more > 0 else []
    if faults:
        number = sum(counts.values())
        raise UsageError(f"a board has each of the 52 cards once; of these {number}, {'; '.join(faults)}")


def _laid_out(lines: list[list[int]]) -> Board:
    sizes = [len(line) for line in lines]
    board = np.empty(CARDS, np.uint8)
    if sizes == _ROW_SIZES:
        board[:] = [card for line in lines for card in line]
    elif sizes == _COLUMN_SIZES:
        for column, line in enumerate(lines):
            board[column::COLUMNS] = line
    else:
        raise UsageError(
            "a fresh deal has lines of 8 8 8 8 8 8 4 cards (rows) or 7 7 7 7 6 6 6 6 (columns); "
            f"these have {' '.join(map(str, sizes))}"
        )
    return board


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
