"""The folder of a run: one process at a time, one configuration for good, and a log beside the shards."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from pipeline import config as configuration
from pipeline import store
from pipeline.chunks import missing, written
from pipeline.config import Config
from pipeline.errors import UsageError
from pipeline.files import remove_leftovers, replacing

CONFIG = "config.toml"
LOCK = "run.lock"
LOG = "run.jsonl"


class Log:
    """Lines of JSON about what happened when; results never depend on them."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, event: str, **entries: object) -> None:
        """Add a line: the time, the event, and what belongs to it."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._file.write(json.dumps({"time": now, "event": event, **entries}) + "\n")
        self._file.flush()


@contextmanager
def opened(folder: Path, config: Config) -> Iterator[Log]:
    """Make the folder, or go on with it: locked, of this configuration and these kernels, without leftovers.

    Raises
    ------
    UsageError
        If another process runs here, or the folder's results are of another configuration or other sources.
    OSError
        If the folder can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        remove_leftovers(folder)
        _check(folder, config)
        with replacing(folder / CONFIG) as file:
            file.write(configuration.dump(config).encode())
        with (folder / LOG).open("a", encoding="utf-8") as file:
            if file.tell() and not (folder / LOG).read_bytes().endswith(b"\n"):
                file.write("\n")  # a crash cut the last line short
            yield Log(file)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the system drops it with the process, however that ends."""
    with (folder / LOCK).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise UsageError(f"process {file.read().strip()} is running in {folder}") from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _check(folder: Path, config: Config) -> None:
    if (folder / CONFIG).exists():
        if keys := configuration.differences(configuration.load(folder / CONFIG), config):
            raise UsageError(
                f"{folder} holds results of another configuration ({', '.join(keys)}): "
                "take another folder with --out, or give back the old values"
            )
    elif written(folder):
        raise UsageError(f"{folder} holds shards but no {CONFIG}: take another folder with --out")
    missing(config, folder)
    ours = store.provenance(config)
    for shard in written(folder):
        theirs = store.footer(folder, shard).provenance
        if theirs != ours:
            both = zip(ours._fields, theirs, ours, strict=True)
            keys = [f"{key} {old} there, {new} here" for key, old, new in both if old != new]
            raise UsageError(
                f"{folder / shard.name} was written by another program ({'; '.join(keys)}): "
                "take another folder with --out"
            )


def kept_config(folder: Path) -> Config:
    """The configuration that a run keeps with its results.

    Raises
    ------
    UsageError
        If this is not the folder of a run.
    """
    if not (folder / CONFIG).is_file():
        raise UsageError(f"{folder} is not the folder of a run: it has no {CONFIG}")
    return configuration.load(folder / CONFIG)
