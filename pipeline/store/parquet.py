"""Result sets: one Parquet file a shard, whole or not there, the same bytes whenever it holds the same rows."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kernels.jit import source_digest
from pipeline.atomic import replacing
from pipeline.config import Config
from pipeline.errors import UsageError
from pipeline.places import Place, Reading, Remote, Unreachable
from pipeline.shards import Shard
from pipeline.store.rows import SOLVED, UNSOLVABLE, VERDICTS, Rows, solution_ends

SCHEMA_VERSION = "1"
BYTES_PER_DEAL = 2.5
"""Disk that a deal takes without its solution: deals 1..32,000 in two shards take 2.47."""
BYTES_PER_SOLUTION = 132
"""What its solution takes more, in a shard of deals 4,000,000,001..4,000,100,000."""

COLUMNS = pa.schema(
    {
        "deal": pa.uint64(),
        "verdict": pa.dictionary(pa.int8(), pa.string()),
        "positions": pa.uint32(),
        "moves": pa.uint16(),
        "attempt": pa.uint8(),
        "closure": pa.uint64(),
    }
)
SOLUTION = pa.field("solution", pa.binary())
"""One column more, only when asked for."""

REQUESTS = 32
"""Footers that are asked for at a time, where a store has them."""

_KEY = "freecell_census."


class Counts(NamedTuple):
    """Deals by verdict."""

    undecided: int
    solved: int
    unsolvable: int


class Provenance(NamedTuple):
    """Where rows come from: what all shards of one result have in common."""

    schema: str
    rules: str
    kernels: str
    version: str


class Footer(NamedTuple):
    """What the end of a shard's file tells without its rows."""

    shard: Shard
    provenance: Provenance
    attempts: tuple[int, ...]
    counts: Counts


class Corrupt(UsageError):
    """A shard that can't be read, or that holds what no run writes."""


def provenance(config: Config) -> Provenance:
    """What the shards say that this program, with this configuration, writes."""
    rules = json.dumps({"game": config.rules.game, "cells": config.rules.cells})
    return Provenance(SCHEMA_VERSION, rules, source_digest(), version("freecell-census"))


def write(folder: Place, shard: Shard, rows: Rows, config: Config) -> None:
    """Write a shard, or write it anew, in one step.

    Nothing that depends on time, place or the way the rows came about goes into the file: of the attempts, those are
    named that the rows used, so a longer list that wasn't needed leaves the same bytes.

    Raises
    ------
    OSError
        If the folder can't be written or the disk is full; the folder is then as it was before.
    """
    attempts = config.search.budgets[: int(rows.attempts.max())]
    metadata = {
        **provenance(config)._asdict(),
        "range": f"{shard.first} {shard.last}",
        "attempts": json.dumps(attempts),
    }
    table = _table(shard, rows, config.store.solutions)
    table = table.replace_schema_metadata({_KEY + key: value for key, value in metadata.items()})
    with replacing(folder / shard.name) as file:
        pq.write_table(
            table,
            file,
            row_group_size=shard.count,
            compression="zstd",
            use_dictionary=["verdict", "moves", "attempt"],
            column_encoding={"deal": "DELTA_BINARY_PACKED", "positions": "BYTE_STREAM_SPLIT"},
            write_page_checksum=True,
        )


def _table(shard: Shard, rows: Rows, solutions: bool) -> Any:
    columns = [
        pa.array(np.arange(shard.first, shard.last + 1, dtype=np.uint64)),
        pa.DictionaryArray.from_arrays(pa.array(rows.verdicts.astype(np.int8)), pa.array(VERDICTS)),
        pa.array(rows.positions),
        pa.array(rows.moves, mask=rows.verdicts != SOLVED),
        pa.array(rows.attempts),
        pa.array(rows.closures, mask=rows.verdicts != UNSOLVABLE),
    ]
    if not solutions:
        return pa.table(columns, schema=COLUMNS)
    offsets = pa.py_buffer(solution_ends(rows).astype(np.int32))
    moves = pa.py_buffer(np.ascontiguousarray(rows.solutions))
    columns.append(pa.Array.from_buffers(pa.binary(), shard.count, [None, offsets, moves]))
    return pa.table(columns, schema=COLUMNS.append(SOLUTION))


def footer(folder: Place, shard: Shard) -> Footer:
    """What a shard says about itself; its rows are not read.

    Raises
    ------
    Corrupt
        If the file is truncated, or none of ours.
    OSError
        If the file can't be opened.
    """
    path = folder / shard.name
    with path.open("rb") as file:
        return _footer(path, shard, file)


