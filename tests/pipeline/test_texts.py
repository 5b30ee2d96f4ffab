"""Texts as people have them, and what is none."""

import gzip
from pathlib import Path

import pytest

from pipeline.config import load
from pipeline.errors import UsageError
from pipeline.texts import read_text
from tests.conftest import SMALL


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("packed", [False, True])
def test_any_form(tmp_path: Path, encoding: str, packed: bool) -> None:
    content = "11982 ♠\r\n".encode(encoding)
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(content) if packed else content)
    assert read_text(path) == "11982 ♠\r\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\x00\xe5", "is no text"),
        (gzip.compress(b"1" * 1_000, mtime=0)[:-9], "can't be unpacked"),
        (gzip.compress(b"1" * 1_001, mtime=0), "longer than 1,000 bytes"),
        (b"1" * 1_001, "longer than 1,000 bytes"),
    ],
)
def test_what_is_no_text(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=f"{path} {said}|{path} is {said}"):
        read_text(path, most=1_000)


def test_what_never_ends_is_refused() -> None:
    with pytest.raises(UsageError, match="/dev/zero is longer than"):
        read_text(Path("/dev/zero"), most=1_000)


def test_a_configuration_of_windows(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_bytes(SMALL.replace("\n", "\r\n").encode("utf-8-sig"))
    assert load(path).name == "small"
