"""The small published summary of a finished run: enough to check the shards, or to make them again."""

import hashlib
import json
import shlex
from typing import Any, NamedTuple

from kernels.dealing import deal_one
from pipeline.atomic import replacing
from pipeline.config import PROJECT, load
from pipeline.deals.notation import board_rows
from pipeline.errors import UsageError
from pipeline.places import Place, place
from pipeline.progress import counted
from pipeline.store import parquet
from pipeline.store.folder import CONFIG, SUMMARY
from pipeline.store.log import START, events
from pipeline.store.outputs import allowed, text_kind
from pipeline.store.result import ResultSet, open_result
from pipeline.store.rows import proofs

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
        If the run isn't finished, or `out` is a file of a run.
    Corrupt
        If a shard is not what was written.
    """
    result = open_result(folder)
    if result.missing or result.counts.undecided:
        raise UsageError(f"{folder} is not finished: {_what_is_left(result)}; go on with `run` first")
    if out is None:
        path = allowed(place(folder) / SUMMARY, SUMMARY_FILE, own=True)
    else:
        path = allowed(place(out), SUMMARY_FILE)
    summary = {"name": result.config.name, "command": _command(result, folder), **summarised(result)}
    with replacing(path) as file:
        file.write((json.dumps(summary, indent=1) + "\n").encode())
    return SummaryWritten(path, summary)


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
    return {
        "range": [config.range.first, config.range.last],
        "rules": {"game": config.rules.game, "cells": config.rules.cells},
        "attempts": config.search.budgets,
        "deals": sum(result.counts),
        **result.counts._asdict(),
        "versions": _versions(result),
        "kernels": provenance.kernels,
        "unsolvable_deals": [row for place in result.shown("reading") for row in _unsolvable(*place)],
        "sha256": {
            shard.name: sha256(parquet.shard_path(folder, shard)) for folder, (shard, *_) in result.shown("digests")
        },
    }


def _unsolvable(folder: Place, footer: parquet.Footer) -> list[dict[str, Any]]:
    return [
        {
            "deal": footer.shard.first + index,
            "board": board_rows(deal_one(footer.shard.first + index)).splitlines(),
            "grade": proof.grade,
            "closure": proof.plain or None,
            "closure_safe": proof.safe or None,
        }
        for index, proof in proofs(parquet.read(folder, footer.shard)).items()
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
