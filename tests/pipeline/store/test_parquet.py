"""Shards: same rows, same bytes; whatever isn't what was written is noticed."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.config import Config, Range, Search, Store
from pipeline.errors import UsageError
from pipeline.shards import Shard
from pipeline.store import parquet
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE, Rows
from tests.conftest import ROOT, as_schema_1

SHARD = Shard(8_589_930_000, 8_589_930_999)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    """`tmp_path` as the folder of a run."""
    (tmp_path / "deals").mkdir()


def census(solutions: bool = False, deep: tuple[int, ...] = (4_000,)) -> Config:
    span = Range(SHARD.first, SHARD.last)
    return Config("one", span, search=Search((60, 400), deep), store=Store(1_000, solutions))


def some_rows(seed: int = 1) -> Rows:
    """Rows as a quick pass leaves them: most are solved, few are unsolvable or undecided."""
    random = np.random.default_rng(seed)
    verdicts = random.choice([SOLVED] * 18 + [UNSOLVABLE, UNDECIDED], SHARD.count).astype(np.uint8)
    moves = np.where(verdicts == SOLVED, random.integers(52, 200, SHARD.count), 0).astype(np.uint16)
    return Rows(
        verdicts,
        random.integers(20, 61, SHARD.count).astype(np.uint32),
        moves,
        random.integers(1, 3, SHARD.count).astype(np.uint8),
        np.where(verdicts == UNSOLVABLE, random.integers(0, 2, SHARD.count) * 10**10, 0).astype(np.uint64),
        np.where(verdicts == UNSOLVABLE, random.integers(10**4, 10**10, SHARD.count), 0).astype(np.uint64),
        (random.integers(0, 16, moves.sum()) * 16 + random.integers(0, 10, moves.sum())).astype(np.uint8),
    )


def without_solutions(rows: Rows) -> Rows:
    return rows._replace(solutions=rows.solutions[:0])


@pytest.mark.parametrize("solutions", [False, True])
def test_rows_come_back_and_give_the_same_bytes(tmp_path: Path, solutions: bool) -> None:
    rows = some_rows() if solutions else without_solutions(some_rows())
    parquet.write(tmp_path, SHARD, rows, census(solutions))
    written = (tmp_path / "deals" / SHARD.name).read_bytes()
    again = parquet.read(tmp_path, SHARD)
    for column, expected in zip(again, rows, strict=True):
        np.testing.assert_array_equal(column, expected)
        assert column.dtype == expected.dtype
    parquet.write(tmp_path, SHARD, again, census(solutions))
    assert (tmp_path / "deals" / SHARD.name).read_bytes() == written


def test_attempts_that_were_not_needed_leave_no_trace(tmp_path: Path) -> None:
    rows = without_solutions(some_rows())
    parquet.write(tmp_path, SHARD, rows, census())
    written = (tmp_path / "deals" / SHARD.name).read_bytes()
    parquet.write(tmp_path, SHARD, rows, census(deep=(4_000, 40_000)))
    assert (tmp_path / "deals" / SHARD.name).read_bytes() == written


def test_schema(tmp_path: Path) -> None:
    parquet.write(tmp_path, SHARD, some_rows(), census(solutions=True))
    schema = pq.read_schema(tmp_path / "deals" / SHARD.name)
    assert {field.name: str(field.type) for field in schema} == {
        "deal": "uint64",
        "verdict": "dictionary<values=string, indices=int8, ordered=0>",
        "positions": "uint32",
        "moves": "uint16",
        "attempt": "uint8",
        "closure": "uint64",
        "closure_safe": "uint64",
        "solution": "binary",
    }


def test_footer_tells_counts_and_provenance(tmp_path: Path) -> None:
    rows = some_rows()
    parquet.write(tmp_path, SHARD, rows, census())
    footer = parquet.footer(tmp_path, SHARD)
    assert footer.counts == tuple(np.bincount(rows.verdicts))
    assert footer.provenance == parquet.provenance(census())
    assert footer.attempts == (60, 400)


def test_other_readers_understand_it(tmp_path: Path) -> None:
    rows = some_rows()
    parquet.write(tmp_path, SHARD, rows, census(solutions=True))
    counted = duckdb.sql(
        f"select verdict, count(*), count(moves), sum(octet_length(solution)), count(closure), count(closure_safe) "
        f"from '{tmp_path}/deals/*.parquet' group by verdict"
    ).fetchall()
    for verdict, deals, moves, length, closures, safe in counted:
        code = parquet.VERDICTS.index(verdict)
        assert deals == np.count_nonzero(rows.verdicts == code)
        assert moves == (deals if code == SOLVED else 0)
        assert length == rows.moves[rows.verdicts == code].sum()
        assert closures == np.count_nonzero(rows.closures[rows.verdicts == code])
        assert safe == (deals if code == UNSOLVABLE else 0)


def test_a_flipped_bit_is_noticed_or_does_no_harm(tmp_path: Path) -> None:
    rows = without_solutions(some_rows())
    parquet.write(tmp_path, SHARD, rows, census())
    path = tmp_path / "deals" / SHARD.name
    sound = path.read_bytes()
    noticed = 0
    for place in range(0, len(sound), 11):
        broken = bytearray(sound)
        broken[place] ^= 8
        path.write_bytes(broken)
        try:
            parquet.footer(tmp_path, SHARD)
            again = parquet.read(tmp_path, SHARD)
        except UsageError:
            noticed += 1
        else:
            assert all(map(np.array_equal, again, rows)), place
    assert noticed > len(sound) / 11 * 0.7


@pytest.mark.parametrize("length", [0, 3, 100, -1])
def test_truncated_shard(tmp_path: Path, length: int) -> None:
    parquet.write(tmp_path, SHARD, without_solutions(some_rows()), census())
    path = tmp_path / "deals" / SHARD.name
    path.write_bytes(path.read_bytes()[:length])
    for look in (parquet.footer, parquet.read):
        with pytest.raises(parquet.Corrupt, match="is corrupt"):
            look(tmp_path, SHARD)


def test_shard_under_another_name(tmp_path: Path) -> None:
    parquet.write(tmp_path, SHARD, without_solutions(some_rows()), census())
    other = Shard(1, SHARD.count)
    (tmp_path / "deals" / SHARD.name).rename(tmp_path / "deals" / other.name)
    for look in (parquet.footer, parquet.read):
        with pytest.raises(parquet.Corrupt, match="name"):
            look(tmp_path, other)


def test_parquet_file_of_another_program(tmp_path: Path) -> None:
    parquet.write(tmp_path, SHARD, without_solutions(some_rows()), census())
    path = tmp_path / "deals" / SHARD.name
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    with pytest.raises(parquet.Corrupt, match="another program"):
        parquet.footer(tmp_path, SHARD)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("attempts", b"5"),
        ("attempts", b"x"),
        ("attempts", b"[" * 100_000),
        ("counts", b"[1, 2]"),
        ("counts", b"7"),
        ("counts", b'["x", 1, 2]'),
        ("counts", b"[-2, 1001, 1]"),
        ("counts", b"[0, 900, 1]"),
    ],
)
def test_a_footer_that_no_run_writes(tmp_path: Path, key: str, value: bytes) -> None:
    parquet.write(tmp_path, SHARD, without_solutions(some_rows()), census())
    path = tmp_path / "deals" / SHARD.name
    table = pq.read_table(path)
    said = {**table.schema.metadata, f"freecell_census.{key}".encode(): value}
    pq.write_table(table.replace_schema_metadata(said), path)
    with pytest.raises(parquet.Corrupt, match=SHARD.name):
        parquet.footer(tmp_path, SHARD)


@pytest.mark.parametrize("look", [parquet.read, parquet.read_table])
def test_a_footer_that_counts_other_verdicts(tmp_path: Path, look: Callable[[Path, Shard], object]) -> None:
    parquet.write(tmp_path, SHARD, without_solutions(some_rows()), census())
    path = tmp_path / "deals" / SHARD.name
    table = pq.read_table(path)
    said = {**table.schema.metadata, b"freecell_census.counts": b"[0, 999, 1]"}
    pq.write_table(table.replace_schema_metadata(said), path)
    with pytest.raises(parquet.Corrupt, match="counts"):
        look(tmp_path, SHARD)


def test_a_shard_of_schema_1(tmp_path: Path) -> None:
    rows = without_solutions(some_rows())
    rows = rows._replace(closures=rows.safe_closures)
    parquet.write(tmp_path, SHARD, rows, census())
    as_schema_1(tmp_path)
    footer = parquet.footer(tmp_path, SHARD)
    assert (footer.provenance.schema, footer.counts) == ("1", parquet.counts(rows))
    again = parquet.read(tmp_path, SHARD)
    assert not again.safe_closures.any()
    assert all(map(np.array_equal, again._replace(safe_closures=rows.safe_closures), rows))
    table = pq.read_table(tmp_path / "deals" / SHARD.name)
    pq.write_table(table, tmp_path / "deals" / SHARD.name, write_statistics=False)
    assert parquet.footer(tmp_path, SHARD).counts == footer.counts


@pytest.mark.parametrize("name", ["moves", "closure"])
def test_a_shard_of_schema_1_whose_figures_are_of_other_verdicts(tmp_path: Path, name: str) -> None:
    rows = without_solutions(some_rows())
    parquet.write(tmp_path, SHARD, rows._replace(closures=rows.safe_closures), census())
    as_schema_1(tmp_path)
    path = tmp_path / "deals" / SHARD.name
    table = pq.read_table(path)
    at = table.schema.get_field_index(name)
    pq.write_table(
        table.set_column(at, table.schema.field(at), pa.nulls(SHARD.count, table.schema.field(at).type)), path
    )
    with pytest.raises(parquet.Corrupt, match=name):
        parquet.footer(tmp_path, SHARD)


def test_rows_that_contradict_themselves(tmp_path: Path) -> None:
    parquet.write(tmp_path, SHARD, without_solutions(some_rows()), census())
    path = tmp_path / "deals" / SHARD.name
    table = pq.read_table(path)
    for name in ("moves", "closure", "closure_safe"):
        number = table.column_names.index(name)
        pq.write_table(table.set_column(number, name, table[name].fill_null(7)), path)
        with pytest.raises(parquet.Corrupt, match=name):
            parquet.read(tmp_path, SHARD)


def test_rows_without_a_figure(tmp_path: Path) -> None:
    parquet.write(tmp_path, SHARD, some_rows(), census(solutions=True))
    path = tmp_path / "deals" / SHARD.name
    table = pq.read_table(path)
    for name in ("positions", "attempt", "solution"):
        number, values = table.column_names.index(name), [None, *table[name].to_pylist()[1:]]
        pq.write_table(table.set_column(number, name, pa.array(values, table[name].type)), path)
        with pytest.raises(parquet.Corrupt, match=f"no {name} of a deal"):
            parquet.read(tmp_path, SHARD)


@pytest.mark.parametrize(
    ("name", "value"),
    [("moves", 51), ("positions", 461), ("positions", 2**32 - 1), ("closure", 0), ("closure_safe", 0)],
)
def test_figures_that_no_search_comes_to(tmp_path: Path, name: str, value: int) -> None:
    rows = without_solutions(some_rows())
    parquet.write(tmp_path, SHARD, rows, census())
    path = tmp_path / "deals" / SHARD.name
    table = pq.read_table(path)
    values = table[name].to_pylist()
    index = next(index for index, value in enumerate(values) if value is not None and index > 10)
    values[index] = value
    pq.write_table(table.set_column(table.column_names.index(name), name, pa.array(values, table[name].type)), path)
    with pytest.raises(parquet.Corrupt, match=f"deal {SHARD.first + index}: {value} {name}"):
        parquet.read(tmp_path, SHARD)


@pytest.mark.parametrize(
    "attempt",
    [0, 3],
)
def test_attempts_out_of_range(tmp_path: Path, attempt: int) -> None:
    parquet.write(tmp_path, SHARD, without_solutions(some_rows()), census())
    path = tmp_path / "deals" / SHARD.name
    table = pq.read_table(path)
    attempts = pa.array([attempt, *table["attempt"].to_pylist()[1:]], pa.uint8())
    pq.write_table(table.set_column(table.column_names.index("attempt"), "attempt", attempts), path)
    with pytest.raises(parquet.Corrupt, match="attempts that are not from 1 to 2"):
        parquet.read(tmp_path, SHARD)


LOOK = """
import sys
from pathlib import Path
from pipeline.errors import UsageError
from pipeline.evidence.tables import Table
from pipeline.shards import shard_named
from pipeline.store import parquet
for path in map(Path, sys.argv[1:]):
    for look in (lambda: parquet.footer(path.parent.parent, shard_named(path.name)), lambda: Table(path, {})):
        try:
            look()
        except UsageError as refused:
            assert path.name in str(refused)
            print("refused")
