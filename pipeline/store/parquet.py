"""Result sets: one Parquet file a shard, whole or not there, the same bytes whenever it holds the same rows."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from kernels.cards import CARDS
from kernels.jit import source_digest
from pipeline.atomic import replacing
from pipeline.config import Config, Game
from pipeline.errors import UsageError
from pipeline.places import Place, Reading, Remote, Unreachable
from pipeline.shards import Shard
from pipeline.store.rows import SOLVED, UNSOLVABLE, VERDICTS, Rows, solution_ends

SCHEMA_VERSION = "2"
READ_AS_WELL = ("1",)
"""Schemas that are read, and not written any more: the first has no column closure_safe."""

BYTES_PER_DEAL = 2.5
"""Disk that a deal takes without its solution: deals 1..250,000 in one shard take 2.36."""
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
        "closure_safe": pa.uint64(),
    }
)
OLD_COLUMNS = COLUMNS.remove(COLUMNS.get_field_index("closure_safe"))
"""Those of schema 1."""

SOLUTION = pa.field("solution", pa.binary())
"""One column more, only when asked for."""

CELLS = pa.field("cells", pa.uint8())
"""Another one, only where the fewest cells are asked for: null unless solved."""

DEALS = "deals"
"""The folder, in that of a run, in which all shards are and nothing else, so that any reader takes it as one table."""

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
    """What the end of a shard's file tells without its rows.

    Attributes
    ----------
    shard : Shard
    provenance : Provenance
    attempts : tuple of int
        Budgets of the attempts that the rows used.
    counts : Counts
    solutions : bool
        Whether there is a column of solutions.
    fewest : bool
        Whether there is a column of the fewest cells.
    """

    shard: Shard
    provenance: Provenance
    attempts: tuple[int, ...]
    counts: Counts
    solutions: bool
    fewest: bool


class Corrupt(UsageError):
    """A shard that can't be read, or that holds what no run writes."""


def provenance(config: Config) -> Provenance:
    """What the shards say that this program, with this configuration, writes."""
    return Provenance(SCHEMA_VERSION, rules_said(config.rules), source_digest(), version("freecell-census"))


def rules_said(rules: Game) -> str:
    """The rules as shards name them."""
    return json.dumps({"game": rules.game, "cells": rules.cells})


def empty_table(config: Config) -> Any:
    """A table with the columns of a result, and no row."""
    return _schema(COLUMNS, config.rules.fewest, config.store.solutions).empty_table()


def _schema(columns: Any, fewest: bool, solutions: bool) -> Any:
    for field, wanted in ((CELLS, fewest), (SOLUTION, solutions)):
        columns = columns.append(field) if wanted else columns
    return columns


def shard_path(folder: Place, shard: Shard) -> Place:
    """Where a run's folder has a shard."""
    return folder / DEALS / shard.name


