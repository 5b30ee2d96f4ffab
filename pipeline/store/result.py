"""One or several folders seen as one result: which shards there are, what is missing, and that they belong together.

For a notebook: `open_result("results/ms-1m").to_pandas()`; `table()` and `batches()` give Arrow.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from pipeline.config import Config, differences
from pipeline.errors import UsageError
from pipeline.places import Place, place
from pipeline.progress import Progress
from pipeline.store import parquet
from pipeline.store.folder import CONFIG, kept_config, missing, parts_in, written
from pipeline.store.parquet import Counts, Footer, shard_path


class ResultSet(NamedTuple):
    """Shards in order of deals, each with the folder that it is in.

    Attributes
    ----------
    config : Config
        What the folders were made by.
    shards : list of (Place, Footer)
    """

    config: Config
    shards: list[tuple[Place, Footer]]

    @property
    def counts(self) -> Counts:
        """Deals by verdict."""
        each = [footer.counts for _, footer in self.shards]
        return Counts(*map(sum, zip(*each, strict=True))) if each else Counts(0, 0, 0)

    @property
    def missing(self) -> list[tuple[int, int]]:
        """The ranges of deals that no shard holds."""
        gaps, next_deal = [], self.config.range.first
        for _, footer in self.shards:
            if footer.shard.first > next_deal:
                gaps.append((next_deal, footer.shard.first - 1))
            next_deal = footer.shard.last + 1
        if next_deal <= self.config.range.last:
            gaps.append((next_deal, self.config.range.last))
        return gaps

    def shown(self, title: str) -> Iterator[tuple[Place, Footer]]:
        """The shards, for work that takes a while: standard error shows how far it is."""
        with closing(Progress(title, sum(self.counts), left_over="")) as progress:
            for folder, footer in self.shards:
                yield folder, footer
                progress.advance(footer.shard.count)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """The rows as `pyarrow.Table`s, one a shard, in order of deals.

        Parameters
        ----------
        columns : sequence of str, optional
            Those that are wanted, as `parquet.COLUMNS` names them; all by default.

        Raises
        ------
        Corrupt
            If a shard is not what was written.
        """
        for folder, footer in self.shards:
            table = parquet.read_table(folder, footer.shard)
            yield table if columns is None else table.select(list(columns))

    def table(self, columns: Sequence[str] | None = None) -> Any:
        """All rows as one `pyarrow.Table`; raises as `batches` does. Ten million deals take some 300 MB."""
        empty = parquet.empty_table(self.config)
        empty = empty if columns is None else empty.select(list(columns))
        return pa.concat_tables([empty, *self.batches(columns)])

    def to_pandas(self, columns: Sequence[str] | None = None) -> Any:
        """All rows as a `pandas.DataFrame`, with pandas' nullable integers; needs pandas."""
        import pandas as pd

        nullable = {pa.uint8(): pd.UInt8Dtype(), pa.uint16(): pd.UInt16Dtype(), pa.uint64(): pd.UInt64Dtype()}
        return self.table(columns).to_pandas(types_mapper=nullable.get)


def folders_in(folder: Place) -> list[Place]:
    """The folders of runs that a folder stands for: the parts that are in it, and itself unless that is all it is."""
    parts = parts_in(folder)
    return [folder, *parts] if not parts or (folder / CONFIG).is_file() else parts


def open_result(*folders: str | Place) -> ResultSet:
    """Look at folders as one result; a folder that holds parts stands for all of them.

    Parameters
    ----------
    folders : str, Path or Remote
        Paths, or URLs as `places.place` takes them.

    Raises
    ------
    UsageError
        If a folder is none of a run or holds shards of another one, or if they don't belong together: other
        configurations, other programs, a deal in two shards.
    Corrupt
        If a shard's footer can't be read.
    """
    places = [part for folder in folders for part in folders_in(place(folder))]
    configs = [kept_config(folder) for folder in places]
    for folder, config in zip(places, configs, strict=True):
        if keys := differences(configs[0], config):
            raise UsageError(f"{places[0]} and {folder} are of different configurations ({', '.join(keys)})")
        missing(config, folder)  # refuses shards of another census
    shards = [(folder, footer) for folder in places for footer in parquet.footers(folder, written(folder))]
    shards.sort(key=lambda shard: shard[1].shard)
    for folder, footer in shards:
        _check_against_config(configs[0], folder, footer)
    for (first, one), (second, other) in pairwise(shards):
        both = f"{shard_path(first, one.shard)} and {shard_path(second, other.shard)}"
        if other.shard.first <= one.shard.last:
            raise UsageError(f"{both} hold the same deals")
        if other.provenance != one.provenance:
            raise UsageError(f"{both} are by different programs")
    return ResultSet(configs[0], shards)


def _check_against_config(config: Config, folder: Place, footer: Footer) -> None:
    """Refuse shards that are not what their configuration says: either may have been exchanged or edited."""
    said = {
        "rules": (parquet.rules_said(config.rules), footer.provenance.rules),
        "rules.fewest": (config.rules.fewest, footer.fewest),
        "store.solutions": (config.store.solutions, footer.solutions),
        "search": (list(config.search.budgets[: len(footer.attempts)]), list(footer.attempts)),
    }
    for key, (configured, found) in said.items():
        if configured != found:
            raise UsageError(
                f"{folder / CONFIG} says {configured} for {key}, {shard_path(folder, footer.shard)} says {found}: "
                "they don't belong together"
            )
