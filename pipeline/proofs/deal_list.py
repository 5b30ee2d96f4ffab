"""The deals that somebody wants proved: numbers, ranges, and files that list numbers."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.deals.notation import deal_number, deal_range, listed_deal
from pipeline.errors import UsageError
from pipeline.texts import read_text

MOST_DEALS = 1_000_000
"""More than that is a census: `run` searches first, which decides most deals in microseconds."""


def deals_named(words: Sequence[str]) -> list[int]:
    """The deals that words name, each once, in order.

    Parameters
    ----------
    words : sequence of str
        Each a deal number, a range A:B with both ends included, or a file: a number a line, `#` before comments.

    Raises
    ------
    UsageError
        If a file can't be read, a word or a line is no deal number, there is no deal, or there are too many.
    """
    deals: set[int] = set()
    for word in words:
        for first, last in _ranges(word):
            if len(deals) + last - first >= MOST_DEALS:
                raise UsageError(
                    f"more than {MOST_DEALS:,} deals: `run` decides a range, and proves what is unsolvable"
                )
            deals.update(range(first, last + 1))
    if not deals:
        raise UsageError(f"no deal number in {' '.join(words)}")
    return sorted(deals)


def _ranges(word: str) -> Iterator[tuple[int, int]]:
    if word.isdecimal():
        number = deal_number(word)
        yield number, number
    elif Path(word).is_file():
        yield from _listed(Path(word))
    elif ":" in word:
        yield deal_range(word)
    else:
        raise UsageError(f"{word!r} is no deal number, no range A:B, and no file")


def _listed(path: Path) -> Iterator[tuple[int, int]]:
    try:
        lines = read_text(path).splitlines()
    except OSError as error:
        raise UsageError(f"can't read {path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            deal = listed_deal(line)
        except UsageError as error:
            raise UsageError(f"{path}, line {number}: {error}") from None
        if deal:
            yield deal, deal