def write(folder: Place, shard: Shard, rows: Rows, config: Config) -> None:
    """Write a shard, or write it anew, in one step; `deals` in the folder of the run has to be there.

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
        "counts": json.dumps(counts(rows)),
    }
    table = _table(shard, rows, config)
    table = table.replace_schema_metadata({_KEY + key: value for key, value in metadata.items()})
    with replacing(shard_path(folder, shard), aside=folder) as file:
        pq.write_table(  # encodings that DuckDB 1.0, fastparquet and Spark 3.5 read as well
            table,
            file,
            row_group_size=shard.count,
            compression="zstd",
            use_dictionary=["verdict", "positions", "moves", "attempt", CELLS.name],
            column_encoding={"deal": "DELTA_BINARY_PACKED"},
            write_page_checksum=True,
        )


def _table(shard: Shard, rows: Rows, config: Config) -> Any:
    columns = [
        pa.array(np.arange(shard.first, shard.last + 1, dtype=np.uint64)),
        pa.DictionaryArray.from_arrays(pa.array(rows.verdicts.astype(np.int8)), pa.array(VERDICTS)),
        pa.array(rows.positions),
        pa.array(rows.moves, mask=rows.verdicts != SOLVED),
        pa.array(rows.attempts),
        pa.array(rows.closures, mask=rows.closures == 0),
        pa.array(rows.safe_closures, mask=rows.safe_closures == 0),
    ]
    if config.rules.fewest:
        columns.append(pa.array(rows.cells, mask=rows.verdicts != SOLVED))
    if config.store.solutions:
        offsets = pa.py_buffer(solution_ends(rows).astype(np.int32))
        moves = pa.py_buffer(np.ascontiguousarray(rows.solutions))
        columns.append(pa.Array.from_buffers(pa.binary(), shard.count, [None, offsets, moves]))
    return pa.table(columns, schema=empty_table(config).schema)


def footer(folder: Place, shard: Shard) -> Footer:
    """What a shard says about itself; its rows are not read.

    Raises
    ------
    Corrupt
        If the file is truncated, or none of ours.
    OSError
        If the file can't be opened.
    """
    path = shard_path(folder, shard)
    if isinstance(path, Path) and path.is_symlink() and not path.exists():
        raise corrupt(path, "a link that leads nowhere")
    with path.open("rb") as file:
        return _footer(path, shard, file)


def footers(folder: Place, shards: Sequence[Shard]) -> list[Footer]:
    """What each of several shards says about itself; raises as `footer` does. Object stores answer slowly,
    but serve many requests in parallel."""
    if not isinstance(folder, Remote):
        return [footer(folder, shard) for shard in shards]
    with ThreadPoolExecutor(REQUESTS) as pool:
        return list(pool.map(partial(footer, folder), shards))


def _footer(path: Place, shard: Shard, file: BinaryIO | Reading) -> Footer:
    try:
        return _told(path, shard, pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False))
    except (UsageError, Unreachable):
        raise
    except MemoryError as error:
        raise MemoryError(f"{path}: {error}") from error
    # TypeError and AttributeError: a file rewritten by another program, for example without statistics
    except (pa.ArrowException, OSError, KeyError, ValueError, RecursionError, TypeError, AttributeError) as error:
        raise corrupt(path, error) from error


def _told(path: Place, shard: Shard, file: Any) -> Footer:
    metadata = file.metadata
    said = {key.decode().removeprefix(_KEY): value.decode() for key, value in (metadata.metadata or {}).items()}
    if "schema" not in said:
        raise corrupt(path, "another program wrote it, or wrote it anew")
    if said["schema"] not in (SCHEMA_VERSION, *READ_AS_WELL):
        raise UsageError(f"{path} has schema {said['schema']}; this program reads schemas 1 to {SCHEMA_VERSION}")
    if said["range"] != f"{shard.first} {shard.last}" or metadata.num_rows != shard.count:
        raise corrupt(path, "it holds other deals than its name says")
    counted = _old_counts(file) if said["schema"] in READ_AS_WELL else Counts(*map(int, json.loads(said["counts"])))
    if min(counted) < 0 or sum(counted) != shard.count:
        raise corrupt(path, "its end counts other deals than it holds")
    common = Provenance(*(said[key] for key in Provenance._fields))
    attempts = tuple(map(int, json.loads(said["attempts"])))
    names = metadata.schema.names
    return Footer(shard, common, attempts, counted, SOLUTION.name in names, CELLS.name in names)


def counts(rows: Rows) -> Counts:
    """How many deals have each verdict."""
    return Counts(*np.bincount(rows.verdicts, minlength=len(VERDICTS)).tolist())


def _old_counts(file: Any) -> Counts:
    """Counts of a shard of schema 1, by its verdicts; moves are null unless solved, closures unless unsolvable.

    By rows: to ask a damaged footer for the statistics of a column can make the library end the process. Commands leave
    out shards by these counts, so rows that contradict them are refused here already.
    """
    table = file.read(columns=["verdict", "moves", "closure"], use_threads=False)
    verdicts = table["verdict"].combine_chunks().indices.to_numpy()
    counted = Counts(*np.bincount(verdicts, minlength=len(VERDICTS)).tolist())
    solved, unsolvable = (table.num_rows - table[name].null_count for name in ("moves", "closure"))
    if (counted.solved, counted.unsolvable) != (solved, unsolvable):
        raise ValueError("its moves or closures are those of other verdicts than it holds")
    return counted


def read(folder: Place, shard: Shard) -> Rows:
    """All rows of a shard; raises as `read_table` does."""
    return _rows(read_table(folder, shard))


def read_table(folder: Place, shard: Shard) -> Any:
    """All rows of a shard as an Arrow table with the columns of COLUMNS, CELLS and SOLUTION where the run has them.

    Every page is read against its checksum, every column against its meaning, and the rows against the footer's counts.

    Raises
    ------
    Corrupt
        If a checksum is wrong, or the rows are none that a run writes.
    OSError
        If the file can't be opened.
    """
    path = shard_path(folder, shard)
    with path.open("rb") as file:  # a file that can't be opened is not corrupt
        told = _footer(path, shard, file)
        try:
            # Single-threaded: an Arrow thread still holding the file at interpreter exit aborts the process.
            table = pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False).read(use_threads=False)
            table = _checked(table, told)
            if counts(_rows(table)) != told.counts:
                raise ValueError("its end counts other verdicts than it holds")
            return table.replace_schema_metadata()
        except Unreachable:
            raise
        except MemoryError as error:
            raise MemoryError(f"{path}: {error}") from error
        except (pa.ArrowException, OSError, ValueError) as error:
            raise corrupt(path, error) from error


def _checked(table: Any, told: Footer) -> Any:
    """The table with the columns of today; refuses columns that aren't ours, or that contradict each other."""
    old = told.provenance.schema in READ_AS_WELL
    if not table.schema.equals(_schema(OLD_COLUMNS if old else COLUMNS, told.fewest, told.solutions)):
        raise ValueError("its columns are not those of a result")
    if old:
        at = COLUMNS.get_field_index("closure_safe")
        table = table.add_column(at, COLUMNS.field(at), pa.nulls(table.num_rows, pa.uint64()))
    shard = told.shard
    if not np.array_equal(table["deal"].to_numpy(), np.arange(shard.first, shard.last + 1, dtype=np.uint64)):
        raise ValueError("its deals are not those of its name")
    verdict = table["verdict"].combine_chunks()
    if verdict.dictionary.to_pylist() != list(VERDICTS):
        raise ValueError(f"its verdicts are {verdict.dictionary.to_pylist()}")
    codes = verdict.indices.to_numpy()
    proved = codes == UNSOLVABLE
    if told.fewest:
        _check_cells(table[CELLS.name], codes == SOLVED, json.loads(told.provenance.rules)["cells"])
        proved |= table[CELLS.name].fill_null(0).to_numpy() > 0
    for name, there, what in (
        ("moves", codes == SOLVED, "solved"),
        ("closure" if old else "closure_safe", proved, "proved"),
    ):
        if not np.array_equal(_valid(table, name), there):
            raise ValueError(f"{name} of a deal that is not {what}, or none of one that is")
    if (_valid(table, "closure") & ~proved).any():
        raise ValueError("closure of a deal that is not proved")
    for name in ("positions", "attempt", *([SOLUTION.name] if told.solutions else [])):
        if table[name].null_count:
            raise ValueError(f"no {name} of a deal")
    attempts = table["attempt"].to_numpy()
    if attempts.min() < 1 or attempts.max() != len(told.attempts):
        raise ValueError(f"attempts that are not from 1 to {len(told.attempts)}, as its end says")
    _check_possible(table, told)
    if SOLUTION.name in table.column_names:
        lengths = np.fromiter(map(len, table[SOLUTION.name].to_pylist()), np.int64, shard.count)
        if not np.array_equal(lengths, table["moves"].fill_null(0).to_numpy()):
            raise ValueError("a solution that isn't as long as its moves say")
    return table


