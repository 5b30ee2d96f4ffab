"""Large exhaustions: the same counts in memory and in a file, in one go and in many."""

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernels.proof import crew, worker
from kernels.proof.closure import Closure
from kernels.proof.depth_first import Stopped
from kernels.proof.layers import Layers
from kernels.proof.planes import facts_from
from kernels.rules import FREECELL
from pipeline.proofs import large
from pipeline.proofs.large import KEPT, UNDER_WAY, prove_large
from tests.kernels.proof.test_way import layout_in, near_the_end
from tests.naive import referee

DEAL, PLAIN, SAFE = 11_982, 83_239, 61_643


def never() -> bool:
    return False


def proved(out: Path | None, threads: int = 1, plain: int = 1_000_000) -> Closure:
    return prove_large(DEAL, FREECELL, plain, 1_000_000, threads, out, never)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_counts(tmp_path: Path, threads: int) -> None:
    assert proved(tmp_path, threads)[:4] == (True, PLAIN, True, SAFE)
    assert not any(tmp_path.iterdir())


def test_in_a_mapped_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(large, "free_memory", lambda: 100 * large.CHUNK_BYTES)
    assert proved(tmp_path, 2)[:4] == (True, PLAIN, True, SAFE)
    assert str(tmp_path) in capsys.readouterr().err


@pytest.mark.parametrize("plain", [1_000_000, 70_000])
def test_stopped_after_each_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: int) -> None:
    """The standing is kept after every layer; a new start goes on from it, and comes to the same."""
    monkeypatch.setattr(large, "KEEP_EVERY", 0.0)
    written = large._write
    starts = 0

    def stop_after_it(*arguments: object) -> None:
        written(*arguments)  # type: ignore[arg-type]
        raise Stopped

    monkeypatch.setattr(large, "_write", stop_after_it)
    while True:
        try:
            closure = proved(tmp_path, 1 + starts % 2, plain)
            break
        except Stopped:
            starts += 1
            assert (tmp_path / UNDER_WAY / f"{DEAL}" / KEPT).is_file()
    assert starts > 10
    monkeypatch.setattr(large, "_write", written)
    assert closure == proved(None, 1, plain)
    assert closure.ended == (plain > PLAIN)
    assert (closure.safe_ended, closure.safe_positions) == (True, SAFE)


def test_stopped_in_the_middle_of_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most classes count as large: what the walk through one has come to is kept and read, with slots of both sizes."""
    monkeypatch.setattr(worker, "LARGEST_TABLE", 1 << 8)
    monkeypatch.setattr(crew, "SLICE", 4_000)  # long enough to read the records again
    monkeypatch.setattr(crew, "FIRST_BITS", 10)
    monkeypatch.setattr(large, "KEEP_EVERY", 0.0)
    written = large._write
    sizes = set()

    def stop_after_it(path: Path, about: dict[str, Any], layers: Layers) -> None:
        written(path, about, layers)
        kept = large._read(path, about)
        assert kept is not None
        if layers.begun:
            assert kept[2] is not None
            assert np.array_equal(kept[2].slots, layers.begun.slots)
            sizes.add(kept[2].slots.itemsize)
        raise Stopped

    monkeypatch.setattr(large, "_write", stop_after_it)
    while True:
        try:
            closure = proved(tmp_path, 2)
            break
        except Stopped:
            pass
    assert closure[:4] == (True, PLAIN, True, SAFE)
    assert sizes == {4, 8}


def test_what_is_kept_of_another_walk_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "KEEP_EVERY", 0.0)
    written = large._write

    def stop_after_it(*arguments: object) -> None:
        written(*arguments)  # type: ignore[arg-type]
        raise Stopped

    monkeypatch.setattr(large, "_write", stop_after_it)
    with pytest.raises(Stopped):
        proved(tmp_path)
    monkeypatch.setattr(large, "_write", written)
    (tmp_path / UNDER_WAY / f"{DEAL}").rename(tmp_path / UNDER_WAY / "146692")
    assert prove_large(146_692, FREECELL, 100_000, 100_000, 1, tmp_path, never)[:4] == (True, 19_418, True, 8_603)


def test_somebody_asks_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "SLICE", 1 << 10)
    with pytest.raises(Stopped):
        prove_large(DEAL, FREECELL, 1_000_000, 1_000_000, 1, tmp_path, lambda: True)


def test_no_room_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "free_memory", lambda: 100 * large.CHUNK_BYTES)
    small = large.new_shelf(100, np.empty((100, 128, 3), np.uint64))
    monkeypatch.setattr(large, "_mapped", lambda folder: small)
    with pytest.raises(MemoryError, match="wait for their layer"):
        proved(tmp_path)


def test_the_moves_to_a_won_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The way is found from files; a deal that only a large walk wins from is stood in for by the end of a game."""
    columns, cells, home = near_the_end(7, 15)
    layout = layout_in(columns, cells, home)
    monkeypatch.setattr(large, "layout_of", lambda board: layout)
    monkeypatch.setattr(large, "facts_of", lambda board, cells, in_suit: facts_from(layout, cells, in_suit))
    closure = prove_large(7, FREECELL, 0, 1_000_000, 2, tmp_path, never)
    assert referee.replay_on(columns, cells, home, FREECELL, closure.path) == 0
    assert "a won position was met" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_a_full_disk_ends_no_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(large, "KEEP_EVERY", 0.0)
    monkeypatch.setattr(large, "_write", full)
    assert proved(tmp_path)[:4] == (True, PLAIN, True, SAFE)
    assert "can't be kept: No space left" in capsys.readouterr().err


def test_progress_in_the_middle_of_a_layer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(large, "SPOKEN_EVERY", 0.0)
    monkeypatch.setattr(worker, "SLICE", 1 << 10)
    proved(None)
    said = [line for line in capsys.readouterr().err.splitlines() if "in all" in line]
    found = [int(line.split()[-3].replace(",", "")) for line in said]
    assert len(found) > 20
    assert found == sorted(found)
    assert found[-1] <= PLAIN
