"""One deal and a person: show it, solve it; and boards in bulk for other programs."""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from kernels.cards import CARDS
from kernels.dealing import deal_block, deal_one
from kernels.rules import Rules
from kernels.search import attempts
from pipeline.atomic import replacing
from pipeline.deals.notation import Board, board_columns, board_json, board_rows, move_texts, moves_text
from pipeline.errors import UsageError
from pipeline.farm import worker
from pipeline.places import Place
from pipeline.progress import counted
from pipeline.signals import interruptible
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE, VERDICTS, Rows

EXIT_STATUS = {"solved": 0, "unsolvable": 1, "undecided": 3}

ROW_GROUP = 100_000
"""Deals that are dealt and written at a time: some 6 MB."""

_BOARDS = pa.schema(
    [pa.field("deal", pa.uint64(), nullable=False), pa.field("board", pa.binary(CARDS), nullable=False)]
)

_ENCODING: dict[str, Any] = {
    "compression": "zstd",
    "use_dictionary": False,
    "column_encoding": {"deal": "DELTA_BINARY_PACKED"},
    "write_page_checksum": True,
}


def show_deal(number: int, form: str, as_json: bool) -> int:
    """Print the board of a deal as `rows`, `columns` or `json`; the exit status."""
    board = deal_one(number)
    if as_json or form == "json":
        print(board_json(board, number))
    else:
        print(board_rows(board) if form == "rows" else board_columns(board))
    return 0


def deal_range_to_parquet(first: int, last: int, path: Place, as_json: bool) -> int:
    """Write the boards of a range, both ends included, as Parquet: deal uint64, board 52 bytes; the exit status.

    A board is its card numbers in dealing order. Memory doesn't grow with the range, but for a store, which takes
    an object whole.

    Raises
    ------
    UsageError
        If the file can't be written; nothing of it is left then.
    """
    try:
        with interruptible(), replacing(path) as file, pq.ParquetWriter(file, _BOARDS, **_ENCODING) as writer:
            for table in _tables(first, last):
                writer.write_table(table, row_group_size=ROW_GROUP)
    except OSError as error:
        raise UsageError(f"can't write {path}: {error.strerror or error}") from error
    deals = last - first + 1
    if as_json:
        print(json.dumps({"first": first, "last": last, "deals": deals, "file": str(path)}))
    else:
        print(f"{counted(deals, 'deal')}, {first} to {last}, in {path}")
    return 0


def _tables(first: int, last: int) -> Iterator[pa.Table]:
    with tqdm(total=last - first + 1, unit=" deals", unit_scale=True, disable=None) as bar:
        for start in range(first, last + 1, ROW_GROUP):
            count = min(ROW_GROUP, last + 1 - start)
            deals = pa.array(range(start, start + count), pa.uint64())
            boards = pa.py_buffer(deal_block(start, count))
            yield pa.table([deals, pa.Array.from_buffers(pa.binary(CARDS), count, [None, boards])], schema=_BOARDS)
            bar.update(count)


def solve(
    board: Board,
    rules: Rules,
    calls: Sequence[tuple[Sequence[int], int]],
    closure_budget: int,
    as_json: bool,
    deal: int | None = None,
) -> int:
    """Decide a board and print the verdict, what it took, and the moves; the exit status.

    Parameters
    ----------
    board : (52,) uint8
        Card numbers in dealing order.
    calls : sequence of (sequence of int, int)
        Attempts to make together until the board is decided: positions that the search may expand, one number an
        attempt, and the number of the first of them.
    closure_budget : int
        Positions that the plain exhaustion may hold.
    deal : int, optional
        Number of the deal where it is known.

    Raises
    ------
    UsageError
        If the memory doesn't hold so many positions.
    worker.Contradiction
        If the referee refuses the solution, or the exhaustion meets a won position where the search was exhausted.
    """
    positions = 0
    for budgets, first_attempt in calls:
        rows = _decided(board, rules, budgets, first_attempt, closure_budget, deal)
        positions += int(rows.positions[0])
        if rows.verdicts[0] != UNDECIDED:
            break
    rows = rows._replace(positions=np.array([positions], np.uint32))
    verdict = _verdict(rows, deal)
    if rows.verdicts[0] == UNDECIDED and rows.positions[0] >= max(budgets):
        print(f"every budget ran out: --budget takes more than {max(budgets)} positions", file=sys.stderr)
    print(json.dumps(verdict) if as_json else _verdict_text(verdict))
    return EXIT_STATUS[verdict["verdict"]]


def _decided(
    board: Board, rules: Rules, budgets: Sequence[int], first_attempt: int, closure_budget: int, deal: int | None
) -> Rows:
    worker.announce_compilation()
    try:
        with interruptible():
            return worker.decide_boards(board[None], rules, budgets, first_attempt, closure_budget, deal)
    except MemoryError as error:
        budget = max(budgets)
        gigabytes = attempts.bytes_needed(first_attempt + budgets.index(budget), budget) / 1e9
        raise UsageError(
            f"not enough memory: a budget of {budget} positions takes up to {gigabytes:.1f} GB, a smaller one less"
        ) from error


def _verdict(rows: Rows, deal: int | None) -> dict[str, Any]:
    """The one row as a JSON object; null is what doesn't apply."""
    code = rows.verdicts[0]
    return {
        "deal": deal,
        "verdict": VERDICTS[code],
        "moves": int(rows.moves[0]) if code == SOLVED else None,
        "positions": int(rows.positions[0]),
        "attempt": int(rows.attempts[0]),
        "closure": int(rows.closures[0]) if code == UNSOLVABLE else None,
        "solution": move_texts(rows.solutions) if code == SOLVED else None,
    }


def _verdict_text(verdict: dict[str, Any]) -> str:
    counts = {key: value for key, value in verdict.items() if key != "solution" and value is not None}
    lines = [f"{key:<11}{value}" for key, value in counts.items()]
    if verdict["solution"]:
        lines += ["", moves_text(verdict["solution"])]
    return "\n".join(lines)
