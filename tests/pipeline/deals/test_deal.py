"""Boards of deals, one or a range."""

import duckdb
import pyarrow.parquet as pq
import pytest

from kernels.dealing import LAST_DEAL, deal_block, deal_one
from pipeline.deals import deal
from pipeline.deals.boards import parse_board
from pipeline.errors import UsageError


@pytest.mark.parametrize("form", ["rows", "columns", "json"])
def test_a_shown_deal_can_be_read(form):
    shown = deal.show_deal(617, form)
    assert shown.status == 0
    assert parse_board("\n".join(shown.lines())).tolist() == deal_one(617).tolist()


def test_a_deal_as_json():
    shown = deal.show_deal(617).as_json()
    assert shown["deal"] == 617
    assert shown["columns"][0] == ["7D", "TD", "TH", "KD", "4C", "4S", "JD"]


# Dealing in bulk


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(deal, "ROW_GROUP", 100)


@pytest.mark.usefixtures("small_groups")
def test_a_range_as_parquet(tmp_path):
    path = tmp_path / "boards.parquet"
    first, last = 2**32 - 150, 2**32 + 149
    outcome = deal.deal_range_to_parquet(first, last, path)
    assert (outcome.status, outcome.lines()) == (0, [f"300 deals, {first} to {last}, in {path}"])
    table = pq.read_table(path, page_checksum_verification=True)
    assert table["deal"].to_pylist() == list(range(first, last + 1))
    assert table["board"].to_pylist() == [board.tobytes() for board in deal_block(first, 300)]
    assert pq.read_metadata(path).num_row_groups == 3
    assert [entry.name for entry in tmp_path.iterdir()] == ["boards.parquet"]


def test_other_programs_read_the_range(tmp_path):
    path = tmp_path / "boards.parquet"
    deal.deal_range_to_parquet(LAST_DEAL, LAST_DEAL, path)
    assert duckdb.sql(f"select deal, board from '{path}'").fetchall() == [(LAST_DEAL, deal_one(LAST_DEAL).tobytes())]


def test_a_range_says_what_it_did_as_json(tmp_path):
    path = tmp_path / "boards.parquet"
    assert deal.deal_range_to_parquet(1, 10, path).as_json() == {"first": 1, "last": 10, "deals": 10, "file": str(path)}


@pytest.mark.usefixtures("small_groups")
def test_the_same_range_is_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        deal.deal_range_to_parquet(1, 250, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.usefixtures("small_groups")
def test_an_interrupted_range_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(first, count):
        if first > 1:
            raise KeyboardInterrupt
        return deal_block(first, count)

    monkeypatch.setattr(deal, "deal_block", interrupted)
    with pytest.raises(KeyboardInterrupt):
        deal.deal_range_to_parquet(1, 250, tmp_path / "boards.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "nowhere" / "boards.parquet"
    with pytest.raises(UsageError, match=f"{path}: there is no folder {path.parent}"):
        deal.deal_range_to_parquet(1, 10, path)