def footers(folder: Place, shards: Sequence[Shard]) -> list[Footer]:
    """What each of several shards says about itself; raises as `footer` does. Stores are slow, but to many at once."""
    if not isinstance(folder, Remote):
        return [footer(folder, shard) for shard in shards]
    with ThreadPoolExecutor(REQUESTS) as pool:
        return list(pool.map(partial(footer, folder), shards))


def _footer(path: Place, shard: Shard, file: BinaryIO | Reading) -> Footer:
    try:
        metadata = pq.read_metadata(file)
        said = {key.decode().removeprefix(_KEY): value.decode() for key, value in (metadata.metadata or {}).items()}
        if said.get("schema") != SCHEMA_VERSION:
            raise UsageError(f"{path} has schema {said.get('schema')}; this program reads schema {SCHEMA_VERSION}")
        if said["range"] != f"{shard.first} {shard.last}" or metadata.num_rows != shard.count:
            raise corrupt(path, "it holds other deals than its name says")
        common = Provenance(*(said[key] for key in Provenance._fields))
        return Footer(shard, common, tuple(json.loads(said["attempts"])), _counts(metadata))
    except (UsageError, Unreachable, MemoryError):
        raise
    except (pa.ArrowException, OSError, KeyError, ValueError, RecursionError, TypeError, AttributeError) as error:
        raise corrupt(path, error) from error  # the last two where another program wrote it anew: no statistics, say


def _counts(metadata: Any) -> Counts:
    """Moves are null unless solved, the closure unless unsolvable: so the null counts tell the verdicts."""
    names = metadata.schema.names
    solved, unsolvable = (
        sum(
            group.num_rows - group.column(names.index(name)).statistics.null_count
            for group in map(metadata.row_group, range(metadata.num_row_groups))
        )
        for name in ("moves", "closure")
    )
    return Counts(metadata.num_rows - solved - unsolvable, solved, unsolvable)


def read(folder: Place, shard: Shard) -> Rows:
    """All rows of a shard, every page against its checksum and every column against its meaning.

    Raises
    ------
    Corrupt
        If a checksum is wrong, or the rows are none that a run writes.
    OSError
        If the file can't be opened.
    """
    path = folder / shard.name
    with path.open("rb") as file:  # a file that can't be opened is not corrupt
        try:
            # In this thread alone: one of Arrow's that still held the file when Python ended would abort the process.
            table = pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False).read(use_threads=False)
            _check(table, shard)
            return _rows(table)
        except (Unreachable, MemoryError):
            raise
        except (pa.ArrowException, OSError, ValueError) as error:
            raise corrupt(path, error) from error


def _check(table: Any, shard: Shard) -> None:
    """That the columns are ours, and don't contradict each other."""
    if not table.schema.equals(COLUMNS) and not table.schema.equals(COLUMNS.append(SOLUTION)):
        raise ValueError("its columns are not those of a result")
    if not np.array_equal(table["deal"].to_numpy(), np.arange(shard.first, shard.last + 1, dtype=np.uint64)):
        raise ValueError("its deals are not those of its name")
    verdict = table["verdict"].combine_chunks()
    if verdict.dictionary.to_pylist() != list(VERDICTS):
        raise ValueError(f"its verdicts are {verdict.dictionary.to_pylist()}")
    codes = verdict.indices.to_numpy()
    for name, code in (("moves", SOLVED), ("closure", UNSOLVABLE)):
        if not np.array_equal(table[name].is_valid().to_numpy(), codes == code):
            raise ValueError(f"{name} of a deal that is not {VERDICTS[code]}, or none of one that is")
    for name in ("positions", "attempt", *table.column_names[len(COLUMNS) :]):
        if table[name].null_count:
            raise ValueError(f"no {name} of a deal")
    if SOLUTION.name in table.column_names:
        lengths = np.fromiter(map(len, table[SOLUTION.name].to_pylist()), np.int64, shard.count)
        if not np.array_equal(lengths, table["moves"].fill_null(0).to_numpy()):
            raise ValueError("a solution that isn't as long as its moves say")


def _rows(table: Any) -> Rows:
    solutions = np.empty(0, np.uint8)
    if "solution" in table.column_names:
        solutions = np.frombuffer(b"".join(table["solution"].to_pylist()), np.uint8)
    return Rows(
        table["verdict"].combine_chunks().indices.to_numpy().astype(np.uint8),
        table["positions"].to_numpy(),
        table["moves"].fill_null(0).to_numpy(),
        table["attempt"].to_numpy(),
        table["closure"].fill_null(0).to_numpy(),
        solutions,
    )


def corrupt(path: Place, why: object) -> Corrupt:
    """The error for a file that is not what was written."""
    reason = " ".join(str(why).split())
    return Corrupt(f"{path} is corrupt ({reason}): remove it, and the run makes it again")
