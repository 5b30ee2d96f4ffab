"""Published lists of unsolvable deals: a number a line, and `# range FIRST LAST` lines that say what is covered."""

from typing import NamedTuple

from pipeline.deals.notation import deal_range, listed_deal
from pipeline.errors import UsageError
from pipeline.evidence.ranges import hold, joined
from pipeline.places import Place
from pipeline.texts import read_text


class Known(NamedTuple):
    """A list: the ranges it covers, in order and apart, ends included, and its deals."""

    ranges: list[tuple[int, int]]
    deals: frozenset[int]

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
        If the file can't be read, a line is none of a list, a number lies outside the ranges, or there is no range.
    """
    try:
        lines = read_text(path).splitlines()
    except OSError as error:
        raise UsageError(f"can't read the known list {path}: {error.strerror}; --known names another") from error
    ranges, deals = [], set()
    for number, line in enumerate(lines, 1):
        try:
            match line.removeprefix("#").split():
                case ["range", *ends] if line.startswith("#"):
                    ranges.append(deal_range(":".join(ends)))
                case _:
                    if deal := listed_deal(line):
                        deals.add(deal)
        except UsageError as error:
            raise UsageError(f"{path}, line {number}: {error}") from None
    known = Known(joined(ranges), frozenset(deals))
    if not ranges:
        raise UsageError(f"{path} does not say what it covers: a line `# range FIRST LAST` is needed")
    if stray := sorted(deal for deal in deals if not known.covers(deal)):
        raise UsageError(f"{path}: {stray[0]} lies outside the ranges of the list")
    return known
