"""The numbers of a report, against NumPy on all rows at once."""

from pathlib import Path

import numpy as np
import pytest

from pipeline import config as configuration
from pipeline.report.statistics import (
    CELLS,
    HARDEST,
    MOST_UNDECIDED,
    MOST_UNSOLVABLE,
    Histogram,
    gathered,
)
from pipeline.shards import shards
from pipeline.store import parquet
from pipeline.store.result import open_result
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE, Rows, joined
from tests.conftest import SMALL, Make

FIRST = 11_801


def random_rows(count: int, seed: int, weights: tuple[float, float, float], budgets: tuple[int, ...]) -> Rows:
    """Rows with the long tail of positions that a census has, as far as its attempts may go."""
    random = np.random.default_rng(seed)
    verdicts = random.choice(3, count, p=weights).astype(np.uint8)
    attempts = random.integers(1, 5, count)
    return Rows(
        verdicts,
        np.minimum(np.exp(random.normal(5, 4, count)), np.cumsum(budgets)[attempts - 1]).astype(np.uint32),
        np.where(verdicts == SOLVED, random.integers(52, 65_536, count), 0).astype(np.uint16),
        attempts.astype(np.uint8),
        np.where(verdicts == UNSOLVABLE, random.integers(1, 2**40, count), 0).astype(np.uint64),
        np.where(verdicts == UNSOLVABLE, random.integers(1, 2**40, count), 0).astype(np.uint64),
        np.empty(0, np.uint8),
    )


def written(folder: Path, text: str, weights: tuple[float, float, float] = (0.1, 0.6, 0.3)) -> Rows:
    """A result in a folder; its rows."""
    (folder / "deals").mkdir(parents=True)
    (folder / "config.toml").write_text(text)
    config = configuration.load(folder / "config.toml")
    blocks = []
    for seed, shard in enumerate(shards(config)):
        blocks.append(random_rows(shard.count, seed, weights, config.search.budgets))
        parquet.write(folder, shard, blocks[-1], config)
    return joined(blocks)


def exactly(values: np.ndarray, per_mille: int) -> int:
    """By whole numbers: NumPy's own percentiles round 99.9 % of 5,000 up to 4,996."""
    ranks = np.arange(1, len(values) + 1)
    return int(np.sort(values)[ranks * 1_000 >= per_mille * len(values)][0])


@pytest.mark.parametrize("count", [1, 7, 4_001])
def test_percentiles(count: int) -> None:
    values = np.exp(np.random.default_rng(count).normal(6, 2, count)).astype(np.uint32)
    histogram = Histogram()
    for part in np.array_split(values, 3):
        histogram.add(part)
    for per_mille in (1, 500, 900, 990, 999, 1_000):
        assert histogram.percentile(per_mille) == exactly(values, per_mille)
    assert (histogram.total, histogram.sum, histogram.largest) == (count, values.sum(), values.max())
    assert histogram.smallest() == values.min()


def test_percentiles_of_large_numbers_are_exact() -> None:
    values = np.random.default_rng(1).integers(0, 2**32, 5_000, dtype=np.uint32)
    histogram = Histogram()
    for part in np.array_split(values, 3):
        histogram.add(part)
    for per_mille in (500, 900, 999, 1_000):
        assert histogram.percentile(per_mille) == exactly(values, per_mille)


@pytest.mark.parametrize("value", [0, 1, 2**20, 2**31, 2**32 - 1])
def test_one_number(value: int) -> None:
    histogram = Histogram()
    histogram.add(np.array([value], np.uint32))
    assert histogram.smallest() == histogram.percentile(500) == histogram.largest == histogram.sum == value
    assert histogram.between(np.array([value, value + 1, value + 2])).tolist() == [1, 0]


def test_counts_between_edges() -> None:
    values = np.exp(np.random.default_rng(3).normal(8, 3, 10_000)).astype(np.uint32)
    histogram = Histogram()
    histogram.add(values)
    edges = np.unique(np.logspace(0, 9, 60).astype(np.int64))
    assert histogram.between(edges).tolist() == np.histogram(values, [*edges[:-1], edges[-1] - 1e-9])[0].tolist()


def test_gathered_over_shards(tmp_path: Path) -> None:
    rows = written(tmp_path / "out", SMALL)
    figures = gathered(open_result(tmp_path / "out"), None)
    deals = np.arange(FIRST, FIRST + len(rows.verdicts))
    solved, unsolvable = (np.flatnonzero(rows.verdicts == code) for code in (SOLVED, UNSOLVABLE))
    assert figures.positions.sum == rows.positions[rows.verdicts != UNDECIDED].sum(dtype=np.int64)
    assert figures.moves.percentile(990) == exactly(rows.moves[solved], 990)
    assert [row.deal for row in figures.unsolvable] == deals[unsolvable].tolist()
    assert [row.closure for row in figures.unsolvable] == rows.closures[unsolvable].tolist()
    assert [row.deal for row in figures.undecided] == deals[rows.verdicts == UNDECIDED].tolist()
    order = solved[np.lexsort((solved, -rows.positions[solved].astype(np.int64)))]
    assert [row.deal for row in figures.hardest] == deals[order[:HARDEST]].tolist()
    assert [row.positions for row in figures.hardest] == rows.positions[order[:HARDEST]].tolist()
    assert figures.unsolvable_by_cell.sum() == len(unsolvable)
    assert np.flatnonzero(figures.unsolvable_by_cell).tolist() == (unsolvable * CELLS // 400).tolist()
    for attempt in range(1, 5):
        there = np.bincount(rows.verdicts[rows.attempts == attempt], minlength=3)
        assert figures.attempts[attempt].tolist() == there.tolist()
    assert figures.proved == set()


def test_equally_hard_deals_come_in_order(make: Make) -> None:
    hardest = gathered(open_result(make()), None).hardest
    assert [row.deal for row in hardest] == list(range(FIRST, FIRST + HARDEST))


def test_what_is_kept_has_a_limit(tmp_path: Path) -> None:
    text = SMALL.replace("12_200", "16_800").replace("shard = 50", "shard = 900")
    rows = written(tmp_path / "out", text, (0.4, 0.0, 0.6))
    figures = gathered(open_result(tmp_path / "out"), None)
    assert len(figures.unsolvable) == MOST_UNSOLVABLE < np.count_nonzero(rows.verdicts == UNSOLVABLE)
    assert len(figures.undecided) == MOST_UNDECIDED
    assert figures.unsolvable_by_cell.sum() == np.count_nonzero(rows.verdicts == UNSOLVABLE)
    assert figures.hardest == []


def test_deals_of_a_list(make: Make) -> None:
    figures = gathered(
        open_result(make({11_982}, {11_990}, slice(0, 4))), {5, 11_800, 11_801, 11_850, 11_982, 11_990, 12_001}
    )
    assert figures.proved == {11_982}
    assert figures.listed == [11_801, 11_850, 11_982, 11_990]
    assert figures.listed_undecided == {11_990}
