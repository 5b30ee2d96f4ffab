"""Exhaustions of a census that are too large for one worker: the same bytes, also where they were stopped."""

import errno
import os
import signal
from pathlib import Path

import pytest

from pipeline.census import passes
from pipeline.census.run import run
from pipeline.proofs import large
from pipeline.proofs.large import KEPT, UNDER_WAY
from tests.conftest import digests
from tests.pipeline.commands import Undisturbed

LOST = 11_982


@pytest.fixture
def nobody_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the smallest exhaustions of the deep pass are for all cores."""
    monkeypatch.setattr(passes, "ALONE", 1_000)
    monkeypatch.setattr(large, "KEEP_EVERY", 0.0)


@pytest.mark.usefixtures("nobody_alone")
def test_same_bytes(small: Path, tmp_path: Path, undisturbed: Undisturbed, capsys: pytest.CaptureFixture[str]) -> None:
    done = run(small, tmp_path / "out", workers=2)
    assert f"deal {LOST}: an exhaustion" in capsys.readouterr().err
    assert (done.status, digests(tmp_path / "out")) == (undisturbed.status, undisturbed.shards)
    assert not (tmp_path / "out" / UNDER_WAY).exists()


@pytest.mark.usefixtures("nobody_alone")
def test_stopped_and_gone_on_with(
    small: Path, tmp_path: Path, undisturbed: Undisturbed, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, read = large._write, large._read
    gone_on_from = []

    def terminated(*arguments: object) -> None:
        written(*arguments)  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGTERM)

    def remembered(*arguments: object) -> object:
        gone_on_from.append(read(*arguments))  # type: ignore[arg-type]
        return gone_on_from[-1]

    monkeypatch.setattr(large, "_read", remembered)
    monkeypatch.setattr(large, "_write", terminated)
    first = run(small, tmp_path / "out", workers=1)
    assert (first.status, first.counts.undecided) == (128 + signal.SIGTERM, 1)
    assert (tmp_path / "out" / UNDER_WAY / f"{LOST}" / KEPT).is_file()
    monkeypatch.setattr(large, "_write", written)
    second = run(small, tmp_path / "out", workers=1)
    assert (second.status, digests(tmp_path / "out")) == (undisturbed.status, undisturbed.shards)
    assert [was is not None for was in gone_on_from] == [False, True]


@pytest.mark.usefixtures("nobody_alone")
def test_no_room_anywhere(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_room(*arguments: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(passes, "prove_large", no_room)
    done = run(small, tmp_path / "out", workers=1)
    assert (done.status, done.counts.undecided) == (3, 1)
    assert f"deal {LOST} is left open: no room" in capsys.readouterr().err


@pytest.mark.usefixtures("nobody_alone")
def test_a_folder_that_takes_nothing_more(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(passes, "prove_large", full)
    done = run(small, tmp_path / "out", workers=1)
    assert (done.status, done.counts.undecided) == (3, 1)
    assert f"can't write to {tmp_path / 'out'}: No space left" in capsys.readouterr().err
