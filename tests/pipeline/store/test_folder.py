"""The folder of a run: what lies where in it, and what may not be written there."""

import errno
import fcntl
import os
from pathlib import Path

import pytest

from pipeline.config import Config, Range, Store
from pipeline.errors import UsageError
from pipeline.shards import Shard
from pipeline.store.folder import held, is_active, missing, owned, written

TEN = Config("ten", Range(1, 10), store=Store(4))


@pytest.fixture
def deals(tmp_path: Path) -> Path:
    """Where `tmp_path`, as the folder of a run, has its shards."""
    folder = tmp_path / "deals"
    folder.mkdir()
    return folder


def test_what_is_missing_by_names_alone(tmp_path: Path, deals: Path) -> None:
    (deals / "deals-0000000005-0000000008.parquet").touch()
    (tmp_path / ".deals-0000000001-0000000004.parquet.17.unfinished").touch()
    (deals / "notes.txt").touch()
    assert written(tmp_path) == [Shard(5, 8)]
    assert missing(TEN, tmp_path) == [Shard(1, 4), Shard(9, 10)]


def test_no_shard_yet(tmp_path: Path) -> None:
    assert written(tmp_path) == []


def test_strange_shard_is_refused(tmp_path: Path, deals: Path) -> None:
    (deals / "deals-0000000005-0000000009.parquet").touch()
    with pytest.raises(UsageError, match=r"deals-0000000005-0000000009\.parquet.*'ten'"):
        missing(TEN, tmp_path)


def test_shards_where_older_versions_wrote_them(tmp_path: Path) -> None:
    (tmp_path / "deals-0000000005-0000000008.parquet").touch()
    with pytest.raises(UsageError, match=f"deals-0000000005-0000000008.*{tmp_path / 'deals'}"):
        written(tmp_path)


@pytest.mark.parametrize("name", ["run.lock", "run.jsonl"])
def test_a_run_writes_through_no_link(tmp_path: Path, name: str) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "run"
    victim.write_text("precious")
    folder.mkdir()
    (folder / name).symlink_to(victim)
    with pytest.raises(UsageError, match=rf"{name} is a link"), held(folder):
        pass
    assert victim.read_text() == "precious"


def test_a_folder_is_of_one_kind(tmp_path: Path) -> None:
    for kind, other in (("config.toml", "prove.json"), ("prove.json", "config.toml")):
        folder = tmp_path / kind
        folder.mkdir()
        (folder / other).touch()
        with pytest.raises(UsageError, match=f"{folder} holds"), held(folder, kind):
            pass
        assert [path.name for path in folder.iterdir()] == [other]


def test_what_is_no_place_for_a_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    for name, said in (("link", "a link that leads nowhere"), ("file", "no folder")):
        with pytest.raises(UsageError, match=f"{name} is {said}"), held(tmp_path / name):
            pass


def test_a_file_system_without_locks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(file: object, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refused)
    with pytest.raises(UsageError, match=f"{tmp_path / 'run.lock'} can't be locked"), held(tmp_path):
        pass
    assert is_active(tmp_path) is None


def test_nothing_is_removed_from_a_folder_that_is_refused(tmp_path: Path) -> None:
    leftover = tmp_path / ".deals-0000000001-0000000004.parquet.17.unfinished"
    foreign = tmp_path / ".movie.17.unfinished"
    (tmp_path / "deals").mkdir()
    strange = tmp_path / "deals/deals-0000000005-0000000009.parquet"
    for path in (leftover, foreign, strange):
        path.touch()
    with pytest.raises(UsageError), owned(tmp_path, TEN):
        pass
    assert leftover.exists()
    strange.unlink()
    with owned(tmp_path, TEN):
        assert not leftover.exists()
    assert foreign.exists()
