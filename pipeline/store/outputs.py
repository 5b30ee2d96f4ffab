"""Where a command may write a file that somebody asked for.

Never over what it reads, never over a file of a run, and over another file only where that is of the kind that the
command writes itself: a report replaces a report.
"""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import UsageError
from pipeline.places import Place, Remote
from pipeline.store.folder import CONFIG, LOCK, PROOFS, SUMMARY
from pipeline.store.log import LOG
from pipeline.store.parquet import DEALS

MARKS = (CONFIG, LOG, LOCK, PROOFS)
"""A folder that holds one of these is that of a run."""

HEAD = 16_384
"""Bytes at the beginning of a text that tell its kind."""

_ROWS = re.compile(r"(deals|proofs)-\d{10}-\d{10}\.parquet")


class Kind(NamedTuple):
    """A kind of files that a command writes.

    Attributes
    ----------
    name : str
        As `a report`.
    has : callable
        Whether an open file is of this kind.
    """

    name: str
    has: Callable[[Any], bool]


def text_kind(name: str, head: bytes) -> Kind:
    """Texts whose beginning matches a regular expression."""
    pattern = re.compile(head, re.DOTALL)
    return Kind(name, lambda file: pattern.match(file.read(HEAD)) is not None)


def parquet_kind(name: str, columns: Sequence[str]) -> Kind:
    """Parquet files whose first columns have these names."""

    def has(file: Any) -> bool:
        try:
            return list(pq.read_schema(file).names[: len(columns)]) == list(columns)
        except pa.ArrowException:
            return False

    return Kind(name, has)


def allowed(path: Place, kind: Kind, reads: Sequence[Place] = (), own: bool = False) -> Place:
    """The place of a file that is to be written, links followed.

    Parameters
    ----------
    path : Place
        What somebody named, or the name that the command has for it in a run's folder.
    kind : Kind
        What is to be written. An empty file, as `mktemp` makes it, is of any kind.
    reads : sequence of Place
        Files that the command reads.
    own : bool
        Whether the command chose the name itself: then no link is followed, and a summary may take a summary's place.

    Raises
    ------
    UsageError
        If that is a file which the command reads, one of another kind, or a place for a file that a run keeps: rows,
        configuration, log, lock, summary.
    OSError
        If a file is there and can't be read.
    """
    target = path if own or isinstance(path, Remote) else _followed(path)
    if any(_same(target, read) for read in reads):
        raise UsageError(f"--out {path} is what the command reads: take another name")
    if not (own and target.name == SUMMARY) and _is_of_a_run(target):
        raise UsageError(f"--out {path} is a place for files of a run alone: take another name")
    if isinstance(target, Path) and not target.parent.is_dir():
        raise UsageError(f"--out {path}: there is no folder {target.parent}")
    if not _is_link(target) and target.is_file() and not _is_of(kind, target):
        raise UsageError(f"{path} is there and is not {kind.name}: take another name with --out, or move it away")
    return target


def _is_link(target: Place) -> bool:
    """Whether a name is a link, which is exchanged without a look at what it leads to."""
    return isinstance(target, Path) and target.is_symlink()


def _is_of(kind: Kind, target: Place) -> bool:
    with target.open("rb") as file:
        if not file.read(1):
            return True
        file.seek(0)
        return kind.has(file)


def _followed(path: Path) -> Path:
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise UsageError(f"--out {path} is a link that leads back to itself: take another name")
    return target


def _same(target: Place, read: Place) -> bool:
    if isinstance(target, Path) and isinstance(read, Path):
        return target.exists() and read.exists() and target.samefile(read)
    if isinstance(target, Remote) and isinstance(read, Remote):
        return bool(target.path.strip("/") == read.path.strip("/") and target.filesystem.equals(read.filesystem))
    return False


def _is_of_a_run(target: Place) -> bool:
    folder = target.parent
    if folder.name == DEALS:
        return bool(_ROWS.fullmatch(target.name)) or _is_run(folder.parent)
    if _ROWS.fullmatch(target.name):
        return target.is_file() or _is_run(folder)
    return target.name in (*MARKS, SUMMARY) and _is_run(folder)


def _is_run(folder: Place) -> bool:
    return any((folder / mark).is_file() for mark in MARKS)
