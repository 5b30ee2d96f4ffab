"""Sides of a comparison that other programs wrote: any types, many files, hive folders, files of ours rewritten."""

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from kernels.rules import FREECELL, rules_of
from pipeline.errors import UsageError
from pipeline.evidence import tables
from pipeline.evidence.diff import diff
from pipeline.evidence.verify import verify
from pipeline.places import Remote
from pipeline.proofs import table as proof_files
from pipeline.proofs.rows import Proofs
from pipeline.store.result import open_result
from pipeline.store.rows import UNSOLVABLE
from tests.conftest import Make

UNSOLVABLE_DEALS = {11_982, 12_000}
FIGURES = {"positions", "moves", "closure", "closure_safe", "attempt"}

Read = pytest.CaptureFixture[str]
Write = Callable[[pa.Table, Path], None]


def by_pandas(table: pa.Table, folder: Path) -> None:
    frame = table.to_pandas()  # numbers with nulls become floats, dictionaries categories
    for start in range(0, len(frame), 150):
        frame.iloc[start : start + 150].to_parquet(folder / f"part-{start}.parquet")


def by_polars(table: pa.Table, folder: Path) -> None:
    frame = polars.from_arrow(table)
    assert isinstance(frame, polars.DataFrame)
    frame.with_columns(polars.col("deal").cast(polars.Int64), note=polars.lit("♠")).write_parquet(folder / "a.parquet")


def by_duckdb(table: pa.Table, folder: Path) -> None:
    duckdb.sql(
        'COPY (SELECT * REPLACE (deal::BIGINT AS deal, verdict::VARCHAR AS verdict) FROM "table" ORDER BY deal) '
        f"TO '{folder / 'a.parquet'}'"
    )


def as_hive_folders(table: pa.Table, folder: Path) -> None:
    plain = table.set_column(1, "verdict", table["verdict"].cast(pa.string()))
    pa.dataset.write_dataset(plain, folder, format="parquet", partitioning=["verdict"], partitioning_flavor="hive")
    (folder / "_SUCCESS").touch()
    (folder / ".DS_Store").write_bytes(b"no Parquet")


def interleaved(table: pa.Table, folder: Path) -> None:
    for start in range(3):
        pq.write_table(table.take(list(range(start, len(table), 3))), folder / f"part-{start}.parquet")


def shuffled(table: pa.Table, folder: Path) -> None:
    pq.write_table(table.take(np.random.default_rng(1).permutation(len(table))), folder / "a.parquet")


def in_other_types(table: pa.Table, folder: Path) -> None:
    words = table["verdict"].cast(pa.string()).cast(pa.large_string())
    closures = table["closure"].cast(pa.decimal128(20, 0))
    table = table.set_column(0, "deal", table["deal"].cast(pa.decimal128(20, 0))).set_column(1, "verdict", words)
    pq.write_table(table.set_column(5, "closure", closures), folder / "a.snappy.parquet", compression="snappy")


@pytest.mark.parametrize(
    "write", [by_pandas, by_polars, by_duckdb, as_hive_folders, interleaved, shuffled, in_other_types]
)
def test_a_folder_by_anybody_is_a_side(make: Make, tmp_path: Path, write: Write) -> None:
    folder, other = make(UNSOLVABLE_DEALS), tmp_path / "other"
    other.mkdir()
    write(open_result(folder).table(), other)
    found = diff(other, folder, figures=True)
    assert (found.status, found.tally.compared) == (0, 400)
    assert set(found.as_json()["figures"]) == {"deals", *FIGURES}
    changed = make(UNSOLVABLE_DEALS - {12_000}, name="changed")
    assert [row["deal"] for row in diff(other, changed).as_json()["first"]["contradictions"]] == [12_000]


