"""Standard streams that are closed, full, or of another encoding."""

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli import main
from tests.conftest import ROOT, Make

HELD = """
import os, sys
from pipeline.streams import hold_streams
hold_streams()
with open(os.devnull) as file:
    sys.exit(0 if file.fileno() > 2 and None not in (sys.stdin, sys.stdout, sys.stderr) else 1)
"""


def shell(closing: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with what a shell makes of its streams."""
    command = ["sh", "-c", f'exec "$@" {closing}', "sh", sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("closing", ["", "<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_no_file_gets_the_number_of_a_closed_stream(closing: str) -> None:
    assert shell(closing, "-c", HELD).returncode == 0


def test_status_is_the_same_where_nobody_listens(make: Make) -> None:
    folder = str(make())
    for closing in (">&-", "2>&-", ">&- 2>&-"):
        done = shell(closing, "-m", "pipeline", "status", folder)
        assert (done.returncode, done.stderr) == (0, "")
        assert shell(closing, "-m", "pipeline", "status", "none").returncode == 2


def test_message_that_finds_no_room() -> None:
    assert shell("2>/dev/full", "-m", "pipeline", "deal", "0").returncode == 2


@pytest.mark.parametrize("words", ["--help", "deal --help", "deal 1", "deal 1 --json", "export {} --verdict solved"])
def test_an_answer_that_finds_no_room(make: Make, words: str) -> None:
    done = shell(">/dev/full", "-m", "pipeline", *words.format(make()).split())
    assert done.returncode == 2
    assert done.stderr == "freecell-census: can't write to standard output: No space left on device\n"


@pytest.mark.parametrize("number", [errno.EIO, errno.EPIPE])
def test_an_answer_that_nobody_takes(
    number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Gone(io.FileIO):
        def write(self, data: Any, /) -> int:
            raise OSError(number, os.strerror(number))

    with Gone(tmp_path / "terminal", "w") as gone:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(gone)))
        assert main(["deal", "1"]) == (141 if number == errno.EPIPE else 2)
    assert capsys.readouterr().err.count("\n") == (number != errno.EPIPE)


def test_folder_named_in_no_encoding(make: Make, tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/r\xe9sultats")
    make().rename(folder)
    done = shell("", "-m", "pipeline", "results", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "r\\udce9sultats/summary.json" in done.stdout


def test_what_a_run_says_finds_no_room(small: Path, tmp_path: Path) -> None:
    done = shell("2>/dev/full", "-m", "pipeline", "run", str(small), "--out", str(tmp_path / "out"), "--workers", "1")
    assert done.returncode in (0, 3)
    assert "400 deals" in done.stdout
    events = [json.loads(line)["event"] for line in (tmp_path / "out/run.jsonl").read_text().splitlines()]
    assert events[-1] == "stop"
    assert "again" in events  # the deep pass, which says something before it begins


def test_nothing_that_is_read_acts_on_the_terminal(make: Make, tmp_path: Path) -> None:
    for name in ("no\x1b]0;name\x07", "no\x9b31m"):
        done = shell("", "-m", "pipeline", "status", str(tmp_path / name))
        assert done.returncode == 2
        assert not {"\x1b", "\x07", "\x9b"}.intersection(done.stderr)
    folder = make().rename(tmp_path / "out\x1b[31m")
    done = shell("", "-m", "pipeline", "results", str(folder))
    assert done.returncode == 0
    assert "out\\x1b[31m" in done.stdout
