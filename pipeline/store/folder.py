"""The folder of a run. One process at a time writes to it, and its configuration is fixed.

DIR/config.toml     the configuration, every key written out
DIR/run.jsonl       what happened when
DIR/run.lock        which process runs here
DIR/deals/          the shards, and nothing else: any Parquet reader takes this folder as one table
DIR/.*.unfinished   a file being written, or what a killed process left of it
DIR/part-K-of-N/    the same for a part of a census
"""

import errno
import fcntl
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline import config as configuration
from pipeline.atomic import named_as, open_in_place, remove_leftovers, replacing
from pipeline.config import Config
from pipeline.errors import UsageError
from pipeline.places import Place, Remote
from pipeline.progress import counted
from pipeline.shards import WHOLE, Part, Shard, shard_named, shards
from pipeline.store import log, parquet
from pipeline.store.log import LOG, FileLog, Log, ObjectLog
from pipeline.store.parquet import DEALS, Counts

CONFIG = "config.toml"
SUMMARY = "summary.json"
PROOFS = "prove.json"
"""What a folder of proofs is about, as CONFIG is for a census."""

KINDS = {CONFIG: "a census", PROOFS: "proofs"}
"""What a folder holds, by the file that says so."""

LOCK = "run.lock"

LOOKS, BETWEEN = 5, 0.1
"""How often a run looks whether the folder is free, and seconds between: `status` holds the lock for a moment."""
FOR_PARTS = 100
"""How often the run of a part looks: all tasks of an array may begin at once, and each holds the lock for a moment."""

_PART = re.compile(r"part-(\d+)-of-(\d+)")


def written(folder: Place) -> list[Shard]:
    """The shards that the folder of a run holds, by the names of its files, in order of deals.

    Raises
    ------
    UsageError
        If they lie where older versions kept them.
    """
    if stray := sorted(path.name for path in folder.iterdir() if shard_named(path.name)):
        raise UsageError(
            f"{folder} holds {stray[0]} beside its configuration, where older versions wrote shards; "
            f"they belong into {folder / DEALS}: make that folder, and move all deals-*.parquet there"
        )
    deals = folder / DEALS
    inside = deals.iterdir() if deals.is_dir() else ()
    return sorted(shard for path in inside if (shard := shard_named(path.name)))


def missing(config: Config, folder: Place, part: Part = WHOLE) -> list[Shard]:
    """The shards of a part of a census that a folder does not hold yet.

    Raises
    ------
    UsageError
        If the folder holds a shard that this census doesn't have.
    """
    there = set(written(folder))
    if strange := sorted(there.difference(shards(config))):
        path = parquet.shard_path(folder, strange[0])
        raise UsageError(f"{path} is no shard of the census {config.name!r}: move it away")
    return [shard for shard in shards(config, part) if shard not in there]


def folder_of(config: Config, out: Place | None, part: Part) -> Place:
    """The folder that a run writes to: `out` or results/NAME and, for a part, a folder of its own in there.

    Raises
    ------
    UsageError
        If the whole census or other parts are there, so that deals would be in two shards of one result, or if
        something lies there that is of no run.
    """
    whole = out or Path("results") / config.name
    _refuse_foreign(whole)
    if part == WHOLE:
        _refuse_parts(whole)
        return whole
    if part.of > (number := len(shards(config))):
        raise UsageError(f"part {part}: the census has {number} shards, give N from 1 to {number}")
    name = f"part-{part.number:0{len(str(part.of))}}-of-{part.of}"
    if _PART.fullmatch(whole.name):
        raise UsageError(f"--out {whole}: with --part, this is the folder that all parts are in")
    if others := [other.name for other in parts_in(whole) if not other.name.endswith(f"-of-{part.of}")]:
        raise UsageError(f"{whole} holds other parts ({others[0]}): go on with those, or take another --out")
    if (whole / CONFIG).is_file():
        raise UsageError(f"{whole} holds a run without --part: go on with it, or take another --out")
    return whole / name


