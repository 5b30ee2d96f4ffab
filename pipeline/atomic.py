"""Files that are there whole or not at all."""

import io
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from pipeline.places import Place, Remote

_UNFINISHED = ".unfinished"


@contextmanager
def replacing(path: Place, aside: Place | None = None) -> Iterator[BinaryIO]:
    """Write a file under a temporary name; give it its name when all of it is on the disk.

    What was there before stays until then, and stays for good if the block is left by an exception, or the process by
    Ctrl-C or SIGTERM. A store takes an object whole or not at all: there, it is kept in memory until the block is left.

    Parameters
    ----------
    path : Place
        The file.
    aside : Place, optional
        Folder of the unfinished file, on the same disk; by default that of the file.

    Yields
    ------
    BinaryIO
        To be written to.

    Raises
    ------
    OSError
        If the folder can't be written or the disk is full, or if `path` is no place for a file.
    """
    if isinstance(path, Remote):
        content = io.BytesIO()
        yield content
        path.write_bytes(content.getvalue())
    else:
        assert not isinstance(aside, Remote)
        with _replacing_here(path, aside) as file:
            yield file


@contextmanager
def _replacing_here(path: Path, aside: Path | None) -> Iterator[BinaryIO]:
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is there and not a file")
    folder = path.parent if aside is None else aside.resolve()
    temporary = folder / f".{path.name}.{os.getpid()}{_UNFINISHED}"
    with _gone_with_the_process(temporary):
        try:
            file = temporary.open("wb")
        except OSError as error:
            error.filename = str(path)  # report the name the user gave, not the temporary one
            raise
        try:
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    _sync_folder(path.parent)


@contextmanager
def _gone_with_the_process(temporary: Path) -> Iterator[None]:
    """Remove a file before a signal ends the process; where a signal does anything else, that is kept."""

    def end(number: int, frame: FrameType | None) -> None:
        temporary.unlink(missing_ok=True)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    deadly = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        deadly = []  # only the main thread may say what a signal does
    for number in deadly:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in deadly:
            signal.signal(number, signal.SIG_DFL)


def remove_leftovers(folder: Path) -> None:
    """Remove what killed processes didn't finish. Only for a folder that no other process writes to."""
    for path in folder.glob(f".*{_UNFINISHED}"):
        path.unlink()


def _sync_folder(folder: Path) -> None:
    """The new name is on the disk only when the folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
