"""The folder of a run: what lies where in it, and what may not be written there."""

import errno
import fcntl
import os
import re
from pathlib import Path

import pytest

from pipeline.config import Config, Range, Store
from pipeline.errors import UsageError
from pipeline.shards import WHOLE, Part, Shard
from pipeline.store.folder import folder_of, held, is_active, kept_config, missing, owned, written
from pipeline.store.log import FileLog
from tests.conftest import Make

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


@pytest.mark.parametrize("kind", ["config.toml", "prove.json"])
def test_a_folder_that_is_somebody_s_is_refused(tmp_path: Path, kind: str) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "photos").mkdir()
    (tmp_path / ".hidden").touch()
    with pytest.raises(UsageError, match="holds letters and 1 other"), held(tmp_path, kind):
        pass
    for part in (WHOLE, Part(1, 2)):
        with pytest.raises(UsageError, match="holds letters"):
            folder_of(TEN, tmp_path, part)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".hidden", "letters", "photos"]
    (tmp_path / "letters").rmdir()
    (tmp_path / "photos").rmdir()
    with held(tmp_path, kind):
        pass
    (tmp_path / "report.html").touch()
    with held(tmp_path, kind):  # what lies beside a run is the user's
        pass


def test_what_is_there_instead_of_a_run(make: Make, tmp_path: Path) -> None:
    folder = make()
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs/prove.json").touch()
    shard = next((folder / "deals").iterdir())
    for place, said in (
        (shard, f"whole folder, {folder}"),
        (folder / "deals", f"give {folder}"),
        (tmp_path / "small.toml", "`diff`"),
        (tmp_path / "proofs", "`prove`"),
        (tmp_path / "none", "nothing is there"),
        (tmp_path, "no config.toml"),
    ):
        with pytest.raises(UsageError, match=re.escape(said)):
            kept_config(place)


def test_what_is_no_place_for_a_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    for name, said in (("link", "a link that leads nowhere"), ("file", "no folder")):
        with pytest.raises(UsageError, match=f"{name} is {said}"), held(tmp_path / name):
            pass


def test_a_full_disk_names_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space") as caught, held(tmp_path):
        pass
    assert caught.value.filename == str(tmp_path / "run.lock")


def test_a_full_disk_names_the_log(tmp_path: Path) -> None:
    with (
        held(tmp_path),
        open("/dev/full", "wb", buffering=0) as file,
        pytest.raises(OSError, match="No space") as caught,
    ):
        FileLog(tmp_path / "run.jsonl", file).write("start")
    assert caught.value.filename == str(tmp_path / "run.jsonl")


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