"""


def test_a_footer_that_could_make_the_library_end_the_process(tmp_path: Path) -> None:
    """A bit of a column's type: to ask a footer for the statistics of such a column is the library's end."""
    rows = without_solutions(some_rows())
    parquet.write(tmp_path, SHARD, rows._replace(closures=rows.safe_closures), census())
    sound = (as_schema_1(tmp_path) / "deals" / SHARD.name).read_bytes()
    footer = len(sound) - 8 - int.from_bytes(sound[-8:-4], "little")
    paths = []
    for number, found in enumerate(re.finditer(rb"\x15\x02\x19\x35\x00\x06", sound[footer:])):  # INT32, 3 encodings
        paths.append(tmp_path / str(number) / "deals" / SHARD.name)
        paths[-1].parent.mkdir(parents=True)
        at = footer + found.start() + 1
        paths[-1].write_bytes(sound[:at] + b"\x00" + sound[at + 1 :])  # BOOLEAN
    assert len(paths) == 3
    done = subprocess.run([sys.executable, "-c", LOOK, *paths], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["refused"]


def test_moves_in_the_row_of_another_deal(tmp_path: Path) -> None:
    parquet.write(tmp_path, SHARD, some_rows(), census(solutions=True))
    path = tmp_path / "deals" / SHARD.name
    table = pq.read_table(path)
    solutions = table["solution"].to_pylist()
    at = next(index for index in range(len(solutions) - 1) if solutions[index])
    solutions[at : at + 2] = [solutions[at][:-1], solutions[at][-1:] + solutions[at + 1]]  # all moves are still there
    pq.write_table(table.set_column(table.column_names.index("solution"), "solution", pa.array(solutions)), path)
    with pytest.raises(parquet.Corrupt, match="as long as its moves say"):
        parquet.read(tmp_path, SHARD)


def test_no_memory_is_no_corruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write(tmp_path, SHARD, without_solutions(some_rows()), census())

    def full(*_: object, **__: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 64 failed")

    monkeypatch.setattr(pq, "ParquetFile", full)
    with pytest.raises(MemoryError, match=SHARD.name):
        parquet.read(tmp_path, SHARD)


def test_failed_write_leaves_the_old_shard(tmp_path: Path) -> None:
    parquet.write(tmp_path, SHARD, without_solutions(some_rows()), census())
    before = (tmp_path / "deals" / SHARD.name).read_bytes()
    cut = without_solutions(some_rows(2))._replace(positions=np.zeros(3, np.uint32))
    with pytest.raises(ValueError, match="length"):
        parquet.write(tmp_path, SHARD, cut, census())
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [SHARD.name]
    assert (tmp_path / "deals" / SHARD.name).read_bytes() == before


READ = """
import os, sys
from pathlib import Path
from pipeline.store import parquet
from pipeline.store.folder import written
folder = Path(sys.argv[1])
threads = os.listdir("/proc/self/task")
parquet.read(folder, written(folder)[0])
sys.exit(0 if os.listdir("/proc/self/task") == threads else 1)
"""


def test_no_thread_of_arrow_holds_the_file_when_python_ends(tmp_path: Path) -> None:
    parquet.write(tmp_path, SHARD, without_solutions(some_rows()), census())
    assert subprocess.run([sys.executable, "-c", READ, str(tmp_path)], cwd=ROOT, check=False).returncode == 0
