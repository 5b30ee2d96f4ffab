"""The folder of a run: what lies where in it, and what may not be written there."""

from pathlib import Path

import pytest

from pipeline.config import Config, Range, Store
from pipeline.errors import UsageError
from pipeline.shards import Shard
from pipeline.store.folder import missing, refuse_to_overwrite, written
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


def test_files_of_a_run_are_not_written_over(make: Make, tmp_path: Path) -> None:
    folder = make()
    for path in (
        *(folder / name for name in ("config.toml", "run.jsonl", "run.lock")),
        *(folder / "deals").iterdir(),
        folder / "deals" / "report.html",
        folder / "deals-0000000005-0000000008.parquet",
    ):
        with pytest.raises(UsageError, match=path.name):
            refuse_to_overwrite(path)
    refuse_to_overwrite(folder / "report.html")
    refuse_to_overwrite(tmp_path / "config.toml")
