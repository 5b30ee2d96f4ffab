"""Other programs read a folder of results, by the very lines that the README shows among others."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import fastparquet
import pandas
import polars
import pyarrow.parquet
import pytest

from tests.conftest import ROOT, Make

NAMES = {"duckdb": duckdb, "pandas": pandas, "polars": polars}
COLUMNS = ["deal", "verdict", "positions", "moves", "attempt", "closure", "closure_safe"]
EXPECTED = {"solved": 397, "unsolvable": 2, "undecided": 1}


def lines_of_the_readme() -> list[str]:
    (block,) = re.findall(r"```python\n(duckdb.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return [line for line in block.splitlines() if line]


@pytest.fixture
def folder(make: Make) -> Path:
    """A result beside whose shards lie all files that a run may leave."""
    folder = make({11_982, 12_001}, {11_801})
    for name in ("run.jsonl", "run.lock", "report.html", ".deals-0000011801-0000011850.parquet.17.unfinished"):
        (folder / name).write_text("no Parquet")
    return folder


def test_there_is_a_line_for_each() -> None:
    assert [line.split(".")[0] for line in lines_of_the_readme()] == ["duckdb", "pandas", "polars"]


@pytest.mark.parametrize("line", lines_of_the_readme())
def test_a_line_of_the_readme(folder: Path, line: str) -> None:
    read: Any = eval(line.replace("results/ms-1m", str(folder)), dict(NAMES))
    if line.startswith("duckdb"):
        assert dict(read.fetchall()) == EXPECTED
        return
    assert list(read.columns) == COLUMNS
    assert Counter(read["verdict"].to_list() if line.startswith("polars") else read["verdict"].tolist()) == EXPECTED
    assert list(read["deal"]) == list(range(11_801, 12_201))
    assert (read["closure"].max(), read["closure_safe"].max()) == (83_239, 61_643)


@pytest.mark.parametrize(
    "read",
    [
        lambda deals: fastparquet.ParquetFile(deals).to_pandas(),
        lambda deals: pyarrow.parquet.read_table(deals).to_pandas(),
        lambda deals: duckdb.sql(f"select * from '{deals}/*.parquet' order by deal").df(),
    ],
    ids=["fastparquet", "pyarrow", "duckdb"],
)
def test_every_value_by_other_readers(folder: Path, read: Callable[[str], pandas.DataFrame]) -> None:
    frame, ours = read(str(folder / "deals")), pandas.read_parquet(folder / "deals")
    assert list(frame.columns) == COLUMNS
    assert frame["verdict"].astype(str).tolist() == ours["verdict"].astype(str).tolist()
    for name in COLUMNS[:1] + COLUMNS[2:]:
        assert frame[name].fillna(0).astype("int64").tolist() == ours[name].fillna(0).astype("int64").tolist()
