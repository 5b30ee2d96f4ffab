"""Files that are there whole or not at all."""

import contextlib
import errno
import io
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from pipeline.places import Place, Remote
from pipeline.signals import ENDING

_UNFINISHED = ".unfinished"
_TEMPORARY = re.compile(rf"\.(.+)\.[0-9]+{re.escape(_UNFINISHED)}")


@contextmanager
def replacing(path: Place, aside: Place | None = None) -> Iterator[BinaryIO]:
    """Write a file under a temporary name; give it its name when all of it is on the disk.

    What was there before stays until then, and stays for good if the block is left by an exception, or the process by
    Ctrl-C or SIGTERM. A store takes an object whole or not at all: there, it is kept in memory until the block is left.
    A link that has the name is exchanged and never followed: who may plant one must not choose what is overwritten.

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
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is there and not a file")
    folder = path.parent if aside is None else aside
    temporary = folder / f".{path.name}.{os.getpid()}{_UNFINISHED}"
    with _gone_with_the_process(temporary):
        try:
            with named_as(path), open(temporary, "wb", opener=_through_no_link) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):  # a disk that may only be read refuses it too: that is not the news
                temporary.unlink()
            raise
    _sync_folder(path.parent)


@contextmanager
def named_as(path: Path) -> Iterator[None]:
    """Give errors of an open or a temporary file, such as that of a full disk, the name that the user knows."""
    try:
        yield
    except OSError as error:
        if error.filename is None or str(error.filename).endswith(_UNFINISHED):
            error.filename = str(path)
        raise


@contextmanager
def _gone_with_the_process(temporary: Path) -> Iterator[None]:
    """Remove a file before a signal ends the process; where a signal does anything else, that is kept."""

    def end(number: int, frame: FrameType | None) -> None:
        temporary.unlink(missing_ok=True)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    deadly = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        deadly = []  # only the main thread may say what a signal does
    for number in deadly:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in deadly:
            signal.signal(number, signal.SIG_DFL)


def open_in_place(path: Path) -> int:
    """A descriptor of a file that is read and appended to, made where it isn't there.

    Raises
    ------
    OSError
        If that can't be; ELOOP for a link, which is never followed.
    """
    return _through_no_link(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC)


def _through_no_link(path: str | Path, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def remove_leftovers(folder: Path, ours: Callable[[str], bool]) -> None:
    """Remove what killed processes didn't finish.

    Parameters
    ----------
    folder : Path
    ours : callable
        Whether a file of this name is written only by who holds the folder's lock, which is the caller.
    """
    for path in folder.glob(f".*{_UNFINISHED}"):
        parts = _TEMPORARY.fullmatch(path.name)
        if parts and ours(parts[1]):
            path.unlink()


def _sync_folder(folder: Path) -> None:
    """The new name is on the disk only when the folder is; CIFS and FUSE sync no folders."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS):
            raise
    finally:
        os.close(descriptor)
