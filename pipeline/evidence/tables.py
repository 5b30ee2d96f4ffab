"""Parquet files with the columns deal and verdict, whoever wrote them, as one side of a comparison."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from kernels.dealing import FIRST_DEAL, LAST_DEAL
from pipeline.errors import UsageError
from pipeline.evidence.chunks import CHUNK, FIGURES, Chunk, Side, merged
from pipeline.evidence.ranges import Range, joined
from pipeline.places import Place, Unreachable, files_below
from pipeline.store.parquet import DEALS
from pipeline.store.rows import VERDICTS

SUFFIXES = (".parquet", ".parq", ".pq")

NEEDED = ("deal", "verdict")

ANY_ORDER = 5_000_000
"""Rows that a file may have to be sorted here: threads of a writer often shuffle them. Larger ones have to ascend."""

LEAST = 50_000
"""Rows that are held at a time of each of many files."""


def tables_in(folder: Place) -> list[tuple[Place, dict[str, str]]]:
    """The Parquet files of a data set, with what the names of folders say of their rows (`verdict=solved`).

    Names that begin with a dot or `_` are passed over, as other readers do. Of a folder of runs or proofs, what lies in
    its `deals` counts alone.
    """
    named = [(PurePosixPath(name), path) for name, path in files_below(folder)]
    there = [
        (name, path)
        for name, path in named
        if name.suffix in SUFFIXES and not any(part.startswith((".", "_")) for part in name.parts)
    ]
    rows = [(name, path) for name, path in there if name.parent.name == DEALS]
    return [(path, _said_by_folders(name)) for name, path in rows or there]


def _said_by_folders(name: PurePosixPath) -> dict[str, str]:
    pairs = (part.partition("=") for part in name.parent.parts)
    return {key: unquote(value) for key, equals, value in pairs if equals}


class Tables(Side):
    """Files that together hold each deal at most once; in a large one, deals ascend."""

    def __init__(self, name: str, files: Sequence[tuple[Place, dict[str, str]]]) -> None:
        self._tables = sorted((Table(path, said) for path, said in files), key=lambda table: table.span)
        rules = sorted({table.rules for table in self._tables if table.rules})
        if len(rules) > 1:
            raise UsageError(f"{name} holds rows of different games: {rules[0]} and {rules[1]}")
        has = [figure for figure in FIGURES if all(figure in table.columns for table in self._tables)]
        super().__init__(name, rules[0] if rules else None, sum(table.rows for table in self._tables), has)
        self.files = tuple(table.path for table in self._tables)

    @property
    def spans(self) -> list[Range]:
        """From the first deal of each file to its last."""
        return joined(table.span for table in self._tables)

    def chunks(self, figures: Sequence[str], others: Sequence[Range] | None = None) -> Iterator[Chunk]:
        """The rows of all files in the order of their deals; a file is opened when its first deal may come next."""
        size = CHUNK if len(self._tables) == 1 else max(LEAST, CHUNK // len(self._tables))
        waiting = list(reversed(self._tables))
        at_hand: list[tuple[Chunk, Iterator[Chunk]]] = []
        while waiting or at_hand:
            while waiting and (not at_hand or waiting[-1].span[0] <= _end(at_hand)):
                at_hand += _next(waiting.pop().chunks(figures, size))
            if not at_hand:
                continue
            end = _end(at_hand)
            parts, rest = [], []
            for chunk, more in at_hand:
                count = int(np.searchsorted(chunk.deals, end, "right"))
                parts.append(chunk.part(slice(count)))
                left = chunk.part(slice(count, None))
                rest += [(left, more)] if len(left.deals) else _next(more)
            at_hand = rest
            yield merged(parts, self.name)


def _next(chunks: Iterator[Chunk]) -> list[tuple[Chunk, Iterator[Chunk]]]:
    return [(chunk, chunks) for chunk in [next(chunks, None)] if chunk]


def _end(at_hand: Sequence[tuple[Chunk, Iterator[Chunk]]]) -> int:
    """The deal up to which every file's rows are at hand."""
    return min(int(chunk.deals[-1]) for chunk, _ in at_hand)


