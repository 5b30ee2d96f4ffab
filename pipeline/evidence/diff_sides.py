"""One side of a comparison: a path or a URL is a run's folder, Parquet files, or a list."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.errors import UsageError
from pipeline.evidence import known_list
from pipeline.evidence.chunks import CELLS, CHUNK, FIGURES, Chunk, Side, Stretch
from pipeline.evidence.ranges import Range, joined, pieces
from pipeline.evidence.tables import SUFFIXES, Table, Tables, tables_in
from pipeline.places import Place, place
from pipeline.store import parquet
from pipeline.store.folder import CONFIG
from pipeline.store.parquet import Corrupt, Footer
from pipeline.store.result import ResultSet, folders_in, open_result
from pipeline.store.rows import SOLVED, UNSOLVABLE


def side(name: str | Place) -> Side:
    """The side that a path or URL means: a run's folder, Parquet files, or a list of unsolvable deals.

    Raises
    ------
    UsageError
        If it is none of them.
    """
    path = place(name)
    if path.is_file():
        return Tables(str(path), [(path, {})]) if _is_parquet(path) else _List(path)
    try:
        return Run(str(path), open_result(path))
    except UsageError as refused:
        files = tables_in(path) if path.is_dir() else []
        if not files and path.is_dir():
            raise UsageError(f"{refused}; nor has it any Parquet file") from None
        if not files:
            raise
        of_a_run = any((folder / CONFIG).is_file() for folder in folders_in(path))
        try:
            found = Tables(str(path), files)
        except UsageError:
            if of_a_run:  # whose files can be made again, as the refusal says
                raise refused from None
            raise
        if of_a_run:
            _say_what_verify_thinks(refused)
        return found


def _is_parquet(path: Place) -> bool:
    with path.open("rb") as file:
        return path.name.endswith(SUFFIXES) or file.read(4) == b"PAR1"


def _say_what_verify_thinks(refused: UsageError) -> None:
    print(f"compared as it is; `verify` refuses it: {refused}", file=sys.stderr)


class Run(Side):
    """The folder of a run, or of its parts."""

    def __init__(self, name: str, result: ResultSet) -> None:
        old = any(footer.provenance.schema in parquet.READ_AS_WELL for _, footer in result.shards)
        lacks = {"closure_safe"} if old else set()
        lacks |= set() if result.config.rules.fewest else {CELLS}
        has = [figure for figure in FIGURES if figure not in lacks]
        super().__init__(name, parquet.rules_said(result.config.rules), sum(result.counts), has)
        self._result = result
        self.missing = sum(last - first + 1 for first, last in result.missing)

    @property
    def spans(self) -> list[Range]:
        """The shards."""
        return joined((footer.shard.first, footer.shard.last) for _, footer in self._result.shards)

    def chunks(self, figures: Sequence[str], others: Sequence[Range] | None = None) -> Iterator[Chunk]:
        """A chunk a shard."""
        for folder, footer in self._result.shards:
            try:
                rows = parquet.read(folder, footer.shard)
            except Corrupt as refused:
                yield from _as_it_is(folder, footer, figures, refused)
                continue
            columns: dict[str, npt.NDArray[Any]] = {
                "positions": rows.positions,
                "moves": rows.moves,
                "closure": rows.closures,
                "closure_safe": rows.safe_closures,
                "attempt": rows.attempts,
                CELLS: rows.cells,
            }
            deals = np.arange(footer.shard.first, footer.shard.last + 1, dtype=np.uint64)
            yield Chunk(deals, rows.verdicts, {name: columns[name] for name in figures})


def _as_it_is(folder: Place, footer: Footer, figures: Sequence[str], refused: Corrupt) -> list[Chunk]:
    """A shard that another program wrote anew: whole by its checksums, but not what a run writes."""
    shard = footer.shard
    try:
        table = Table(parquet.shard_path(folder, shard), {})
        chunks = list(table.chunks(figures, CHUNK)) if set(figures) <= set(table.columns) else []
    except UsageError:
        raise refused from None
    if not chunks or chunks[0].deals[0] < shard.first or chunks[-1].deals[-1] > shard.last:
        raise refused
    _say_what_verify_thinks(refused)
    return chunks


class _List(Side):
    """A list of unsolvable deals. Every other deal in its ranges counts as solvable."""

    def __init__(self, path: Place) -> None:
        self.files = (path,)
        listed = known_list.load(path)
        self._deals = np.array(sorted(listed.deals), np.uint64)
        self._ranges = listed.ranges
        covered = sum(last - first + 1 for first, last in self._ranges)
        super().__init__(str(path), parquet.rules_said(listed.rules), covered, ())

    @property
    def spans(self) -> list[Range]:
        """What the list says that it covers."""
        return self._ranges

    def chunks(self, figures: Sequence[str], others: Sequence[Range] | None = None) -> Iterator[Chunk | Stretch]:
        """Rows where the other side may have any."""
        for piece in pieces(self._ranges, self._ranges if others is None else others):
            if piece.shared:
                yield from self._rows(piece.first, piece.last)
            else:
                yield Stretch(piece.first, piece.last)

    def _rows(self, first: int, last: int) -> Iterator[Chunk]:
        for start in range(first, last + 1, CHUNK):
            stop = min(start + CHUNK, last + 1)
            verdicts = np.full(stop - start, SOLVED, np.uint8)
            inside = self._deals[np.searchsorted(self._deals, start) : np.searchsorted(self._deals, stop)]
            verdicts[(inside - np.uint64(start)).astype(np.int64)] = UNSOLVABLE
            yield Chunk(np.arange(start, stop, dtype=np.uint64), verdicts, {})
