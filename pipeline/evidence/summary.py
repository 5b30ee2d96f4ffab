"""The small published summary of a finished run: enough to check the shards, or to make them again."""

import hashlib
import json
import shlex
from typing import Any, NamedTuple

import numpy as np

from kernels.dealing import deal_one
from pipeline.atomic import replacing
from pipeline.config import PROJECT, Game, load
from pipeline.deals.notation import board_rows
from pipeline.errors import UsageError
from pipeline.places import Place, place
from pipeline.progress import counted
from pipeline.store import parquet
from pipeline.store.folder import CONFIG, SUMMARY
from pipeline.store.log import START, events
from pipeline.store.outputs import allowed, text_kind
from pipeline.store.result import ResultSet, open_result
from pipeline.store.rows import PLAIN, SAFE, SOLVED, UNDECIDED, Proof, Rows, proofs, proved

MOST_LISTED = 2_000
"""Unsolvable deals that a summary lists with their boards. Where there are more, it has only their number."""

SUMMARY_FILE = text_kind("a summary", rb'\{\s*"name":.*"kernels":\s*"\w+",\s*"unsolvable_deals":')


class SummaryWritten(NamedTuple):
    """A summary that was written.

    Attributes
    ----------
    path : Place
    summary : dict
        Its content.
    """

    path: Place
    summary: dict[str, Any]

    @property
    def status(self) -> int:
        """Always 0: a run that can't be summed up raises an error."""
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
        If the run isn't finished, or `out` is a file of a run. A deal that every attempt left undecided may stay so:
        the summary names it, and the budgets that were tried.
    Corrupt
        If a shard is not what was written.
    """
    result = open_result(folder)
    if result.missing or _has_attempts_left(result):
        raise UsageError(f"{folder} is not finished: {_what_is_left(result)}; go on with `run` first")
    if out is None:
        path = allowed(place(folder) / SUMMARY, SUMMARY_FILE, own=True)
    else:
        path = allowed(place(out), SUMMARY_FILE)
    summary = {"name": result.config.name, "command": _command(result, folder), **summarised(result)}
    with replacing(path) as file:
        file.write((json.dumps(summary, indent=1) + "\n").encode())
    return SummaryWritten(path, summary)


def _has_attempts_left(result: ResultSet) -> bool:
    """Whether an undecided deal has not had every attempt of the configuration."""
    last = len(result.config.search.budgets)
    for folder, footer in result.shards:
        if footer.counts.undecided:
            rows = parquet.read(folder, footer.shard)
            if (rows.attempts[rows.verdicts == UNDECIDED] < last).any():
                return True
    return False


def _what_is_left(result: ResultSet) -> str:
    missing = sum(last - first + 1 for first, last in result.missing)
    return f"{counted(missing, 'deal')} missing, {result.counts.undecided:,} undecided"


def _command(result: ResultSet, folder: str | Place) -> str:
    """The command that makes the result again, from the project's configuration or else the folder's own."""
    name = f"configs/{result.config.name}.toml"
    own = PROJECT / name
    kept = name if own.is_file() and load(own) == result.config else str(result.shards[0][0] / CONFIG)
    command = ["freecell-census", "run", kept]
    return shlex.join(command if str(folder) == f"results/{result.config.name}" else [*command, "--out", str(folder)])


def summarised(result: ResultSet) -> dict[str, Any]:
    """What the summary says of a complete result.

    Raises
    ------
    Corrupt
        If a shard is not what was written.
    """
    config, provenance = result.config, result.shards[0][1].provenance
    listed = result.counts.unsolvable <= MOST_LISTED
    found = _Found(config.rules)
    unsolvable = [row for folder, footer in result.shown("reading") for row in found.add(folder, footer, listed)]
    return {
        "range": [config.range.first, config.range.last],
        "rules": config.rules.described(),
        "attempts": config.search.budgets,
        "exhaustions": config.search.limits._asdict(),
        "deals": sum(result.counts),
        **result.counts._asdict(),
        **found.said(),
        "versions": _versions(result),
        "kernels": provenance.kernels,
        "unsolvable_deals": unsolvable if listed else None,
        "sha256": {
            shard.name: sha256(parquet.shard_path(folder, shard)) for folder, (shard, *_) in result.shown("digests")
        },
    }


class _Found:
    """What the rows come to: proofs by grade, the largest ones and, where asked for, the fewest cells."""

    def __init__(self, rules: Game) -> None:
        self._rules = rules
        self._grades = {PLAIN: 0, SAFE: 0}
        self._largest = Proof(0, 0)
        self._cells = np.zeros(rules.cells + 1, np.int64)
        self._undecided: list[int] = []

    def add(self, folder: Place, footer: parquet.Footer, listed: bool) -> list[dict[str, Any]]:
        """Look at a shard; its unsolvable deals, where they are few enough to be listed."""
        rows = parquet.read(folder, footer.shard)
        for group in proved(rows, self._rules.cells).values():
            for proof in group.values():
                self._grades[proof.grade] += 1
                self._largest = Proof(*map(max, self._largest, proof))
        self._undecided += (np.flatnonzero(rows.verdicts == UNDECIDED) + footer.shard.first).tolist()
        self._cells += np.bincount(rows.cells[rows.verdicts[: len(rows.cells)] == SOLVED], minlength=len(self._cells))
        return _unsolvable(footer.shard.first, rows) if listed else []

    def said(self) -> dict[str, Any]:
        """For the summary."""
        largest = {"closure": self._largest.plain or None, "closure_safe": self._largest.safe or None}
        cells = {"fewest_cells": dict(enumerate(map(int, self._cells)))} if self._rules.fewest else {}
        left = {"undecided_deals": self._undecided} if self._undecided else {}
        return {**cells, "proofs": self._grades, "largest": largest, **left}


def _unsolvable(first: int, rows: Rows) -> list[dict[str, Any]]:
    return [
        {
            "deal": first + index,
            "board": board_rows(deal_one(first + index)).splitlines(),
            "grade": proof.grade,
            "closure": proof.plain or None,
            "closure_safe": proof.safe or None,
        }
        for index, proof in proofs(rows).items()
    ]


def _versions(result: ResultSet) -> dict[str, str]:
    """Versions of what made the shards: ours from their footers, the others from the logs beside them, if any.

    Several versions of a library, by runs that went on with each other, are all named.
    """
    seen: dict[str, set[str]] = {"freecell-census": {footer.provenance.version for _, footer in result.shards}}
    for folder in dict.fromkeys(folder for folder, _ in result.shards):
        for event in events(folder):
            if event["event"] == START and isinstance(told := event.get("versions"), dict):
                for name, version in told.items():
                    seen.setdefault(str(name), set()).add(str(version))
    return {name: ", ".join(sorted(versions)) for name, versions in seen.items()}


def sha256(path: Place) -> str:
    """Digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