class Table:
    """One file.

    Parameters
    ----------
    path : Place
    said : dict of str to str
        Columns that are not in the file, with their one value.

    Attributes
    ----------
    columns : list of str
    rules : str or None
        The game as shards name it; None where the file doesn't say.
    rows : int
    span : (int, int)
        First and last deal; all there are where the column is not in the file.

    Raises
    ------
    UsageError
        If it can't be read, or has no column deal or verdict.
    """

    def __init__(self, path: Place, said: dict[str, str]) -> None:
        self.path, self._said = path, said
        with self._readable("is no Parquet file that can be read; was it copied in full?"), path.open("rb") as file:
            opened = pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False)
            metadata = opened.metadata
            inside = opened.schema_arrow.names  # not the paths of the footer: a list's is `closure.list.element`
            self._inside, self.rows = frozenset(inside), metadata.num_rows
            self.span = self._ends(opened, metadata) if inside.count("deal") == 1 else (FIRST_DEAL, LAST_DEAL)
        self.columns = [*inside, *(name for name in said if name not in inside)]
        if missing := [name for name in NEEDED if name not in self.columns]:
            raise UsageError(f"{path} is no result: it has no column {' and no column '.join(missing)}")
        if twice := [name for name in (*NEEDED, *FIGURES) if self.columns.count(name) > 1]:
            raise UsageError(f"{path} is no result: it has more than one column {twice[0]}")
        self.rules = _rules((metadata.metadata or {}).get(b"freecell_census.rules"))

    def _ends(self, file: Any, metadata: Any) -> Range:
        """First and last deal.

        By rows: to ask a damaged footer for the statistics of a column can make the library end the process.
        """
        groups = [index for index in range(metadata.num_row_groups) if metadata.row_group(index).num_rows]
        if not groups:
            return FIRST_DEAL, FIRST_DEAL
        few = groups if self.rows <= ANY_ORDER else [groups[0], groups[-1]]  # of rows that ascend
        deals = file.read_row_groups(few, ["deal"], use_threads=False)
        numbers = [self._whole_numbers(batch, "deal") for batch in deals.to_batches() if batch.num_rows]
        return int(min(part.min() for part in numbers)), int(max(part.max() for part in numbers))

    def chunks(self, figures: Sequence[str], size: int) -> Iterator[Chunk]:
        """The rows, so many at a time.

        Raises
        ------
        UsageError
            If rows can't be read, a deal is there twice, or the file is large and its deals don't ascend.
        """
        if self.rows > ANY_ORDER:
            yield from self._in_order(figures, size)
        elif parts := list(self._read(figures, size)):
            yield merged(parts, str(self.path))

    def _in_order(self, figures: Sequence[str], size: int) -> Iterator[Chunk]:
        last = 0
        for chunk in self._read(figures, size):
            before = np.append(np.uint64(last), chunk.deals[:-1])
            if len(wrong := np.flatnonzero(chunk.deals <= before)):
                one, other = int(before[wrong[0]]), int(chunk.deals[wrong[0]])
                raise UsageError(f"{self.path}: deal {other} comes after deal {one}: sort it by deal, each one once")
            last = int(chunk.deals[-1])
            yield chunk

    def _read(self, figures: Sequence[str], size: int) -> Iterator[Chunk]:
        wanted = [name for name in (*NEEDED, *figures) if name in self._inside]
        with self._readable("can't be read"), self.path.open("rb") as source:
            file = pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False)
            for batch in file.iter_batches(size, columns=wanted, use_threads=False):
                if batch.num_rows:
                    yield self._chunk(batch, figures)

    @contextmanager
    def _readable(self, what: str) -> Iterator[None]:
        try:
            yield
        except (Unreachable, MemoryError):
            raise
        except (pa.ArrowException, OSError, IndexError, UnicodeDecodeError) as error:  # the last two: damaged footers
            raise UsageError(f"{self.path} {what} ({_line(error)})") from error

    def _chunk(self, batch: Any, figures: Sequence[str]) -> Chunk:
        deals = self._whole_numbers(batch, "deal")
        if len(strange := deals[(deals < FIRST_DEAL) | (deals > LAST_DEAL)]):
            raise UsageError(f"{self.path}: {strange[0]} is no deal: they are from {FIRST_DEAL} to {LAST_DEAL}")
        return Chunk(deals, self._codes(batch), {name: self._whole_numbers(batch, name) for name in figures})

    def _column(self, batch: Any, name: str) -> Any:
        return batch[name] if name in self._inside else pa.array([self._said[name]] * batch.num_rows)

    def _whole_numbers(self, batch: Any, name: str) -> npt.NDArray[np.uint64]:
        try:
            numbers = self._column(batch, name).cast(pa.uint64())
        except pa.ArrowException as error:
            raise UsageError(f"{self.path}: the column {name} holds no whole numbers: {_line(error)}") from error
        if name == "deal" and numbers.null_count:
            raise UsageError(f"{self.path}: the column deal has nulls")
        values: npt.NDArray[np.uint64] = numbers.fill_null(0).to_numpy(zero_copy_only=False)
        return values

    def _codes(self, batch: Any) -> npt.NDArray[np.uint8]:
        column = self._column(batch, "verdict")
        try:
            verdicts = column if pa.types.is_dictionary(column.type) else column.cast(pa.string()).dictionary_encode()
        except pa.ArrowException as error:
            raise UsageError(f"{self.path}: the column verdict holds no words: {_line(error)}") from error
        if verdicts.null_count:
            raise UsageError(f"{self.path}: the column verdict has nulls")
        words = verdicts.dictionary.to_pylist()
        strange = len(VERDICTS)
        codes = np.array([VERDICTS.index(word) if word in VERDICTS else strange for word in words], np.uint8)
        numbered: npt.NDArray[np.uint8] = codes[verdicts.indices.to_numpy(zero_copy_only=False)]
        if len(wrong := np.flatnonzero(numbered == strange)):
            word = verdicts[int(wrong[0])].as_py()
            raise UsageError(f"{self.path}: {word!r} is no verdict: one of {', '.join(VERDICTS)}")
        return numbered


def _rules(said: bytes | None) -> str | None:
    """Rules as shards name them; files of proofs name them as kernels do."""
    if said is None:
        return None
    text = said.decode(errors="replace")
    try:
        rules = json.loads(text)
        if "in_suit" in rules:
            rules = {"game": "bakers" if rules["in_suit"] else "freecell", "cells": rules["cells"]}
        return json.dumps(rules)
    except (ValueError, TypeError, KeyError, RecursionError):
        return text


def _line(error: object) -> str:
    return " ".join(str(error).split())
