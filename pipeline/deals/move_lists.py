"""Lists of moves as people have them, read from text: what `solve` and `export` print, what Freecell Solver prints.

    standard notation   6a b7 3h 21v4: from and to, columns 1-8, cells a-g and k, h for home; v4 says four cards
    our JSON            {"deal": 617, "solution": ["6a", ..]}, {"solutions": [{"deal": 617, "moves": ["6a", ..]}, ..]}
    Freecell Solver's   Move 3 cards from stack 4 to stack 2; Move a card from freecell 0 to the foundations; Move: 5a

Lines of moves may be numbered, comments begin with `#`, and boards between the moves don't count.
"""

import json
import re
from typing import Any, NamedTuple

from kernels.layout import COLUMNS
from pipeline.deals.notation import CELLS, deal_number
from pipeline.deals.table import HOME
from pipeline.errors import UsageError

_MOVE = re.compile(rf"([1-8{CELLS}])([1-8{CELLS}h])(?:v([1-9a-d]))?", re.IGNORECASE)
_IN_WORDS = re.compile(
    r"\s*Move (a|[0-9]+) cards? from (stack|freecell) ([0-7]) to (?:(stack|freecell) ([0-7])|the foundations)\s*"
)
_LABELLED = re.compile(r"\s*Move: (\S+)\s*")
_FACT = re.compile(r"\s*(deal|verdict|moves|positions|attempt|closure|closure_safe)\s+([a-z0-9]+)\b.*")
_OF_DEAL = re.compile(r"\s*#\s*deal ([0-9]+)\b.*")
_NO_MOVE = re.compile(
    r"\s*(?:[-=]+|(?:Foundations|Freecells|Iteration|Depth|Stored-States|Scan):.*|:.*"
    r"|This game is solveable\.|Total number of states checked is .*|This scan generated .*)?\s*"
)
_NUMBER = re.compile(r"[0-9]+[.):]")


class Step(NamedTuple):
    """A move as it is written.

    Attributes
    ----------
    text : str
    where : str
        Where it is written, as it is named to the user.
    source, target : int
        Places: 0-7 columns, 8-15 cells, 16 home.
    cards : int, optional
        Their number, where it is written.
    """

    text: str
    where: str
    source: int
    target: int
    cards: int | None = None


class MoveList(NamedTuple):
    """The moves of a deal.

    Attributes
    ----------
    deal : int, optional
        The number of the deal, where the text says it.
    steps : list of Step
    """

    deal: int | None
    steps: list[Step]


def parse_moves(text: str, deal: int | None = None) -> MoveList:
    """Read a list of moves.

    Parameters
    ----------
    text : str
    deal : int, optional
        Whose moves are wanted, where the text has those of several deals.

    Raises
    ------
    UsageError
        If something is not a move, which is named with its line; or if there are no moves, or none of this deal.
    """
    text = text.removeprefix("\ufeff")
    lists = _json_lists(text) if text.lstrip().startswith(("{", "[")) else _text_lists(text)
    if not any(found.steps for found in lists):
        raise UsageError("there are no moves in it")
    numbers = [found.deal for found in lists if found.deal is not None]
    fitting = [found for found in lists if found.steps and (deal is None or found.deal in (None, deal))]
    if len(fitting) != 1:
        several = ", ".join(map(str, numbers[:5])) + (", .." if len(numbers) > 5 else "")
        wanted = "which deal's moves are meant" if deal is None else f"no moves of deal {deal}"
        raise UsageError(f"{wanted}: these are of {several or 'several deals'}")
    return fitting[0]


def _text_lists(text: str) -> list[MoveList]:
    lines = text.splitlines()
    solvers = [number for number, line in enumerate(lines, 1) if _IN_WORDS.fullmatch(line) or _LABELLED.fullmatch(line)]
    if solvers:
        return [MoveList(None, [_solvers_step(lines[number - 1], f"line {number}") for number in solvers])]
    lists = [MoveList(None, [])]
    for number, line in enumerate(lines, 1):
        if heading := _OF_DEAL.fullmatch(line):
            lists.append(MoveList(deal_number(heading[1]), []))
        elif fact := _FACT.fullmatch(line):
            if fact[1] == "deal" and fact[2].isdigit():
                lists.append(MoveList(deal_number(fact[2]), []))
        else:
            plain = line.partition("#")[0]
            if not _NO_MOVE.fullmatch(plain):
                words = [word for word in re.split(r"[\s,;]+", plain) if word and not _NUMBER.fullmatch(word)]
                lists[-1].steps.extend(_step(word, f"line {number}") for word in words)
    return lists


def _solvers_step(line: str, where: str) -> Step:
    """A move as Freecell Solver writes it; it counts stacks and freecells from 0."""
    if labelled := _LABELLED.fullmatch(line):
        return _step(labelled[1], where)
    words = _IN_WORDS.fullmatch(line)
    assert words is not None
    source = int(words[3]) + (0 if words[2] == "stack" else COLUMNS)
    target = HOME if words[4] is None else int(words[5]) + (0 if words[4] == "stack" else COLUMNS)
    return Step(line.strip(), where, source, target, None if words[1] == "a" else int(words[1]))


def _step(word: str, where: str) -> Step:
    move = _MOVE.fullmatch(word)
    if move is None:
        raise UsageError(
            f"{where}: {word[:20]!r} is not a move: from a column 1-8 or a cell a-g, to one of these or h for home, "
            "such as 6a, b7, 3h, or 21v4 for four cards"
        )
    count = int(move[3], 16) if move[3] else None
    return Step(word, where, _place(move[1]), _place(move[2]), count)


def _place(letter: str) -> int:
    letter = letter.lower()
    if letter == "h":
        return HOME
    return int(letter) - 1 if letter.isdigit() else COLUMNS + CELLS.index(letter)


def _json_lists(text: str) -> list[MoveList]:
    try:
        said: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"the moves are no JSON: line {error.lineno}, column {error.colno}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise UsageError(f"the moves are no JSON of ours: {error}") from error
    entries = said.get("solutions") if isinstance(said, dict) and "solutions" in said else [said]
    if not isinstance(entries, list):
        raise _no_solution()
    return [_json_list(entry) for entry in entries]


def _json_list(entry: Any) -> MoveList:
    deal = entry.get("deal") if isinstance(entry, dict) else None
    moves = entry.get("solution", entry.get("moves")) if isinstance(entry, dict) else entry
    if isinstance(entry, dict) and moves is None and "verdict" in entry:
        return MoveList(None, [])
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise _no_solution()
    steps = [_step(word, f"entry {number}") for number, word in enumerate(moves, 1)]
    return MoveList(deal if isinstance(deal, int) else None, steps)


def _no_solution() -> UsageError:
    return UsageError('moves in JSON are {"deal": 617, "solution": ["6a", "b7", ..]}, as `solve --json` prints them')