def test_many_files_are_read_a_few_at_a_time(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LEAST", 7)
    monkeypatch.setattr(tables, "CHUNK", 20)
    folder, other = make(), tmp_path / "other"
    other.mkdir()
    interleaved(open_result(folder).table(), other)
    assert diff(folder, other, figures=True).status == 0


def test_the_shards_alone_are_a_side(make: Make, capsys: Read) -> None:
    folder = make()
    assert diff(folder / "deals", folder, figures=True).status == 0
    assert capsys.readouterr().err == ""


def test_a_folder_of_a_store_is_a_side(make: Make, tmp_path: Path) -> None:
    folder, other = make(), tmp_path / "other"
    other.mkdir()
    interleaved(open_result(folder).table(), other)
    store = Remote("store://bucket/other", "other", SubTreeFileSystem(str(tmp_path), LocalFileSystem()))
    assert diff(store, folder, figures=True).status == 0


def test_a_deal_in_two_files_is_named(make: Make, tmp_path: Path) -> None:
    table, other = open_result(make()).table(), tmp_path / "other"
    other.mkdir()
    for name in "ab":
        pq.write_table(table, other / f"{name}.parquet")
    with pytest.raises(UsageError, match="other: deal 11801 is there twice"):
        diff(other, other)


def test_what_is_missing_is_named(make: Make, tmp_path: Path) -> None:
    folder, other = make(), tmp_path / "other"
    other.mkdir()
    pq.write_table(open_result(folder).table(["deal", "positions"]), other / "a.parquet")
    with pytest.raises(UsageError, match=r"a\.parquet is no result: it has no column verdict"):
        diff(folder, other)
    pq.write_table(open_result(folder).table(["deal", "verdict"]), other / "a.parquet")
    assert diff(folder, other).status == 0
    with pytest.raises(UsageError, match="other has no figures"):
        diff(folder, other, figures=True)
    with pytest.raises(UsageError, match=r"other is not the folder of a run: it has no config\.toml"):
        verify(other)
    (other / "a.parquet").unlink()
    with pytest.raises(UsageError, match="nor has it any Parquet file"):
        diff(folder, other)


def test_a_figure_that_one_side_lacks_is_named(make: Make, tmp_path: Path) -> None:
    folder, file = make(UNSOLVABLE_DEALS), tmp_path / "other.parquet"
    pq.write_table(open_result(folder).table().drop_columns(["closure"]), file)
    found = diff(folder, file, figures=True)
    assert (found.status, found.as_json()["not_compared"]) == (0, ["closure"])
    assert any("closure" in line and file.name in line for line in found.lines())
    assert diff(folder, file).as_json()["not_compared"] == []


@pytest.mark.parametrize("name", ["deal", "verdict", "closure"])
def test_a_column_of_lists_is_named(make: Make, tmp_path: Path, name: str) -> None:
    folder, file = make(UNSOLVABLE_DEALS), tmp_path / "other.parquet"
    table = open_result(folder).table()
    lists = pa.array([[value] for value in table[name].to_pylist()])
    pq.write_table(table.set_column(table.column_names.index(name), name, lists), file)
    with pytest.raises(UsageError, match=rf"other\.parquet.*the column {name} holds no"):
        diff(folder, file, figures=True)


def test_proofs_are_a_side(make: Make, tmp_path: Path) -> None:
    deals, out = np.array(sorted(UNSOLVABLE_DEALS), np.uint64), tmp_path / "proofs"
    (out / "deals").mkdir(parents=True)
    (out / "prove.json").write_text("{}")
    many = np.full(2, 83_239, np.uint64)
    proofs = Proofs(deals, np.full(2, UNSOLVABLE, np.uint8), many, many, np.ones(2, np.uint8), many, (b"", b""))
    (file,) = proof_files.files(deals.tolist())
    proof_files.write(out, file, proofs, FREECELL)
    found = diff(make(UNSOLVABLE_DEALS), out)
    assert (found.tally.compared, found.as_json()["only_a"], found.as_json()["contradictions"]) == (2, 398, 0)
    proof_files.write(out, file, proofs, rules_of("bakers", 4))
    with pytest.raises(UsageError, match="different games"):
        diff(make(UNSOLVABLE_DEALS, name="again"), out)


@pytest.mark.parametrize("keeps_metadata", [True, False])
def test_a_shard_that_was_rewritten_is_compared(make: Make, capsys: Read, keeps_metadata: bool) -> None:
    folder, changed = make(UNSOLVABLE_DEALS), make(UNSOLVABLE_DEALS, name="changed")
    path = changed / "deals" / "deals-0000011951-0000012000.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[31] |= {"verdict": "solved", "moves": 80, "closure": None, "closure_safe": None}
    pq.write_table(pa.Table.from_pylist(rows, table.schema if keeps_metadata else None), path)
    found = json.loads(json.dumps(diff(folder, changed).as_json()))
    assert [row["deal"] for row in found["first"]["contradictions"]] == [11_982]
    assert "`verify` refuses it" in capsys.readouterr().err
    with pytest.raises(UsageError, match=path.name):
        verify(changed)


def test_a_shard_that_is_damaged_is_not_compared(make: Make) -> None:
    folder, damaged = make(), make(name="damaged")
    path = damaged / "deals" / "deals-0000011951-0000012000.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UsageError, match=path.name):
        diff(folder, damaged)
