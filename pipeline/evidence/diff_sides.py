"""One side of a comparison, whatever it is: a stream of chunks of rows, ascending by deal."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from kernels.dealing import FIRST_DEAL, LAST_DEAL
from pipeline.errors import UsageError
from pipeline.evidence import known_list
from pipeline.places import Place, place
from pipeline.store import parquet
from pipeline.store.result import ResultSet, open_result
from pipeline.store.rows import SOLVED, UNSOLVABLE, VERDICTS

FIGURES = ("positions", "moves", "closure", "closure_safe", "attempt")
"""Columns of a result beside the verdict."""

CHUNK = 250_000
"""Rows of a file or a list that are held at a time; of a folder, a shard's."""


class Chunk(NamedTuple):
    """Rows of deals that ascend, with or without gaps.

    Attributes
    ----------
    deals : (n,) uint64
    verdicts : (n,) uint8
        UNDECIDED, SOLVED or UNSOLVABLE.
    figures : dict of str to (n,) unsigned integers
        Those of FIGURES that were asked for and are there; 0 where null.
    """

    deals: npt.NDArray[np.uint64]
    verdicts: npt.NDArray[np.uint8]
    figures: dict[str, npt.NDArray[Any]]

    def part(self, rows: Any) -> "Chunk":
        """Some of the rows, by slice, mask or indices."""
        figures = {name: values[rows] for name, values in self.figures.items()}
        return Chunk(self.deals[rows], self.verdicts[rows], figures)


NOTHING = Chunk(np.empty(0, np.uint64), np.empty(0, np.uint8), {})


class Side:
    """What `diff` compares.

    Attributes
    ----------
    name : str
        What the user called it.
    rules : str or None
        The rules as shards name them; None where the file doesn't say.
    rows : int
        Number of rows.
    figures : tuple of str
        Those of FIGURES that it has.
    files : tuple of Place
        What is read, but for the files of a run.
    """

    files: tuple[Place, ...] = ()

    def __init__(self, name: str, rules: str | None, rows: int, figures: Sequence[str]) -> None:
        self.name, self.rules, self.rows, self.figures = name, rules, rows, tuple(figures)

    def chunks(self, figures: Sequence[str]) -> Iterator[Chunk]:
        """The rows, with those figures.

        Raises
        ------
        UsageError
            If rows can't be read, or don't ascend by deal.
        """
        raise NotImplementedError


def side(name: str | Place) -> Side:
    """The side that a path or URL means: a folder, a Parquet file, or a list of unsolvable deals.

    Raises
    ------
    UsageError
        If it is none of them.
    """
    path = place(name)
    if isinstance(path, Path) and path.is_file():
        return _File(path) if _is_parquet(path) else _List(path)
    return _Folder(str(name), open_result(path))


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return path.suffix == ".parquet" or file.read(4) == b"PAR1"


class _Folder(Side):
    def __init__(self, name: str, result: ResultSet) -> None:
        rules = {"game": result.config.rules.game, "cells": result.config.rules.cells}
        old = any(footer.provenance.schema in parquet.READ_AS_WELL for _, footer in result.shards)
        has = [figure for figure in FIGURES if not (old and figure == "closure_safe")]
        super().__init__(name, json.dumps(rules), sum(result.counts), has)
        self._result = result

    def chunks(self, figures: Sequence[str]) -> Iterator[Chunk]:
        for folder, footer in self._result.shards:
            rows = parquet.read(folder, footer.shard)
            columns: dict[str, npt.NDArray[Any]] = {
                "positions": rows.positions,
                "moves": rows.moves,
                "closure": rows.closures,
                "closure_safe": rows.safe_closures,
                "attempt": rows.attempts,
            }
            deals = np.arange(footer.shard.first, footer.shard.last + 1, dtype=np.uint64)
            yield Chunk(deals, rows.verdicts, {name: columns[name] for name in figures})


