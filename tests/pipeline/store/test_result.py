"""A result opened from Python."""

from pathlib import Path

import pandas as pd
import pytest

from pipeline.errors import UsageError
from pipeline.store import parquet
from pipeline.store.result import open_result
from tests.conftest import Make, as_schema_1


def test_tables(make: Make) -> None:
    result = open_result(str(make({11_982}, {11_801})))
    table = result.table()
    assert table.schema == parquet.COLUMNS
    assert table["deal"].to_pylist() == list(range(11_801, 12_201))
    assert [batch.num_rows for batch in result.batches(["deal"])] == [50] * 8
    assert result.table(["closure", "verdict"]).column_names == ["closure", "verdict"]


def test_no_shard(make: Make) -> None:
    assert open_result(make(which=slice(0))).table().schema == parquet.COLUMNS


def test_pandas(make: Make) -> None:
    frame = open_result(make({11_982}, {11_801})).to_pandas()
    assert frame["verdict"].value_counts().to_dict() == {"solved": 398, "undecided": 1, "unsolvable": 1}
    (row,) = frame[frame["verdict"] == "unsolvable"].to_dict("records")
    assert (row["deal"], row["closure"], row["closure_safe"]) == (11_982, 83_239, 61_643)
    assert pd.isna(row["moves"])
    assert frame["moves"].dtype == pd.UInt16Dtype()


def test_several_folders(make: Make) -> None:
    odd, even = make(which=slice(0, None, 2), name="odd"), make(which=slice(1, None, 2), name="even")
    assert open_result(odd, even).table()["deal"].to_pylist() == list(range(11_801, 12_201))


def test_schema_1_is_read(make: Make) -> None:
    table = open_result(as_schema_1(make())).table()
    assert table["closure_safe"].null_count == 400
    assert table["closure"].null_count == 399


def test_a_damaged_shard_is_named(make: Make) -> None:
    folder: Path = make()
    path = sorted((folder / "deals").iterdir())[3]
    broken = bytearray(path.read_bytes())
    broken[60] ^= 1
    path.write_bytes(broken)
    result = open_result(folder)
    with pytest.raises(parquet.Corrupt, match=path.name):
        result.table()


def test_a_shard_that_is_a_link_to_nowhere(make: Make) -> None:
    path = sorted((make() / "deals").iterdir())[3]
    path.unlink()
    path.symlink_to("nowhere")
    with pytest.raises(parquet.Corrupt, match=rf"{path.name} is corrupt \(a link that leads nowhere\): remove it"):
        open_result(path.parent.parent)


def test_no_result(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=str(tmp_path)):
        open_result(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("cells = 4", "cells = 5", "rules"),
        ("solutions = false", "solutions = true", "store.solutions"),
        ("quick = [60, 400]", "quick = [61, 400]", "search"),
    ],
)
def test_a_configuration_that_is_not_that_of_the_shards(make: Make, old: str, new: str, key: str) -> None:
    config = make() / "config.toml"
    assert old in config.read_text()
    config.write_text(config.read_text().replace(old, new))
    with pytest.raises(UsageError, match=rf"{config} says .* for {key}, .*deals-0000011801"):
        open_result(config.parent)
