"""Replays a list of moves, and says where it ends: complete, legal but not finished, or at the first wrong move.

Lists leave things unsaid: which cards go home by themselves, how many cards move to an empty column. So a list is read
in several ways, the plainest first, and the first that completes the game counts. Where the number of cards is open,
all are tried, back from the last one. Whatever is read becomes single-card moves, and the referee answers.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernels.dealing import deal_one
from kernels.layout import COLUMNS, Layout, layout_of
from kernels.referee import UNFINISHED, replay_from
from kernels.rules import Rules
from pipeline.deals.move_lists import Step, parse_moves
from pipeline.deals.notation import deal_number
from pipeline.deals.table import HOME, IMPOSSIBLE, Table, check_cells, checked_rules, layout_json, layout_lines
from pipeline.errors import UsageError
from pipeline.progress import counted

NONE, SAFE, SAFE_FAR, ALL = "none", "safe", "safe, with a card that may be next itself", "all"
"""Which cards go home by themselves. `Table.goes_safely` says what is safe."""

COMPLETE, LEGAL, ILLEGAL = "complete", "unfinished", "illegal"


class Reading(NamedTuple):
    """One way to read a list.

    Attributes
    ----------
    automatic : str
        Which cards go home by themselves.
    at_once : bool
        Whether they do so before the first move, too.
    whole_runs : bool
        Whether as many cards as can go to an empty column are tried first, or a single one.
    """

    automatic: str
    at_once: bool
    whole_runs: bool


READINGS = [
    Reading(automatic, at_once, whole_runs)
    for automatic in (NONE, SAFE, SAFE_FAR, ALL)
    for at_once in ((False,) if automatic == NONE else (False, True))
    for whole_runs in (True, False)
]


MOST_MOVES = 10_000
MOST_STEPS = 20_000
"""Moves that one reading plays, with all that it tries."""


class Played(NamedTuple):
    """A list played in one way, up to the first wrong move or the end.

    Attributes
    ----------
    table : Table
    ends : list of int
        Single-card moves made before the first move of the list, and after each that was played.
    runs : bool
        Whether a move took more than one card.
    fewer : list of int
        Numbers of the moves that took fewer cards to an empty column than could go.
    fault : str, optional
        Why the last move is wrong, where it is.
    """

    table: Table
    ends: list[int]
    runs: bool = False
    fewer: tuple[int, ...] = ()
    fault: str | None = None

    @property
    def steps(self) -> int:
        """Moves of the list that were played, a wrong one included."""
        return len(self.ends) - 1


@dataclass(frozen=True)
class Replay:
    """What a list of moves comes to.

    Attributes
    ----------
    answer : str
        `complete`, `unfinished` (legal, but cards are left) or `illegal`.
    deal : int, optional
        Number of the deal where it is known.
    written : int
        Moves of the list that were played.
    moves : int
        Single-card moves that these are.
    home : int
        Cards that are home then.
    runs : bool
        Whether some move took several cards.
    fewer : tuple of int
        Moves of the list that took fewer cards to an empty column than could go, without a word about it.
    reading : Reading
    wrong : Step, optional
        The first wrong move.
    because : str, optional
        Why it is wrong.
    layout : Layout
        Where the cards lie then.
    """

    answer: str
    deal: int | None
    written: int
    moves: int
    home: int
    runs: bool
    fewer: tuple[int, ...]
    reading: Reading
    wrong: Step | None
    because: str | None
    layout: Layout

    @property
    def status(self) -> int:
        """0 complete, 1 anything else."""
        return 0 if self.answer == COMPLETE else 1

    def lines(self) -> list[str]:
        """The answer, how the list was read, and unless it is complete, the position that it leads to."""
        told = [self._answer(), f"read with {self._reading()}"]
        return told if self.answer == COMPLETE else [*told, "", *layout_lines(self.layout)]

    def _answer(self) -> str:
        if self.wrong is not None:
            text = f" ({self.wrong.text})" if len(self.wrong.text) < 10 else f": {self.wrong.text}:"
            return f"illegal at move {self.written + 1}{text} in {self.wrong.where}, because {self.because}"
        played = f"{self.written} moves, {self.moves} single cards"
        if self.answer == COMPLETE:
            return f"complete: {played}"
        return f"legal but not finished: {played}, {self.home} cards home"

    def _reading(self) -> str:
        cards = "runs as one move" if self.runs else "single cards"
        if self.runs and self.fewer:
            cards += f"; to an empty column went fewer cards than could go: {counted(len(self.fewer), 'time')}"
        begin = ", also before the first move" if self.reading.at_once else ""
        return f"{cards}; automatic moves: {self.reading.automatic}{begin}"

    def as_json(self) -> dict[str, Any]:
        """The same as one object; `move` and `because` are null unless a move is illegal."""
        return {
            "deal": self.deal,
            "answer": self.answer,
            "written": self.written,
            "moves": self.moves,
            "home": self.home,
            "runs": self.runs,
            "fewer": list(self.fewer),
            "automatic": self.reading.automatic,
            "at_once": self.reading.at_once,
            "move": None if self.wrong is None else self.written + 1,
            "text": None if self.wrong is None else self.wrong.text,
            "where": None if self.wrong is None else self.wrong.where,
            "because": self.because,
            "position": layout_json(self.layout),
        }


def replay_deal(deal: int | None, text: str, cells: int = 4, game: str = "freecell") -> Replay:
    """Replay the moves of a deal.

    Parameters
    ----------
    deal : int, optional
        Its number, unless the text says it.
    text : str
        The moves, as `move_lists.parse_moves` reads them.
    cells : int
        Number of cells, 0 to 8.
    game : str
        `freecell`, or `bakers`.

    Raises
    ------
    UsageError
        If the text is no list of moves, or nothing says which deal they are of, or a parameter is out of its range.
    """
    rules = checked_rules(cells, game)
    moves = parse_moves(text, deal)
    number = moves.deal if deal is None else deal
    if number is None:
        raise UsageError("whose moves are these? give the number of the deal, or its board with --board FILE")
    return replay(layout_of(deal_one(deal_number(str(number)))), rules, moves.steps, number)


def replay_layout(layout: Layout, text: str, cells: int = 4, game: str = "freecell") -> Replay:
    """Replay moves from a layout, perhaps in mid-game; the rest is as in `replay_deal`."""
    return replay(layout, checked_rules(cells, game), parse_moves(text).steps)


def replay(layout: Layout, rules: Rules, steps: list[Step], deal: int | None = None) -> Replay:
    """Replay a list of moves.

    Parameters
    ----------
    layout : Layout
        Where it begins.
    rules : Rules
    steps : list of Step
        As `parse_moves` gives them.
    deal : int, optional
        Number of the deal where it is known.

    Raises
    ------
    UsageError
        If the position has cards in more cells than there are, or the list is too long.
    """
    check_cells(layout, rules)
    if len(steps) > MOST_MOVES:
        raise UsageError(f"a list of {len(steps)} moves: at most {MOST_MOVES} are replayed")
    best: Replay | None = None
    for reading in READINGS:
        told = _judged(layout, rules, steps, deal, reading)
        if told.answer == COMPLETE:
            return told
        if best is None or (told.answer == LEGAL, told.written) > (best.answer == LEGAL, best.written):
            best = told
    assert best is not None
    return best


def _judged(layout: Layout, rules: Rules, steps: list[Step], deal: int | None, reading: Reading) -> Replay:
    """What the referee says of a list that is read in one way."""
    played = _played(layout, rules, steps, reading)
    refused = replay_from(layout, rules, np.frombuffer(bytes(played.table.moves), np.uint8))
    answer = ILLEGAL if refused > 0 else LEGAL if refused == UNFINISHED else COMPLETE
    written, moves = len(steps), len(played.table.moves)
    wrong, because = None, None
    if refused > 0:
        written, moves = bisect_left(played.ends, refused) - 1, refused - 1
        wrong, because = steps[written], played.fault or "the referee refuses it"
    return Replay(
        answer=answer,
        deal=deal,
        written=written,
        moves=moves,
        home=sum(played.table.home),
        runs=played.runs,
        fewer=played.fewer,
        reading=reading,
        wrong=wrong,
        because=because,
        layout=played.table.layout(),
    )


def _played(layout: Layout, rules: Rules, steps: list[Step], reading: Reading) -> Played:
    """Play a list in one way; the furthest that this comes to, over all numbers of cards where one is open."""
    table = Table(layout, rules)
    if reading.at_once:
        _go_home(table, reading.automatic)
    furthest = Played(table, [len(table.moves)])
    waiting = [furthest]
    for _ in range(MOST_STEPS + len(steps)):
        if not waiting:
            break
        played = waiting.pop()
        if played.fault is None and played.steps < len(steps):
            waiting += reversed(list(_next(played, steps[played.steps], reading)))
        elif played.fault is None and played.table.is_won:
            return played
        elif (played.fault is None, played.steps) > (furthest.fault is None, furthest.steps) or not furthest.steps:
            furthest = played
    return furthest


def _next(played: Played, step: Step, reading: Reading) -> Iterator[Played]:
    """What one more move comes to, for each number of cards that it may take."""
    numbers = _numbers(played.table, step, reading.whole_runs)
    for number in numbers:
        table = played.table.copy() if len(numbers) > 1 else played.table
        fault = _make(table, step, number)
        if fault is None:
            _go_home(table, reading.automatic)
        fewer = (*played.fewer, played.steps + 1) if number < max(numbers) else played.fewer
        yield Played(table, [*played.ends, len(table.moves)], played.runs or number > 1, fewer, fault)


def _numbers(table: Table, step: Step, whole_runs: bool) -> list[int]:
    """The numbers of cards that a move may take, in the order in which they are tried."""
    source, target = step.source, step.target
    if step.cards is not None:
        return [step.cards]
    if source >= COLUMNS or target >= COLUMNS or not table.columns[source]:
        return [1]
    if table.columns[target]:
        return [_fitting(table, source, target)]
    largest = min(table.run(source), table.capacity(target))
    others = list(range(largest - 1, 1, -1))
    return [1] if largest == 1 else [largest, 1, *others] if whole_runs else [1, largest, *others]


def _fitting(table: Table, source: int, target: int) -> int:
    """Number of cards of a run whose lowest fits on the target; 1 where none does."""
    cards, beneath = table.columns[source], table.columns[target][-1]
    return next((count for count in range(1, table.run(source) + 1) if table.fits(cards[-count], beneath)), 1)


def _make(table: Table, step: Step, count: int) -> str | None:
    """Make a move, if it isn't wrong; why it is. A single card that can't go is shown to the referee as it is."""
    if count == 1:
        fault = table.fault(step.source, step.target)
        table.move(step.source, step.target)
        return fault
    fault = table.fault_of_run(count, step.source, step.target)
    if fault:
        table.moves.append(IMPOSSIBLE)
    else:
        table.move_run(count, step.source, step.target)
    return fault


def _go_home(table: Table, automatic: str) -> None:
    """Send home what goes by itself, until nothing more does."""
    while automatic != NONE and (place := next(_automatic(table, automatic), None)) is not None:
        table.move(place, HOME)


def _automatic(table: Table, automatic: str) -> Iterator[int]:
    for place in range(COLUMNS + len(table.cells)):
        card = table.card(place)
        goes = card is not None and table.is_home_next(card)
        if card is not None and goes and (automatic == ALL or table.goes_safely(card, automatic == SAFE_FAR)):
            yield place
