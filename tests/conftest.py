"""What tests of several modules share."""

import hashlib
import signal
from collections.abc import Callable, Set
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from pipeline import config as configuration
from pipeline.census.passes import deep_deciders
from pipeline.shards import Task, shards
from pipeline.store import parquet
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE, Rows

SMALL = """\
name = "small"
[range]
first = 11_801
last = 12_200
[search]
quick = [60, 400]
deep = [4_000, 100_000]
closure = 1_000_000
closure_safe = 1_000_000
[store]
shard = 50
[verify]
known = "results/known/unsolvable-10m.txt"
"""
"""A census of seconds that holds deal 11982, with budgets that give both deep attempts something to do."""

ROOT = Path(__file__).parent.parent

# Whatever runs the tests may ignore signals, which children inherit: the programs under test have to hear them.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The file of a small configuration."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of each shard in a folder."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((folder / "deals").glob("*.parquet"))
    }


FEWEST = """\
name = "few-fewest"
[range]
first = 11_979
last = 11_984
[rules]
cells = 5
fewest = true
[search]
quick = [60, 700, 800, 3_000]
deep = [20_000, 50_000]
closure = 80_000
closure_safe = 1_000_000
[store]
shard = 3
solutions = true
"""
"""The fewest cells for six deals: 2, 3, 2, 5, 1 and 2. The proof of 11982, which needs five, is of the second grade."""


@pytest.fixture
def fewest(tmp_path: Path) -> Path:
    """A result of `fewest-cells`, made without the farm."""
    path, folder = tmp_path / "few.toml", tmp_path / "fewest"
    path.write_text(FEWEST)
    config = configuration.load(path)
    (folder / "deals").mkdir(parents=True)
    (folder / "config.toml").write_text(configuration.dump(config))
    for shard in shards(config):
        rows = deep_deciders(config)[-1](Task(shard.first, shard.count))
        assert isinstance(rows, Rows)
        parquet.write(folder, shard, rows, config)
    return folder


Make = Callable[..., Path]


def as_schema_1(folder: Path) -> Path:
    """Rewrites a result as versions of schema 1 wrote it; the folder."""
    for path in (folder / "deals").iterdir():
        table = pq.read_table(path).drop_columns(["closure_safe"])
        said = {key: value for key, value in table.schema.metadata.items() if key != b"freecell_census.counts"}
        table = table.replace_schema_metadata(said | {b"freecell_census.schema": b"1"})
        pq.write_table(table, path, compression="zstd", write_page_checksum=True)
    return folder


def rows_of(first: int, count: int, unsolvable: Set[int], undecided: Set[int]) -> Rows:
    deals = range(first, first + count)
    verdicts = np.array(
        [UNSOLVABLE if deal in unsolvable else UNDECIDED if deal in undecided else SOLVED for deal in deals], np.uint8
    )
    return Rows(
        verdicts,
        np.full(count, 50, np.uint32),
        np.where(verdicts == SOLVED, 90, 0).astype(np.uint16),
        np.ones(count, np.uint8),
        np.where(verdicts == UNSOLVABLE, 83_239, 0).astype(np.uint64),
        np.where(verdicts == UNSOLVABLE, 61_643, 0).astype(np.uint64),
        np.empty(0, np.uint8),
    )


@pytest.fixture
def make(small: Path, tmp_path: Path) -> Make:
    """Writes a result: which deals are unsolvable or undecided, which shards are there, in which folder."""

    def written(
        unsolvable: Set[int] = frozenset({11_982}),
        undecided: Set[int] = frozenset(),
        which: slice = slice(None),
        name: str = "out",
    ) -> Path:
        config = configuration.load(small)
        folder = tmp_path / name
        (folder / "deals").mkdir(parents=True)
        (folder / "config.toml").write_text(configuration.dump(config))
        for shard in shards(config)[which]:
            parquet.write(folder, shard, rows_of(shard.first, shard.count, unsolvable, undecided), config)
        return folder

    return written
