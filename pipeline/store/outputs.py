"""Where a command may write a file that somebody asked for: never over what it reads, never over a file of a run."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from pipeline.errors import UsageError
from pipeline.places import Place, Remote
from pipeline.store.folder import CONFIG, LOCK, PROOFS, SUMMARY
from pipeline.store.log import LOG
from pipeline.store.parquet import DEALS

MARKS = (CONFIG, LOG, LOCK, PROOFS)
"""A folder that holds one of these is that of a run."""

_ROWS = re.compile(r"(deals|proofs)-\d{10}-\d{10}\.parquet")


def allowed(path: Place, reads: Sequence[Place] = (), own: bool = False) -> Place:
    """The place of a file that is to be written, links followed.

    Parameters
    ----------
    path : Place
        What somebody named, or the name that the command has for it in a run's folder.
    reads : sequence of Place
        Files that the command reads.
    own : bool
        Whether the command chose the name itself: then no link is followed, and a summary may take a summary's place.

    Raises
    ------
    UsageError
        If that is a file which the command reads, or a place for a file that a run keeps: rows, configuration, log,
        lock, summary.
    """
    target = path if own or isinstance(path, Remote) else _followed(path)
    if any(_same(target, read) for read in reads):
        raise UsageError(f"--out {path} is what the command reads: take another name")
    if not (own and target.name == SUMMARY) and _is_of_a_run(target):
        raise UsageError(f"--out {path} is a place for files of a run alone: take another name")
    if isinstance(target, Path) and not target.parent.is_dir():
        raise UsageError(f"--out {path}: there is no folder {target.parent}")
    return target


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
