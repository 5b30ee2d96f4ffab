"""Other programs read a folder of results by the very lines that the README shows."""

import glob
import re
from collections import Counter
from typing import Any

import duckdb
import pandas
import polars
import pytest

from tests.conftest import ROOT, Make

NAMES = {"duckdb": duckdb, "glob": glob, "pandas": pandas, "polars": polars}
COLUMNS = ["deal", "verdict", "positions", "moves", "attempt", "closure"]


def lines_of_the_readme() -> list[str]:
    (block,) = re.findall(r"```python\n(duckdb.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return [line for line in block.splitlines() if line]


def test_there_is_a_line_for_each() -> None:
    assert [line.split(".")[0] for line in lines_of_the_readme()] == ["duckdb", "pandas", "polars"]


@pytest.mark.parametrize("line", lines_of_the_readme())
def test_a_line_of_the_readme(make: Make, line: str) -> None:
    folder = make({11_982, 12_001}, {11_801})
    read: Any = eval(line.replace("results/ms-1m", str(folder)), dict(NAMES))
    expected = {"solved": 397, "unsolvable": 2, "undecided": 1}
    if line.startswith("duckdb"):
        assert dict(read.fetchall()) == expected
        return
    assert list(read.columns) == COLUMNS
    assert Counter(read["verdict"].to_list() if line.startswith("polars") else read["verdict"].tolist()) == expected
    assert list(read["deal"]) == list(range(11_801, 12_201))
    assert read["closure"].max() == 83_239