class _File(Side):
    """A Parquet file with the columns deal and verdict, by whatever version or program."""

    def __init__(self, path: Path) -> None:
        self.file, self.files = path, (path,)
        try:
            metadata = pq.read_metadata(path)
        except (pa.ArrowException, OSError) as error:
            raise UsageError(f"{path} is no Parquet file that can be read: {_line(error)}") from error
        columns = [metadata.schema.column(index).path for index in range(len(metadata.schema.names))]
        if missing := [name for name in ("deal", "verdict") if name not in columns]:
            raise UsageError(f"{path} is no result: it has no column {' and no column '.join(missing)}")
        if twice := [name for name in ("deal", "verdict", *FIGURES) if columns.count(name) > 1]:
            raise UsageError(f"{path} is no result: it has more than one column {twice[0]}")
        rules = (metadata.metadata or {}).get(b"freecell_census.rules")
        has = [name for name in FIGURES if name in columns]
        super().__init__(str(path), rules and rules.decode(errors="replace"), metadata.num_rows, has)

    def chunks(self, figures: Sequence[str]) -> Iterator[Chunk]:
        last = 0
        try:
            file = pq.ParquetFile(self.file, page_checksum_verification=True, pre_buffer=False)
            for batch in file.iter_batches(CHUNK, columns=["deal", "verdict", *figures], use_threads=False):
                if chunk := self._chunk(batch, figures, last):
                    last = int(chunk.deals[-1])
                    yield chunk
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise UsageError(f"{self.file} can't be read: {_line(error)}") from error

    def _chunk(self, batch: Any, figures: Sequence[str], last: int) -> Chunk | None:
        if not batch.num_rows:
            return None
        deals = self._whole_numbers(batch, "deal")
        if len(strange := deals[(deals < FIRST_DEAL) | (deals > LAST_DEAL)]):
            raise UsageError(f"{self.file}: {strange[0]} is no deal: they are from {FIRST_DEAL} to {LAST_DEAL}")
        before = np.append(np.uint64(last), deals[:-1])
        if len(wrong := np.flatnonzero(deals <= before)):
            one, other = int(before[wrong[0]]), int(deals[wrong[0]])
            raise UsageError(f"{self.file}: deal {other} comes after deal {one}: sort it by deal, each one once")
        return Chunk(deals, self._codes(batch["verdict"]), {name: self._whole_numbers(batch, name) for name in figures})

    def _whole_numbers(self, batch: Any, name: str) -> npt.NDArray[np.uint64]:
        try:
            numbers = batch[name].cast(pa.uint64())
        except pa.ArrowException as error:
            raise UsageError(f"{self.file}: the column {name} holds no whole numbers: {_line(error)}") from error
        if name == "deal" and numbers.null_count:
            raise UsageError(f"{self.file}: the column deal has nulls")
        values: npt.NDArray[np.uint64] = numbers.fill_null(0).to_numpy(zero_copy_only=False)
        return values

    def _codes(self, column: Any) -> npt.NDArray[np.uint8]:
        verdicts = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        words = verdicts.dictionary.to_pylist()
        if strange := [word for word in words if word not in VERDICTS]:
            raise UsageError(f"{self.file}: {strange[0]!r} is no verdict: one of {', '.join(VERDICTS)}")
        if verdicts.null_count:
            raise UsageError(f"{self.file}: the column verdict has nulls")
        codes = np.array([VERDICTS.index(word) for word in words], np.uint8)
        numbered: npt.NDArray[np.uint8] = codes[verdicts.indices.to_numpy(zero_copy_only=False)]
        return numbered


class _List(Side):
    """A list of unsolvable deals: it says of every other deal of its ranges that it is solvable."""

    def __init__(self, path: Path) -> None:
        self.files = (path,)
        listed = known_list.load(path)
        self._deals = np.array(sorted(listed.deals), np.uint64)
        self._ranges = _joined(listed.ranges)
        covered = sum(last - first + 1 for first, last in self._ranges)
        super().__init__(str(path), json.dumps({"game": "freecell", "cells": 4}), covered, ())

    def chunks(self, figures: Sequence[str]) -> Iterator[Chunk]:
        for first, last in self._ranges:
            for start in range(first, last + 1, CHUNK):
                stop = min(start + CHUNK, last + 1)
                verdicts = np.full(stop - start, SOLVED, np.uint8)
                inside = self._deals[np.searchsorted(self._deals, start) : np.searchsorted(self._deals, stop)]
                verdicts[(inside - np.uint64(start)).astype(np.int64)] = UNSOLVABLE
                yield Chunk(np.arange(start, stop, dtype=np.uint64), verdicts, {})


def _joined(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges in order, those that overlap or touch made one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _line(error: object) -> str:
    return " ".join(str(error).split())
