"""Texts as people have them: with a byte order mark, from Windows, packed by gzip; never more of them than is sane."""

import codecs
import gzip
import io
import zlib
from pathlib import Path
from typing import BinaryIO

from pipeline.errors import UsageError
from pipeline.places import Place

MOST = 200_000_000
"""Characters and bytes of a text: some 18 million deal numbers."""

_PACKED = b"\x1f\x8b"
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_text(path: Place | int, name: object = None, most: int = MOST) -> str:
    """All of a text, without byte order mark.

    Parameters
    ----------
    path : Place or int
        The file, or the descriptor of one that is open and stays so.
    name : optional
        What the user calls it; by default the path.
    most : int
        Bytes that it may have, as it is and unpacked.

    Raises
    ------
    UsageError
        If it is longer, or no text.
    OSError
        If it can't be read.
    """
    name = path if name is None else name
    if isinstance(path, int | Path):
        with open(path, "rb", closefd=not isinstance(path, int)) as file:
            content = _bounded(file, most, name)
    else:
        with path.open("rb") as stored:
            content = _bounded(io.BufferedReader(stored), most, name)
    if content.startswith(_PACKED):
        try:
            with gzip.open(io.BytesIO(content)) as packed:
                content = _bounded(packed, most, name)
        except (OSError, EOFError, zlib.error) as error:
            raise UsageError(f"{name} can't be unpacked: {error}") from error
    try:
        return content.decode("utf-16" if content.startswith(_WIDE) else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is no text: {error}") from error


def _bounded(file: BinaryIO | gzip.GzipFile, most: int, name: object) -> bytes:
    content = file.read(most + 1)
    if len(content) > most:
        raise UsageError(f"{name} is longer than {most:,} bytes")
    return content
