"""Whether a result is whole and sound, and whether its unsolvable deals are those of a published list."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.config import own_list
from pipeline.errors import UsageError
from pipeline.evidence.known_list import Known
from pipeline.evidence.known_list import load as load_known
from pipeline.places import Place
from pipeline.progress import counted
from pipeline.store import parquet
from pipeline.store.result import ResultSet, open_result
from pipeline.store.rows import UNDECIDED, UNSOLVABLE, VERDICTS

WELL, DIFFERS, INCOMPLETE = 0, 1, 3
"""Exit statuses."""

MOST_GAPS = 20
"""Missing ranges that are named; a part of a census misses thousands."""


class Comparison(NamedTuple):
    """The unsolvable deals of a result against a list, on the ranges that both cover.

    A deal of the list that the result leaves undecided, or hasn't come to, is neither found nor missing.
    """

    overlap: list[tuple[int, int]]
    listed: int
    found: int
    missing: list[int]
    extra: list[int]


class Findings(NamedTuple):
    """Deals of a result by number: proved unsolvable, and left undecided."""

    unsolvable: frozenset[int]
    undecided: frozenset[int]


def verify(folders: Sequence[Place], known: Path | None, as_json: bool) -> int:
    """Check folders as one result; the exit status.

    Every page is read against its checksum. Then the unsolvable deals are compared with the list that the
    configuration, or `known`, names.

    Raises
    ------
    UsageError
        If the folders don't belong together, the list can't be read, or it covers no deal of the result.
    Corrupt
        If a shard is not what was written.
    """
    result = open_result(*folders)
    named = known or own_list(result.config.verify.known)
    published = load_known(named) if named else None
    findings = read_all(result)
    report: dict[str, object] = {
        "shards": len(result.shards),
        "deals": sum(result.counts),
        **result.counts._asdict(),
        "missing_ranges": result.missing,
    }
    lines = [_integrity(result), *_gaps(result.missing)]
    differs = False
    if published:
        comparison = compare(result, findings, published)
        differs = bool(comparison.missing or comparison.extra)
        report["known"] = {"list": str(named), **comparison._asdict()}
        lines += _against(named, comparison)
    complete = not result.missing and not findings.undecided
    status = DIFFERS if differs else WELL if complete else INCOMPLETE
    print(json.dumps({**report, "status": status}) if as_json else "\n".join(lines))
    return status


def read_all(result: ResultSet) -> Findings:
    """Read every shard in full, checksums and columns.

    Raises
    ------
    Corrupt
        If a shard is not what was written.
    """
    unsolvable: set[int] = set()
    undecided: set[int] = set()
    for folder, footer in result.shards:
        verdicts = parquet.read(folder, footer.shard).verdicts
        if tuple(np.bincount(verdicts, minlength=len(VERDICTS))) != footer.counts:
            raise parquet.corrupt(folder / footer.shard.name, "its end counts other verdicts than it holds")
        for code, deals in ((UNSOLVABLE, unsolvable), (UNDECIDED, undecided)):
            deals.update(footer.shard.first + int(index) for index in np.flatnonzero(verdicts == code))
    return Findings(frozenset(unsolvable), frozenset(undecided))


def compare(result: ResultSet, findings: Findings, known: Known) -> Comparison:
    """The unsolvable deals of a result against a list.

    Raises
    ------
    UsageError
        If the list covers no deal of the result's range, or the result is of another game.
    """
    span, rules = result.config.range, result.config.rules
    if (rules.game, rules.cells) != ("freecell", 4):
        raise UsageError(f"known lists are of freecell with 4 cells, the result is of {rules.game} with {rules.cells}")
    overlap = known.overlap(span.first, span.last)
    if not overlap:
        raise UsageError(f"the known list covers no deal of {span.first}..{span.last}: name another with --known")
    listed = {deal for deal in known.deals if span.first <= deal <= span.last}
    decided = {deal for deal in listed - findings.undecided if not _in(result.missing, deal)}
    return Comparison(
        overlap,
        len(listed),
        len(listed & findings.unsolvable),
        sorted(decided - findings.unsolvable),
        sorted(deal for deal in findings.unsolvable - listed if known.covers(deal)),
    )


def _in(ranges: Iterable[tuple[int, int]], deal: int) -> bool:
    return any(first <= deal <= last for first, last in ranges)


def _integrity(result: ResultSet) -> str:
    counts = result.counts
    return (
        f"{counted(len(result.shards), 'shard')}, {counted(sum(counts), 'deal')}, every checksum right: "
        f"{counts.solved:,} solved, {counts.unsolvable:,} unsolvable, {counts.undecided:,} undecided"
    )


def _gaps(missing: list[tuple[int, int]]) -> list[str]:
    lines = [f"missing: deals {first}..{last}" for first, last in missing[:MOST_GAPS]]
    if len(missing) > MOST_GAPS:
        lines.append(f"missing: {counted(len(missing) - MOST_GAPS, 'range')} more")
    return lines


def _against(path: Path | None, comparison: Comparison) -> list[str]:
    overlap = ", ".join(f"{first}..{last}" for first, last in comparison.overlap)
    lines = [f"unsolvable deals of {overlap} against {path}: {comparison.found} of {comparison.listed}"]
    if comparison.missing:
        lines.append(f"in the list, solved here: {', '.join(map(str, comparison.missing))}")
    if comparison.extra:
        lines.append(f"unsolvable here, not in the list: {', '.join(map(str, comparison.extra))}")
    return lines
