"""Result sets: one Parquet file a shard, whole or not there, the same bytes whenever it holds the same rows."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kernels.jit import source_digest
from pipeline.chunks import Shard
from pipeline.config import Config
from pipeline.errors import UsageError
from pipeline.files import replacing
from pipeline.rows import SOLVED, UNSOLVABLE, VERDICTS, Rows, solution_ends

SCHEMA_VERSION = "1"
BYTES_PER_DEAL = 2.3
"""Disk that a deal takes without its solution, measured on whole shards."""

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
    solutions: bool


class Corrupt(UsageError):
    """A shard that can't be read, or that holds what no run writes."""


def provenance(config: Config) -> Provenance:
    """What the shards say that this program, with this configuration, writes."""
    rules = json.dumps({"game": config.rules.game, "cells": config.rules.cells})
    return Provenance(SCHEMA_VERSION, rules, source_digest(), version("freecell-census"))


def write(folder: Path, shard: Shard, rows: Rows, config: Config) -> None:
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
    codes = pa.array(rows.verdicts.astype(np.int8))
    columns = {
        "deal": pa.array(np.arange(shard.first, shard.last + 1, dtype=np.uint64)),
        "verdict": pa.DictionaryArray.from_arrays(codes, pa.array(VERDICTS)),
        "positions": pa.array(rows.positions),
        "moves": pa.array(rows.moves, mask=rows.verdicts != SOLVED),
        "attempt": pa.array(rows.attempts),
        "closure": pa.array(rows.closures, mask=rows.verdicts != UNSOLVABLE),
    }
    if solutions:
        offsets = pa.py_buffer(solution_ends(rows).astype(np.int32))
        moves = pa.py_buffer(np.ascontiguousarray(rows.solutions))
        columns["solution"] = pa.Array.from_buffers(pa.binary(), shard.count, [None, offsets, moves])
    return pa.table(columns)


def footer(folder: Path, shard: Shard) -> Footer:
    """What a shard says about itself; its rows are not read.

    Raises
    ------
    Corrupt
        If the file is truncated, or none of ours.
    """
    path = folder / shard.name
    try:
        metadata = pq.read_metadata(path)
    except (pa.ArrowException, OSError) as error:
        raise corrupt(path, error) from error
    said = {key.decode().removeprefix(_KEY): value.decode() for key, value in (metadata.metadata or {}).items()}
    if said.get("schema") != SCHEMA_VERSION:
        raise UsageError(f"{path} has schema {said.get('schema')}; this program reads schema {SCHEMA_VERSION}")
    if said["range"] != f"{shard.first} {shard.last}" or metadata.num_rows != shard.count:
        raise corrupt(path, "it holds other deals than its name says")
    names = metadata.schema.names
    return Footer(
        shard,
        Provenance(*(said[key] for key in Provenance._fields)),
        tuple(json.loads(said["attempts"])),
        _counts(metadata, names),
        "solution" in names,
    )


def _counts(metadata: Any, names: list[str]) -> Counts:
    """Moves are null unless solved, the closure unless unsolvable: so the null counts tell the verdicts."""
    solved, unsolvable = (
        sum(
            group.num_rows - group.column(names.index(name)).statistics.null_count
            for group in map(metadata.row_group, range(metadata.num_row_groups))
        )
        for name in ("moves", "closure")
    )
    return Counts(metadata.num_rows - solved - unsolvable, solved, unsolvable)


def read(folder: Path, shard: Shard) -> Rows:
    """All rows of a shard, every page against its checksum and every column against its meaning.

    Raises
    ------
    Corrupt
        If a checksum is wrong, or the rows are none that a run writes.
    """
    path = folder / shard.name
    try:
        table = pq.read_table(path, page_checksum_verification=True, partitioning=None)
        rows = _rows(table)
        deals = table["deal"].to_numpy()
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise corrupt(path, error) from error
    if not np.array_equal(deals, np.arange(shard.first, shard.last + 1, dtype=np.uint64)):
        raise corrupt(path, "its deals are not those of its name")
    if wrong := _wrong(table, rows):
        raise corrupt(path, wrong)
    return rows


def _rows(table: Any) -> Rows:
    verdict = table["verdict"].combine_chunks()
    if verdict.dictionary.to_pylist() != list(VERDICTS):
        raise ValueError(f"verdicts are {verdict.dictionary.to_pylist()}")
    solutions = np.empty(0, np.uint8)
    if "solution" in table.column_names:
        column = table["solution"].combine_chunks()
        solutions = np.frombuffer(b"".join(column.to_pylist()), np.uint8)
    return Rows(
        verdict.indices.to_numpy().astype(np.uint8),
        table["positions"].to_numpy(),
        table["moves"].fill_null(0).to_numpy(),
        table["attempt"].to_numpy(),
        table["closure"].fill_null(0).to_numpy(),
        solutions,
    )


def _wrong(table: Any, rows: Rows) -> str:
    """What the rows say that can't be, or ""."""
    if ((rows.verdicts == SOLVED) != table["moves"].is_valid().to_numpy()).any():
        return "moves without a solution, or a solution without moves"
    if ((rows.verdicts == UNSOLVABLE) != table["closure"].is_valid().to_numpy()).any():
        return "a closure without the verdict, or the verdict without a closure"
    if (rows.attempts == 0).any():
        return "a row without an attempt"
    return ""


def corrupt(path: Path, why: object) -> Corrupt:
    """The error for a file that is not what was written."""
    return Corrupt(f"{path} is corrupt ({why}): remove it, and the run makes it again")
