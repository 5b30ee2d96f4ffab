"""Standard streams: each is open, none stops a run, and nothing that was read from a file acts on the terminal."""

import io
import os
import sys
from collections.abc import Iterable
from typing import Any

MOST_SAID = 1_500
"""Characters of a message; of a longer one the middle is left out, as what to do stands at its end."""

_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
_BUT_RETURN = {code: escape for code, escape in _ESCAPES.items() if chr(code) != "\r"}


def plain(text: str) -> str:
    """A text whose control characters are written out; only tabs and line ends stay."""
    return text if text.isprintable() else text.translate(_ESCAPES)


def message(text: str) -> str:
    """A text as it is said to a person: plain, and not without an end."""
    if len(text) > MOST_SAID:
        half = MOST_SAID // 2
        text = f"{text[:half]} [{len(text) - 2 * half:,} characters left out] {text[-half:]}"
    return plain(text)


class Unprinted(Exception):
    """Standard output takes nothing more: a closed pipe, a full disk, a terminal that is gone."""


def put(texts: Iterable[str]) -> None:
    """Write an answer on standard output, all of it.

    Raises
    ------
    Unprinted
        From the OSError, if it can't be written; what is left of it goes nowhere.
    """
    try:
        for text in texts:
            try:
                sys.stdout.write(text)
            except OSError as error:  # not those of the texts, which may be read from files meanwhile
                raise Unprinted from error
        try:
            sys.stdout.flush()
        except OSError as error:
            raise Unprinted from error
    except Unprinted:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is buffered would fail again at the end
        raise


class _Unfailing(io.FileIO):
    """A stream for what a run says on the way: where it is full or gone, that is lost, and the run goes on."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


class _Errors(io.TextIOWrapper):
    """Standard error: plain texts, and the carriage return of a bar."""

    def write(self, text: str) -> int:
        return super().write(text if text.isprintable() else text.translate(_BUT_RETURN))


def hold_streams() -> None:
    """Open the null device for each standard stream that is closed, and let nothing that is written stop an answer.

    Otherwise the next file opened reuses the closed descriptor, and our messages end up inside a shard.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # opens as the lowest free descriptor, which is this one
            os.set_inheritable(number, True)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is sys.__stderr__:  # not the stream of a test or of a notebook
        encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
        raw = io.BufferedWriter(_Unfailing(2, "w", closefd=False))
        sys.stderr = _Errors(raw, encoding, "backslashreplace", line_buffering=True)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as standard error does: a folder's name may be any bytes
