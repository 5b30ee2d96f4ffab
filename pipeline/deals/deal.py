"""Boards of deals: one for a person to look at, a range in bulk for other programs."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kernels.cards import CARDS
from kernels.dealing import deal_block, deal_one
from pipeline.atomic import replacing
from pipeline.deals.notation import Board, board_columns, board_json, board_rows
from pipeline.errors import UsageError
from pipeline.places import Place, place
from pipeline.progress import Progress, counted
from pipeline.signals import interruptible
from pipeline.store.outputs import allowed, parquet_kind

ROW_GROUP = 100_000
"""Deals that are dealt and written at a time: some 6 MB."""

_BOARDS = pa.schema(
    [pa.field("deal", pa.uint64(), nullable=False), pa.field("board", pa.binary(CARDS), nullable=False)]
)

BOARDS_FILE = parquet_kind("a file of boards", _BOARDS.names)

_ENCODING: dict[str, Any] = {
    "compression": "zstd",
    "use_dictionary": False,
    "column_encoding": {"deal": "DELTA_BINARY_PACKED"},
    "write_page_checksum": True,
}


@dataclass(frozen=True)
class Dealt:
    """The board of a deal.

    Attributes
    ----------
    deal : int
    board : (52,) uint8
        Card numbers in dealing order.
    form : str
        How it is printed: `rows`, `columns` or `json`.
    """

    deal: int
    board: Board
    form: str = "rows"
    status = 0

    def lines(self) -> list[str]:
        """The board, in the form that was asked for."""
        if self.form == "json":
            return [board_json(self.board, self.deal)]
        return [board_rows(self.board) if self.form == "rows" else board_columns(self.board)]

    def as_json(self) -> dict[str, Any]:
        """Number and columns of the deal."""
        shown: dict[str, Any] = json.loads(board_json(self.board, self.deal))
        return shown


@dataclass(frozen=True)
class RangeWritten:
    """A file with the boards of a range, both ends included."""

    first: int
    last: int
    file: Place
    status = 0

    @property
    def deals(self) -> int:
        """Number of boards."""
        return self.last - self.first + 1

    def lines(self) -> list[str]:
        """One line: which deals are in which file."""
        return [f"{counted(self.deals, 'deal')}, {self.first} to {self.last}, in {self.file}"]

    def as_json(self) -> dict[str, Any]:
        """The same as one object."""
        return {"first": self.first, "last": self.last, "deals": self.deals, "file": str(self.file)}


def show_deal(number: int, form: str = "rows") -> Dealt:
    """The board of a deal, to be printed as `rows`, `columns` or `json`."""
    return Dealt(number, deal_one(number), form)


def deal_range_to_parquet(first: int, last: int, path: str | Path | Place) -> RangeWritten:
    """Write the boards of a range, both ends included, as Parquet: deal uint64, board 52 bytes.

    A board is its card numbers in dealing order. Memory doesn't grow with the range, except for a store, which takes
    an object whole.

    Raises
    ------
    UsageError
        If the file can't be written, or would take the place of a run's; nothing of it is left then.
    """
    to = allowed(place(path), BOARDS_FILE)
    try:
        with interruptible(), replacing(to) as file, pq.ParquetWriter(file, _BOARDS, **_ENCODING) as writer:
            for table in _tables(first, last):
                writer.write_table(table, row_group_size=ROW_GROUP)
    except OSError as error:
        raise UsageError(f"can't write {to}: {error.strerror or error}") from error
    return RangeWritten(first, last, to)


def _tables(first: int, last: int) -> Iterator[pa.Table]:
    with closing(Progress("dealing", last - first + 1, left_over="")) as progress:
        for start in range(first, last + 1, ROW_GROUP):
            count = min(ROW_GROUP, last + 1 - start)
            deals = pa.array(range(start, start + count), pa.uint64())
            boards = pa.py_buffer(deal_block(start, count))
            yield pa.table([deals, pa.Array.from_buffers(pa.binary(CARDS), count, [None, boards])], schema=_BOARDS)
            progress.advance(count)
