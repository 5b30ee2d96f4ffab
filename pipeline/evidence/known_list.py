"""Published lists of unsolvable deals: a number a line, and lines that say what the list is about.

`# range FIRST LAST` says which deals are covered, `# game NAME` and `# cells NUMBER` say by which rules they are
unsolvable.
"""

from typing import NamedTuple

from pipeline.config import Game
from pipeline.deals.notation import deal_range, listed_deal
from pipeline.errors import UsageError
from pipeline.evidence.ranges import hold, joined
from pipeline.places import Place
from pipeline.texts import read_text


class Known(NamedTuple):
    """A list of unsolvable deals.

    Attributes
    ----------
    ranges : list of (int, int)
        What it covers, in order and apart, ends included.
    deals : frozenset of int
    rules : Game
        The game that it is about.
    named : bool
        Whether the list says so itself. One that doesn't is taken as a list for FreeCell with 4 cells.
    """

    ranges: list[tuple[int, int]]
    deals: frozenset[int]
    rules: Game = Game()
    named: bool = False

    @property
    def about(self) -> str:
        """The game that it is about, in words."""
        return str(self.rules) if self.named else f"{self.rules}, since it names no game"

    def is_about(self, rules: Game) -> bool:
        """Whether it is about this game."""
        return (self.rules.game, self.rules.cells) == (rules.game, rules.cells)

    def covers(self, deal: int) -> bool:
        """Whether the list says something about a deal."""
        return hold(self.ranges, deal)

    def overlap(self, first: int, last: int) -> list[tuple[int, int]]:
        """The parts of a range that the list covers."""
        parts = [(max(first, low), min(last, high)) for low, high in self.ranges]
        return sorted((low, high) for low, high in parts if low <= high)


def load(path: Place) -> Known:
    """Read a list.

    Raises
    ------
    UsageError
        If the file can't be read, a line is none of a list, a number lies outside the ranges, there is no range, or
        it names no game of ours, or two.
    """
    try:
        lines = read_text(path).splitlines()
    except OSError as error:
        raise UsageError(f"can't read the known list {path}: {error.strerror}; --known names another") from error
    ranges, deals = [], set()
    said: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        try:
            match line.removeprefix("#").split():
                case ["range", *ends] if line.startswith("#"):
                    ranges.append(deal_range(":".join(ends)))
                case ["game" | "cells" as key, value] if line.startswith("#"):
                    if said.setdefault(key, value) != value:
                        raise UsageError(f"{key} {value}, after {key} {said[key]}: a list is about one game")
                case _:
                    if deal := listed_deal(line):
                        deals.add(deal)
        except UsageError as error:
            raise UsageError(f"{path}, line {number}: {error}") from None
    known = Known(joined(ranges), frozenset(deals), _rules(path, said), bool(said))
    if not ranges:
        raise UsageError(f"{path} does not say what it covers: a line `# range FIRST LAST` is needed")
    if stray := sorted(deal for deal in deals if not known.covers(deal)):
        raise UsageError(f"{path}: {stray[0]} lies outside the ranges of the list")
    return known


def _rules(path: Place, said: dict[str, str]) -> Game:
    cells = said.get("cells", "4")
    try:
        return Game(said.get("game", "freecell"), int(cells) if cells.isdecimal() else -1)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