def _check_possible(table: Any, told: Footer) -> None:
    """Refuse figures that no search comes to."""
    tries = json.loads(told.provenance.rules)["cells"] + 1 if told.fewest else 1  # numbers of cells
    most = tries * np.cumsum(told.attempts)[table["attempt"].to_numpy() - 1]
    moves = table["moves"].fill_null(CARDS).to_numpy()
    for name, wrong, why in (
        ("positions", table["positions"].to_numpy() > most, "more than its attempts may expand"),
        ("moves", moves < CARDS, f"fewer than the {CARDS} cards that have to go home"),
        *((name, _is_zero(table, name), "and the first one counts") for name in ("closure", "closure_safe")),
    ):
        if wrong.any():
            index = int(wrong.argmax())
            raise ValueError(f"deal {told.shard.first + index}: {table[name][index]} {name}, {why}")


def _is_zero(table: Any, name: str) -> npt.NDArray[np.bool_]:
    zero: npt.NDArray[np.bool_] = table[name].fill_null(1).to_numpy() == 0
    return zero


def _check_cells(cells: Any, solved: npt.NDArray[np.bool_], most: int) -> None:
    if not np.array_equal(cells.is_valid().to_numpy(), solved):
        raise ValueError("cells of a deal that is not solved, or none of one that is")
    if cells.fill_null(0).to_numpy().max() > most:
        raise ValueError(f"more than {most} cells")


def _valid(table: Any, name: str) -> npt.NDArray[np.bool_]:
    valid: npt.NDArray[np.bool_] = table[name].is_valid().to_numpy()
    return valid


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
        table["closure_safe"].fill_null(0).to_numpy(),
        solutions,
        table[CELLS.name].fill_null(0).to_numpy() if CELLS.name in table.column_names else np.empty(0, np.uint8),
    )


def corrupt(path: Place, why: object) -> Corrupt:
    """The error for a file that is not what was written."""
    reason = " ".join(str(why).split())
    return Corrupt(f"{path} is corrupt ({reason}): remove it, and the run makes it again")
