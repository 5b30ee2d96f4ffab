"""Files of proofs: Parquet, a row a deal, whole or not there."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kernels.jit import source_digest
from kernels.rules import Rules
from pipeline.atomic import replacing
from pipeline.places import Place
from pipeline.proofs.rows import Proofs
from pipeline.store.parquet import DEALS, corrupt
from pipeline.store.rows import SOLVED, UNSOLVABLE, VERDICTS

A_FILE = 1_000
"""Deals a file."""

SCHEMA_VERSION = "1"

COLUMNS = pa.schema(
    {
        "deal": pa.uint64(),
        "verdict": pa.dictionary(pa.int8(), pa.string()),
        "closure": pa.uint64(),
        "closure_safe": pa.uint64(),
        "most_home": pa.uint8(),
        "budget": pa.uint64(),
        "solution": pa.binary(),
    }
)

_KEY = "freecell_census."
_NAME = re.compile(r"proofs-(\d{10})-(\d{10})\.parquet")


class File(NamedTuple):
    """Listed deals that are kept in one file."""

    deals: tuple[int, ...]

    @property
    def name(self) -> str:
        """Its name: the first and the last deal, of fixed width, so that names sort."""
        return f"proofs-{self.deals[0]:010}-{self.deals[-1]:010}.parquet"


def files(deals: Sequence[int]) -> list[File]:
    """Listed deals, cut into files."""
    return [File(tuple(deals[start : start + A_FILE])) for start in range(0, len(deals), A_FILE)]


def is_named(name: str) -> bool:
    """Whether a file of proofs has such a name."""
    return _NAME.fullmatch(name) is not None


def named(folder: Place) -> list[str]:
    """The names of the files that a folder holds, in order of deals."""
    there = folder / DEALS
    return sorted(path.name for path in there.iterdir() if is_named(path.name)) if there.is_dir() else []


def write(folder: Place, file: File, proofs: Proofs, rules: Rules) -> None:
    """Write a file, or write it anew, in one step.

    Raises
    ------
    OSError
        If the folder can't be written or the disk is full; the folder is then as it was before.
    """
    proved = proofs.verdicts == UNSOLVABLE
    columns = [
        pa.array(proofs.deals),
        pa.DictionaryArray.from_arrays(pa.array(proofs.verdicts.astype(np.int8)), pa.array(VERDICTS)),
        pa.array(proofs.closures, mask=proofs.closures == 0),
        pa.array(proofs.safe_closures, mask=proofs.safe_closures == 0),
        pa.array(proofs.most_home, mask=~proved),
        pa.array(proofs.budgets),
        pa.array([moves or None for moves in proofs.solutions], pa.binary()),
    ]
    said = {"schema": SCHEMA_VERSION, "kernels": source_digest(), "rules": json.dumps(rules._asdict())}
    metadata = {_KEY + key: value for key, value in said.items()}
    with replacing(folder / DEALS / file.name, folder) as out:
        pq.write_table(
            pa.table(columns, schema=COLUMNS.with_metadata(metadata)),
            out,
            compression="zstd",
            use_dictionary=["verdict"],
            write_page_checksum=True,
        )


def read(folder: Place, file: File) -> Proofs:
    """The proofs of a file, every page against its checksum, every column against its meaning.

    Raises
    ------
    Corrupt
        If it is not what was written.
    """
    path = folder / DEALS / file.name
    with path.open("rb") as source:
        try:
            table = pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False).read(use_threads=False)
            return _checked(table, file)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise corrupt(path, error) from error


def _checked(table: Any, file: File) -> Proofs:
    if not table.schema.equals(COLUMNS):
        raise ValueError("its columns are not those of proofs")
    verdict = table["verdict"].combine_chunks()
    if verdict.dictionary.to_pylist() != list(VERDICTS):
        raise ValueError(f"its verdicts are {verdict.dictionary.to_pylist()}")
    proofs = Proofs(
        table["deal"].to_numpy(),
        verdict.indices.to_numpy().astype(np.uint8),
        table["closure"].fill_null(0).to_numpy(),
        table["closure_safe"].fill_null(0).to_numpy(),
        table["most_home"].fill_null(0).to_numpy(),
        table["budget"].to_numpy(),
        tuple(moves or b"" for moves in table["solution"].to_pylist()),
    )
    if tuple(proofs.deals) != file.deals:
        raise ValueError("its deals are not those of the list")
    counted = (proofs.closures > 0) | (proofs.safe_closures > 0)
    if not np.array_equal(counted, proofs.verdicts == UNSOLVABLE):
        raise ValueError("a count of a deal that is not unsolvable, or none of one that is")
    won = np.array([bool(moves) for moves in proofs.solutions])
    if not np.array_equal(won, proofs.verdicts == SOLVED):
        raise ValueError("a solution of a deal that is not solved, or none of one that is")
    return proofs