def found(config: Config, out: Place | None, part: Part) -> Place:
    """The folder that a run writes to; that of a part is made while no run of the whole can begin.

    Raises
    ------
    UsageError
        As `folder_of` does, also where the whole census is being run.
    """
    folder = folder_of(config, out, part)
    if part == WHOLE or isinstance(folder, Remote):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.parent, FOR_PARTS):
        folder_of(config, out, part)
        folder.mkdir(exist_ok=True)
    return folder


def _refuse_foreign(folder: Place) -> None:
    """Refuse a folder in which something lies and no run has ever been; hidden files are nobody's."""
    if not folder.is_dir():
        return
    names = sorted(entry.name for entry in folder.iterdir())
    if {*KINDS, LOG, LOCK} & set(names) or any(map(_PART.fullmatch, names)):
        return
    if foreign := [name for name in names if not name.startswith(".") and name != DEALS]:
        more = f" and {counted(len(foreign) - 1, 'other')}" if len(foreign) > 1 else ""
        raise UsageError(f"{folder} holds {foreign[0]}{more}, and no run: take an --out that is new or empty")


def _refuse_parts(whole: Place) -> None:
    if there := parts_in(whole):
        raise UsageError(f"{whole} holds parts ({there[0].name}): go on with --part, or take another --out")


def parts_in(folder: Place) -> list[Place]:
    """The folders of parts that are in a folder, in order."""
    if not folder.is_dir():
        return []
    inside: list[Place] = [entry for entry in folder.iterdir() if _PART.fullmatch(entry.name)]
    return sorted(inside, key=lambda entry: entry.name)


@contextmanager
def owned(folder: Place, config: Config) -> Iterator[tuple[Log, dict[Shard, Counts]]]:
    """Make the folder, or go on with it: locked, of this configuration and these kernels, without leftovers.

    Gives the log, and deals by verdict in each shard that is there.

    Raises
    ------
    UsageError
        If another process runs here, or the folder's results are of another configuration or other sources.
    OSError
        If the folder can't be written.
    """
    with held(folder) as log:
        _refuse_parts(folder)
        counts = check(folder, config)
        if isinstance(folder, Path):
            remove_leftovers(folder, lambda name: name == CONFIG or shard_named(name) is not None)
        with replacing(folder / CONFIG) as file:
            file.write(configuration.dump(config).encode())
        yield log, counts


@contextmanager
def held(folder: Place, kind: str = CONFIG) -> Iterator[Log]:
    """Make a folder and have it alone: by a lock where there are locks, by the log where there are none.

    Raises
    ------
    UsageError
        If it is in use, holds what is of no run or of another kind, or is no place for a folder.
    OSError
        If it can't be written.
    """
    _refuse_foreign(folder)
    if others := [KINDS[mark] for mark in KINDS if mark != kind and (folder / mark).is_file()]:
        raise UsageError(f"{folder} holds {others[0]}: take another --out")
    for inside in (folder, folder / DEALS):
        try:
            inside.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            what = "a link that leads nowhere" if Path(str(error.filename)).is_symlink() else "no folder"
            raise UsageError(f"{error.filename} is {what}: take another --out") from error
    if isinstance(folder, Remote):
        if is_active(folder) is None:
            print(
                f"a run in {folder} has left no end: should it still be running, it ends when it next writes",
                file=sys.stderr,
            )
        yield ObjectLog(folder / LOG)
        return
    # Unbuffered: a line that failed on a full disk is not retried on close.
    with _locked(folder), os.fdopen(_opened(folder / LOG), "ab", buffering=0) as file:
        if (folder / LOG).stat().st_size and not (folder / LOG).read_bytes().endswith(b"\n"):
            with named_as(folder / LOG):
                file.write(b"\n")  # a crash cut the last line short
        yield FileLog(folder / LOG, file)


