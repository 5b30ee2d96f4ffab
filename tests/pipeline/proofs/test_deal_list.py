"""Deals named on the command line."""

from pathlib import Path

import pytest

from pipeline.errors import UsageError
from pipeline.proofs.deal_list import deals_named


def test_numbers_ranges_and_lists(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("\ufeff# range 1 20\n12\n\n7  # seven\n", encoding="utf-8")
    assert deals_named(["30", "3:5", str(tmp_path / "list.txt"), "4"]) == [3, 4, 5, 7, 12, 30]


@pytest.mark.parametrize(
    ("words", "named"), [(["0"], "0"), (["5:3"], "5:3"), (["nothing"], "nothing"), (["1:2000000"], "1,000,000")]
)
def test_what_names_no_deals(words: list[str], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        deals_named(words)


def test_a_line_that_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("12\ntwelve\n")
    with pytest.raises(UsageError, match=r"list\.txt, line 2: 'twelve'"):
        deals_named([str(path)])


def test_an_empty_list(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("# nothing\n")
    with pytest.raises(UsageError, match="no deal number"):
        deals_named([str(path)])
