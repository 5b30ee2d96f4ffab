"""Solutions as players write them: a run as one move, each move with its words and the position after it."""

from typing import NamedTuple

from kernels.cards import name
from kernels.layout import COLUMNS, Layout
from kernels.rules import Rules
from pipeline.deals.notation import CELLS
from pipeline.deals.table import HOME, Table, layout_lines, named

TURNS_A_LINE = 10
LONGEST_RUN_MOVE = 256
"""Single-card moves that are looked at for the end of a run's move."""

_TO_CELL, _TO_HOME = 8, 9
"""Targets in the bytes of moves; cells as sources are 8 to 15."""


class Turn(NamedTuple):
    """One move of a player.

    Attributes
    ----------
    text : str
        In standard notation; `v` and a hexadecimal number say how many cards of a run go to an empty column.
    words : str
    after : Layout
        The position that it leads to.
    """

    text: str
    words: str
    after: Layout


def turns_of(layout: Layout, rules: Rules, moves: bytes) -> list[Turn]:
    """The moves of a solution, with runs put together where free cells and empty columns let them go as one.

    Parameters
    ----------
    layout : Layout
        Where it begins.
    rules : Rules
    moves : bytes
        Legal single-card moves, a byte each, as the referee takes them.
    """
    table = Table(layout, rules)
    steps = _steps(table.copy(), moves)
    turns = []
    while steps:
        count, length, target = _run(table, steps)
        source = steps[0][0]
        text, words = _said(table, source, target, count)
        for step in steps[:length]:
            table.move(*step)
        turns.append(Turn(text, words, table.layout()))
        steps = steps[length:]
    return turns


def _steps(table: Table, moves: bytes) -> list[tuple[int, int]]:
    """Source and target of each move, as places: a card goes to the first free cell, as with the referee."""
    steps = []
    for move in moves:
        source, target = divmod(move, 16)
        if target == _TO_CELL:
            target = COLUMNS + table.cells.index(None)
        elif target == _TO_HOME:
            target = HOME
        table.move(source, target)
        steps.append((source, target))
    return steps


def _run(table: Table, steps: list[tuple[int, int]]) -> tuple[int, int, int]:
    """The most cards that the next moves take as a run: their number, the number of moves, and where they go."""
    source, target = steps[0]
    best = (1, 1, target)
    trial = table.copy()
    taken: list[int | None] = []
    for length, (start, end) in enumerate(steps[:LONGEST_RUN_MOVE], 1):
        card = trial.card(start)
        if start == source:
            taken.append(card)
        if card not in taken or end in (source, HOME):
            break
        trial.move(start, end)
        together = end < COLUMNS and trial.columns[end] == table.columns[end] + taken[::-1]
        if len(taken) > 1 and together and table.fault_of_run(len(taken), source, end) is None:
            best = (len(taken), length, end)
    return best


def _said(table: Table, source: int, target: int, count: int) -> tuple[str, str]:
    """A move in standard notation, and in words."""
    onto = table.card(target) if target < COLUMNS else None
    empty = target < COLUMNS and onto is None
    text = _letter(source) + _letter(target) + (f"v{count:x}" if empty and count > 1 else "")
    moving = table.columns[source][-count:] if source < COLUMNS else [table.card(source)]
    cards = " ".join(name(card) for card in moving if card is not None)
    if target == HOME:
        return text, f"{cards} from {named(source)} home"
    place = f"{name(onto)} in {named(target)}" if onto is not None else f"{'empty ' * empty}{named(target)}"
    return text, f"{cards} from {named(source)} {'onto' if onto is not None else 'to'} {place}"


def _letter(place: int) -> str:
    if place == HOME:
        return "h"
    return str(place + 1) if place < COLUMNS else CELLS[place - COLUMNS]


def turn_lines(turns: list[Turn], long: bool = False, boards: bool = False) -> list[str]:
    """Moves as numbered lines: ten a line; or one, with its words, or with the position after it."""
    if not (long or boards):
        starts = range(0, len(turns), TURNS_A_LINE)
        return [f"{at + 1:>3}. {' '.join(turn.text for turn in turns[at : at + TURNS_A_LINE])}" for at in starts]
    lines = []
    for number, turn in enumerate(turns, 1):
        lines.append(f"{number:>3}. {turn.text}" + (f"  # {turn.words}" if long else ""))
        if boards:
            lines += ["", *layout_lines(turn.after), ""]
    return lines