@contextmanager
def _locked(folder: Path, looks: int = LOOKS) -> Iterator[None]:
    """Hold the folder's lock; the system drops it with the process, however that ends."""
    with os.fdopen(_opened(folder / LOCK), "r+", encoding="utf-8") as file:
        for _ in range(looks):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(BETWEEN)
            except OSError as error:
                raise UsageError(
                    f"{folder / LOCK} can't be locked ({error.strerror}), so two runs might write here at once: take "
                    "an --out on a file system that has locks"
                ) from error
        else:
            file.seek(0)
            raise UsageError(f"process {file.read().strip()} is running in {folder}; `status` says how far it is")
        with named_as(folder / LOCK):
            file.truncate(0)
            os.write(file.fileno(), f"{os.getpid()}\n".encode())  # unbuffered, as the log is
        yield


def _opened(path: Path) -> int:
    try:
        return open_in_place(path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UsageError(f"{path} is a link, and a run writes through none: remove it") from error
        raise


def holder(folder: Path) -> int | None:
    """The process that wrote its number into the folder's lock last: the one that holds it, if one does."""
    try:
        return int((folder / LOCK).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # there is no lock, or the process has not written its number yet
        return None


def is_active(folder: Place) -> bool | None:
    """Whether a run is writing to a folder; None where that can't be known: a store, and no end in the log."""
    if isinstance(folder, Remote):
        events = log.events_of_last_run(folder)
        return None if events and events[-1]["event"] != log.STOP else False
    try:
        with (folder / LOCK).open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        pass  # no run was ever here, only its shards are
    except OSError:  # the lock can't be read, or the file system has no locks
        return None
    return False


def check(folder: Place, config: Config) -> dict[Shard, Counts]:
    """Make sure that a run may go on with what is in a folder: deals by verdict in each shard that is there.

    Raises
    ------
    UsageError
        If that is of another configuration or other sources.
    """
    if (folder / CONFIG).is_file():
        if keys := configuration.differences(configuration.load(folder / CONFIG), config):
            raise UsageError(
                f"{folder} holds results of another configuration ({', '.join(keys)}): "
                "take another folder with --out, or give back the old values"
            )
    elif written(folder):
        raise UsageError(f"{folder} holds shards but no {CONFIG}: take another folder with --out")
    missing(config, folder)
    ours = parquet.provenance(config)
    footers = parquet.footers(folder, written(folder))
    for shard, theirs, *_ in footers:
        if theirs != ours:
            both = zip(ours._fields, theirs, ours, strict=True)
            keys = [f"{key} {old} there, {new} here" for key, old, new in both if old != new]
            raise UsageError(
                f"{parquet.shard_path(folder, shard)} was written by another program ({'; '.join(keys)}): "
                "take another folder with --out"
            )
    return {footer.shard: footer.counts for footer in footers}


def _instead(folder: Place) -> str:
    """What is there where the folder of a run was looked for, and what to do."""
    if folder.is_file():
        inside = folder.parent.parent if folder.parent.name == DEALS else folder.parent
        run = inside if (inside / CONFIG).is_file() else None
        return f"it is a file; {f'give the whole folder, {run}' if run else '`diff` compares single files'}"
    if not folder.is_dir():
        return "nothing is there"
    if (folder / PROOFS).is_file():
        return f"it holds proofs; the `prove` that made it goes on there, and {folder / DEALS} has their counts"
    if folder.name == DEALS and (folder.parent / CONFIG).is_file():
        return f"it is the folder of its shards; give {folder.parent}"
    return f"it has no {CONFIG}"


def kept_config(folder: Place) -> Config:
    """The configuration that a run keeps with its results.

    Raises
    ------
    UsageError
        If this is not the folder of a run.
    """
    if not (folder / CONFIG).is_file():
        raise UsageError(f"{folder} is not the folder of a run: {_instead(folder)}")
    return configuration.load(folder / CONFIG)
