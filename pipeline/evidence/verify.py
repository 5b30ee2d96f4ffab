"""Whether a result is whole and sound, and whether its unsolvable deals are those of a published list."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.config import Game, own_list
from pipeline.errors import UsageError
from pipeline.evidence.known_list import Known
from pipeline.evidence.known_list import load as load_known
from pipeline.evidence.ranges import hold
from pipeline.places import Place
from pipeline.progress import counted
from pipeline.store import parquet
from pipeline.store.result import ResultSet, open_result
from pipeline.store.rows import PLAIN, SAFE, SOLVED, UNDECIDED, UNSOLVABLE, proved

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
    """What the rows of a result say.

    Attributes
    ----------
    unsolvable, undecided : frozenset of int
        Deals.
    safe_only : frozenset of int
        Deals whose proof is with safe autoplay only; where the fewest cells were asked for, most solved deals have one.
    proofs : int
        Number of proofs, of both grades.
    cells : tuple of int
        Where the fewest cells were asked for, how many deals need none, one, and so on; else empty.
    """

    unsolvable: frozenset[int]
    undecided: frozenset[int]
    safe_only: frozenset[int] = frozenset()
    proofs: int = 0
    cells: tuple[int, ...] = ()


@dataclass(frozen=True)
class Verification:
    """What `verify` found.

    Attributes
    ----------
    result : ResultSet
        What was read.
    findings : Findings
        The deals that it proves unsolvable, and those that it leaves undecided.
    listed : Path, optional
        The known list that it was compared with.
    comparison : Comparison, optional
        How its unsolvable deals compare with that list.
    named : bool
        Whether the list says which game it is about.
    """

    result: ResultSet
    findings: Findings
    listed: Path | None
    comparison: Comparison | None
    named: bool = True

    @property
    def status(self) -> int:
        """WELL, DIFFERS or INCOMPLETE; a difference goes before what is missing."""
        if self.comparison and (self.comparison.missing or self.comparison.extra):
            return DIFFERS
        return INCOMPLETE if self.result.missing or self.findings.undecided else WELL

    def lines(self) -> list[str]:
        """The answer for a person."""
        findings, missing = self.findings, self.result.missing
        lines = [_integrity(self.result), *_cells(findings), *_grades(findings), *_gaps(missing)]
        return lines + (_against(self.listed, self.comparison, self.named) if self.comparison else [])

    def as_json(self) -> dict[str, Any]:
        """The answer as a JSON object."""
        safe_only = len(self.findings.safe_only)
        report: dict[str, Any] = {
            "shards": len(self.result.shards),
            "deals": sum(self.result.counts),
            **self.result.counts._asdict(),
            "grades": {PLAIN: self.findings.proofs - safe_only, SAFE: safe_only},
            "missing_ranges": self.result.missing,
        }
        if self.findings.cells:
            report["cells"] = dict(enumerate(self.findings.cells))
        if self.comparison:
            report["known"] = {"list": str(self.listed), "names_game": self.named, **self.comparison._asdict()}
        return {**report, "status": self.status}


def verify(*folders: str | Place, known: str | Path | None = None) -> Verification:
    """Read every page of a result against its checksum, then compare its unsolvable deals with a known list.

    Parameters
    ----------
    folders : str, Path or Remote
        Seen as one result.
    known : str or Path, optional
        The list; by default the one that the configuration names, if any.

    Raises
    ------
    UsageError
        If the folders don't belong together, the list can't be read, or it covers no deal of the result.
    Corrupt
        If a shard is not what was written.
    """
    result = open_result(*folders)
    listed = Path(known) if known else own_list(result.config.verify.known)
    published = load_known(listed) if listed else None
    findings = read_all(result)
    comparison = compare(result, findings, published) if published else None
    return Verification(result, findings, listed, comparison, published.named if published else True)


def read_all(result: ResultSet) -> Findings:
    """Read every shard in full, checksums and columns.

    Raises
    ------
    Corrupt
        If a shard is not what was written.
    """
    unsolvable: set[int] = set()
    undecided: set[int] = set()
    safe_only: set[int] = set()
    number, rules = 0, result.config.rules
    cells = np.zeros(rules.cells + 1 if rules.fewest else 0, np.int64)
    for folder, footer in result.shown("verifying"):
        first, rows = footer.shard.first, parquet.read(folder, footer.shard)
        undecided.update((np.flatnonzero(rows.verdicts == UNDECIDED) + first).tolist())
        unsolvable.update((np.flatnonzero(rows.verdicts == UNSOLVABLE) + first).tolist())
        for group in proved(rows, rules.cells).values():
            number += len(group)
            safe_only.update(first + index for index, proof in group.items() if proof.grade == SAFE)
        if rules.fewest:
            cells += np.bincount(rows.cells[rows.verdicts == SOLVED], minlength=len(cells))
    return Findings(frozenset(unsolvable), frozenset(undecided), frozenset(safe_only), number, tuple(map(int, cells)))


def compare(result: ResultSet, findings: Findings, known: Known) -> Comparison:
    """The unsolvable deals of a result against a list.

    Raises
    ------
    UsageError
        If the list covers no deal of the result's range, or is about another game.
    """
    span, rules = result.config.range, result.config.rules
    if not known.is_about(rules):
        raise UsageError(f"the known list is about {known.about}; the result is of {rules}: name another with --known")
    overlap = known.overlap(span.first, span.last)
    if not overlap:
        raise UsageError(f"the known list covers no deal of {span.first}..{span.last}: name another with --known")
    listed = {deal for deal in known.deals if span.first <= deal <= span.last}
    missing = result.missing
    decided = {deal for deal in listed - findings.undecided if not hold(missing, deal)}
    return Comparison(
        overlap,
        len(listed),
        len(listed & findings.unsolvable),
        sorted(decided - findings.unsolvable),
        sorted(deal for deal in findings.unsolvable - listed if known.covers(deal)),
    )


def _integrity(result: ResultSet) -> str:
    counts = result.counts
    return (
        f"{counted(len(result.shards), 'shard')}, {counted(sum(counts), 'deal')}, every checksum right: "
        f"{counts.solved:,} solved, {counts.unsolvable:,} unsolvable, {counts.undecided:,} undecided"
    )


def _cells(findings: Findings) -> list[str]:
    """How many deals need how many cells; none where that was not asked for."""
    if not findings.cells:
        return []
    needed = ", ".join(f"{cells} ({counted(deals, 'deal')})" for cells, deals in enumerate(findings.cells))
    more = [sum(findings.cells[cells + 1 :]) + len(findings.unsolvable) for cells in range(len(findings.cells))]
    impossible = ", ".join(f"{cells} ({counted(deals, 'deal')})" for cells, deals in enumerate(more))
    return [f"fewest cells: {needed}", f"impossible with so many: {impossible}"]


def _grades(findings: Findings) -> list[str]:
    """The deals whose proof is of the lower grade; none where all are of the other one."""
    if not findings.safe_only:
        return []
    named = ", ".join(map(str, sorted(findings.safe_only)[:MOST_GAPS]))
    more = ", .." if len(findings.safe_only) > MOST_GAPS else ""
    return [f"proved with {SAFE}: {len(findings.safe_only):,} of {findings.proofs:,} ({named}{more})"]


def _gaps(missing: list[tuple[int, int]]) -> list[str]:
    lines = [f"missing: deals {first}..{last}" for first, last in missing[:MOST_GAPS]]
    if len(missing) > MOST_GAPS:
        lines.append(f"missing: {counted(len(missing) - MOST_GAPS, 'range')} more")
    return lines


def _against(path: Path | None, comparison: Comparison, named: bool) -> list[str]:
    overlap = ", ".join(f"{first}..{last}" for first, last in comparison.overlap[:MOST_GAPS])
    if more := len(comparison.overlap[MOST_GAPS:]):
        overlap += f" and {counted(more, 'range')} more"
    taken = "" if named else f" (the list names no game, so it is taken as one of {Game()})"
    undecided = comparison.listed - comparison.found - len(comparison.missing)
    left = f", {undecided} not decided here yet" if undecided else ""
    lines = [f"unsolvable deals of {overlap} against {path}: {comparison.found} of {comparison.listed}{left}{taken}"]
    if comparison.missing:
        lines.append(f"in the list, solved here: {', '.join(map(str, comparison.missing))}")
    if comparison.extra:
        lines.append(f"unsolvable here, not in the list: {', '.join(map(str, comparison.extra))}")
    return lines
