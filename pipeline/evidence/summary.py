"""The small published summary of a finished run: enough to check the shards, or to make them again."""

import hashlib
import json
import platform
import shlex
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from kernels.dealing import deal_one
from kernels.proof.closure import exhaust
from pipeline.atomic import replacing
from pipeline.deals.notation import board_rows
from pipeline.errors import UsageError
from pipeline.places import Place, place
from pipeline.progress import counted
from pipeline.store import parquet
from pipeline.store.folder import SUMMARY, refuse_to_overwrite
from pipeline.store.result import ResultSet, open_result
from pipeline.store.rows import UNSOLVABLE

LIBRARIES = ("freecell-census", "numba", "numpy", "pyarrow")


class SummaryWritten(NamedTuple):
    """A summary that was written.

    Attributes
    ----------
    path : Place
    summary : dict
        What it says.
    """

    path: Place
    summary: dict[str, Any]

    @property
    def status(self) -> int:
        """Always 0: what can't be summed up is an error."""
        return 0

    def lines(self) -> list[str]:
        """Where the summary is."""
        return [str(self.path)]

    def as_json(self) -> dict[str, Any]:
        """Where the summary is."""
        return {"summary": str(self.path)}


def results(folder: str | Place, out: str | Place | None = None) -> SummaryWritten:
    """Write the summary of a finished run.

    Parameters
    ----------
    folder : str, Path or Remote
    out : str, Path or Remote, optional
        The file; summary.json in the folder by default.

    Raises
    ------
    UsageError
        If the run isn't finished, or `out` is a file of a run.
    Corrupt
        If a shard is not what was written.
    """
    result = open_result(folder)
    if result.missing or result.counts.undecided:
        raise UsageError(f"{folder} is not finished: {_what_is_left(result)}; go on with `run` first")
    path = place(folder) / SUMMARY if out is None else place(out)
    refuse_to_overwrite(path)
    summary = {"name": result.config.name, "command": _command(result.config.name, folder), **summarised(result)}
    with replacing(path) as file:
        file.write((json.dumps(summary, indent=1) + "\n").encode())
    return SummaryWritten(path, summary)


def _what_is_left(result: ResultSet) -> str:
    missing = sum(last - first + 1 for first, last in result.missing)
    return f"{counted(missing, 'deal')} missing, {result.counts.undecided:,} undecided"


def _command(name: str, folder: str | Place) -> str:
    """What makes the result again in the same place."""
    command = ["freecell-census", "run", f"configs/{name}.toml"]
    return shlex.join(command if str(folder) == f"results/{name}" else [*command, "--out", str(folder)])


def summarised(result: ResultSet) -> dict[str, Any]:
    """What the summary says of a complete result.

    Raises
    ------
    Corrupt
        If a shard is not what was written.
    """
    config, provenance = result.config, result.shards[0][1].provenance
    return {
        "range": [config.range.first, config.range.last],
        "rules": {"game": config.rules.game, "cells": config.rules.cells},
        "attempts": config.search.budgets,
        "deals": sum(result.counts),
        **result.counts._asdict(),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "kernels": provenance.kernels,
        "unsolvable_deals": [row for place in result.shards for row in _unsolvable(result, *place)],
        "sha256": {shard.name: sha256(parquet.shard_path(folder, shard)) for folder, (shard, *_) in result.shards},
    }


def _unsolvable(result: ResultSet, folder: Place, footer: parquet.Footer) -> list[dict[str, Any]]:
    rows = parquet.read(folder, footer.shard)
    return [
        _described(result, footer.shard.first + int(index), int(rows.closures[index]))
        for index in np.flatnonzero(rows.verdicts == UNSOLVABLE)
    ]


def _described(result: ResultSet, deal: int, closure: int) -> dict[str, Any]:
    board = deal_one(deal)
    count = exhaust(board, result.config.rules.kernel_rules(), 0, result.config.search.closure)
    if not count.safe_ended:
        raise UsageError(f"deal {deal}: the exhaustion with autoplay came to another end than the one without")
    return {
        "deal": deal,
        "board": board_rows(board).splitlines(),
        "closure": closure,
        "closure_autoplay": count.safe_positions,
    }


def sha256(path: Place) -> str:
    """Digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
