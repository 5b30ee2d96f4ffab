"""Where results live: a folder of this machine, or one that `pyarrow.fs` opens by its URL.

A local place is a `Path`. A remote one has those of a path's verbs that results need; `write_bytes` puts a whole object
in one step, as stores do. Needs no Arrow until there is a URL.
"""

import errno
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlencode, urlsplit

from pipeline.errors import UsageError


class Unreachable(OSError):
    """A store doesn't answer, or refuses. This says nothing about the data in it."""


@dataclass(frozen=True)
class Remote:
    """A folder or a file in a store.

    Attributes
    ----------
    url : str
        As it was given, but for a password.
    path : str
        As the file system takes it.
    filesystem : pyarrow.fs.FileSystem
    """

    url: str
    path: str
    filesystem: Any = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.url

    def __truediv__(self, name: str) -> "Remote":
        url = urlsplit(self.url)
        url = url._replace(path=f"{url.path.rstrip('/')}/{name}")
        return Remote(url.geturl(), f"{self.path.rstrip('/')}/{name}", self.filesystem)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def parent(self) -> "Remote":
        """The folder that it is in."""
        url = urlsplit(self.url)
        above = url._replace(path=url.path.rstrip("/").rpartition("/")[0])
        return Remote(above.geturl(), self.path.rstrip("/").rpartition("/")[0], self.filesystem)

    def is_file(self) -> bool:
        """Whether there is a file, or an object."""
        return bool(self._info().is_file)

    def is_dir(self) -> bool:
        """Whether there is a folder, or an object whose name begins so."""
        return bool(self._info().type.name == "Directory")

    def mkdir(self, parents: bool, exist_ok: bool) -> None:
        """Make the folder, and those above it; a bucket only where the URL allows it."""
        assert parents
        assert exist_ok
        with self._errors_told():
            self.filesystem.create_dir(self.path)

    def iterdir(self) -> Iterator["Remote"]:
        """What is in the folder."""
        return (self / name for name in self.times())

    def times(self) -> dict[str, float]:
        """Names of what is in the folder, with the seconds since 1970 when it was written, by the store's own clock.

        A store has no empty folders: one that isn't there has nothing in it.
        """
        from pyarrow.fs import FileSelector

        with self._errors_told():
            entries = self.filesystem.get_file_info(FileSelector(self.path, allow_not_found=True))
        return {entry.base_name: (entry.mtime_ns or 0) / 1e9 for entry in entries}

    def below(self) -> Iterator[tuple[str, "Remote"]]:
        """Files in the folder and in those below it, with their paths from here."""
        from pyarrow.fs import FileSelector

        with self._errors_told():
            entries = self.filesystem.get_file_info(FileSelector(self.path, recursive=True))
        for entry in entries:
            if entry.is_file:
                name = entry.path.removeprefix(self.path.rstrip("/")).strip("/")
                yield name, self / name

    def open(self, mode: str) -> "Reading":
        """A file to be read from; only mode "rb"."""
        assert mode == "rb"
        with self._errors_told():
            return Reading(self, self.filesystem.open_input_file(self.path))

    def read_bytes(self) -> bytes:
        """All that is in the file."""
        with self.open("rb") as file:
            return file.read()

    def read_text(self, encoding: str) -> str:
        """All that is in the file, as text."""
        return self.read_bytes().decode(encoding)

    def write_bytes(self, content: bytes) -> None:
        """Make the object, or exchange it: all of it or, where that fails, nothing."""
        with self._errors_told(), self.filesystem.open_output_stream(self.path) as stream:
            stream.write(content)

    def _info(self) -> Any:
        with self._errors_told():
            return self.filesystem.get_file_info(self.path)

    @contextmanager
    def _errors_told(self) -> Iterator[None]:
        """Errors as those of a path are: with a number, a reason and a name."""
        try:
            yield
        except FileNotFoundError:
            raise FileNotFoundError(errno.ENOENT, "no such object", str(self)) from None
        except (OSError, ValueError) as error:
            raise Unreachable(errno.EIO, " ".join(str(error).split()), str(self)) from error


class Reading(io.RawIOBase):
    """A file in a store, read through Python so that a failing store is not mistaken for a damaged file."""

    def __init__(self, place: Remote, stream: Any) -> None:
        self._place, self._stream = place, stream

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place in the file."""
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        """The place in the file."""
        return int(self._stream.tell())

    def readinto(self, buffer: Any) -> int:
        """Read as many bytes as fit."""
        with self._place._errors_told():
            return int(self._stream.readinto(buffer))

    def close(self) -> None:
        """Let go of the file."""
        if not self.closed:
            self._stream.close()
        super().close()


Place: TypeAlias = Path | Remote


def files_below(folder: Place) -> list[tuple[str, Place]]:
    """Files in a folder and in those below it, with their paths from there, in the order of these."""
    if isinstance(folder, Remote):
        return sorted(folder.below(), key=lambda file: file[0])
    return sorted((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file())


def place(text: str | Place) -> Place:
    """What a person means by a path or a URL: `results/ms-1m`, `file:///data/ms-1m`, `s3://bucket/ms-1m?region=...`.

    A place already opened is handed back.

    Raises
    ------
    UsageError
        If it is a URL that `pyarrow.fs` doesn't open.
    """
    if not isinstance(text, str):
        return text
    if "://" not in text:
        return local(text)
    from pyarrow.fs import FileSystem, LocalFileSystem

    try:
        urlsplit(text)
    except ValueError as error:
        raise UsageError(f"{_without_password(text)} is no URL: {error}") from None
    try:
        filesystem, path = FileSystem.from_uri(_in_one_step(text))
    except (OSError, ValueError) as error:
        why = _without_password(" ".join(str(error).split()))
        raise UsageError(f"can't open {_without_password(text)}: {why}") from None
    if isinstance(filesystem, LocalFileSystem):
        return Path(path)
    if not path:
        raise UsageError(f"{_without_password(text)} names no folder")
    return Remote(_without_password(text), path, filesystem)


def local(text: str) -> Path:
    """What a person means by a path: also `~/x`, which a shell leaves as it is in `--out=~/x`.

    Raises
    ------
    UsageError
        If it holds a null character, or nobody knows where `~` is.
    """
    if "\0" in text:
        raise UsageError(f"{text[:40]!r} is no path: it holds a null character")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{text}: {error}; give the whole path") from error


def _in_one_step(url: str) -> str:
    """S3 that writes a small object in one request, whole or not there; Arrow's own writer takes three."""
    parts = urlsplit(url)
    query = {"allow_delayed_open": ["true"], **parse_qs(parts.query, keep_blank_values=True)}
    return parts._replace(query=urlencode(query, doseq=True)).geturl() if parts.scheme == "s3" else url


def _without_password(text: str) -> str:
    """A text without the passwords of URLs in it, well formed or not."""
    return re.sub(r"://([^:/@]*):.*@", r"://\1:***@", text)
