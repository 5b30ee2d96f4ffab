"""The signature of the search: the positions that it expands over a fixed range, as a number that git tracks.

A change to the search changes it on purpose, in the same commit, or not at all.
"""

from pathlib import Path

from pipeline.config import PROJECT
from pipeline.errors import UsageError

FIRST, LAST = 1, 32_000
"""The deals that it is counted over."""

FILE = PROJECT / "tests" / "data" / "signature.txt"


def announced(file: Path) -> int | None:
    """The number in the file; None where there is no file.

    Raises
    ------
    UsageError
        If the file holds something else than a number.
    """
    try:
        text = file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    if not text.isdecimal():
        raise UsageError(f"{file}: {text!r} is no signature: a number of positions is")
    return int(text)


def sentence(before: int | None, now: int, file: Path) -> str:
    """The message that compares the announced signature with the counted one."""
    over = f"positions over {FIRST:,}..{LAST:,}"
    if now == before:
        return f"signature: {now:,} {over}, as announced"
    was = "none is announced" if before is None else f"{before:,} is announced"
    return f"SIGNATURE CHANGED: {now:,} {over}, but {was}. If the change is meant: echo {now} > {file}"
