"""A result against a published summary of its census: the shards' digests, and the unsolvable deals."""

import json
from contextlib import closing
from typing import Any

from kernels.contradiction import Contradiction
from pipeline.config import PROJECT
from pipeline.errors import UsageError
from pipeline.evidence.summary import MOST_LISTED, sha256
from pipeline.places import Place
from pipeline.progress import Progress
from pipeline.store.folder import SUMMARY
from pipeline.store.parquet import shard_path
from pipeline.store.result import ResultSet
from pipeline.store.rows import Proof
from pipeline.texts import read_text

PUBLISHED = "results/published"
"""Where the project keeps the summaries of its censuses, by name."""


class PublishedSummary:
    """A summary, or none, and what the comparison with it came to.

    Attributes
    ----------
    said : str
        For the report.
    """

    def __init__(self, result: ResultSet, path: Place | None, summary: dict[str, Any]) -> None:
        self._result, self._path, self._summary = result, path, summary
        self.said = "no published summary to compare with"

    def check_shards(self) -> None:
        """Compare the digest of each shard.

        A summary of other kernels says other digests: then that is what is said.

        Raises
        ------
        Contradiction
            If a shard is not the published one.
        """
        if not self._path or not self._result.shards:
            return
        ours, theirs = self._result.shards[0][1].provenance.kernels, self._summary["kernels"]
        if ours != theirs:
            self.said = f"not compared, {self._path} is of kernels {theirs}, these are of {ours}"
            return
        digests: dict[str, str] = self._summary["sha256"]
        with closing(Progress("digests", len(self._result.shards), unit="shards", left_over="")) as progress:
            for folder, footer in self._result.shards:
                path, name = shard_path(folder, footer.shard), footer.shard.name
                if (digest := sha256(path)) != digests.get(name):
                    raise Contradiction(
                        f"{path} is not the published shard: its SHA-256 is {digest}, "
                        f"{self._path} says {digests.get(name)}"
                    )
                progress.advance(1)
        self.said = f"{len(self._result.shards):,} of {len(digests):,} have the SHA-256 that {self._path} says"

    def check_unsolvable(self, unsolvable: dict[int, Proof]) -> None:
        """Compare the unsolvable deals, with the counts that both have, of the shards that are there.

        Raises
        ------
        Contradiction
            If a deal has another count, or is unsolvable only here or there.
        """
        if not self._path or self._summary["unsolvable_deals"] is None:
            return
        published = {row["deal"]: _proof(row) for row in self._summary["unsolvable_deals"]}
        spans = [(footer.shard.first, footer.shard.last) for _, footer in self._result.shards]
        here = {deal for deal in published if any(first <= deal <= last for first, last in spans)}
        for deal in sorted(here | unsolvable.keys()):
            if not _agree(published.get(deal), unsolvable.get(deal)):
                raise Contradiction(
                    f"deal {deal}: stored {_as_said(unsolvable.get(deal))}, {self._path} has it "
                    f"{_as_said(published.get(deal))}"
                )


def _proof(row: dict[str, Any]) -> Proof:
    return Proof(row["closure"] or 0, row.get("closure_safe") or 0)


def _agree(theirs: Proof | None, ours: Proof | None) -> bool:
    """Whether both prove a deal, with equal counts of the same kind; a kind that one of them lacks says nothing."""
    if theirs is None or ours is None:
        return False
    return all(not one or not other or one == other for one, other in zip(theirs, ours, strict=True))


def _as_said(proof: Proof | None) -> str:
    if proof is None:
        return "not as unsolvable"
    return f"as unsolvable with {proof.plain or proof.safe:,} positions ({proof.grade})"


def against(result: ResultSet, folder: Place, named: Place | None) -> PublishedSummary:
    """The published summary that a result is compared with.

    Parameters
    ----------
    named : Place, optional
        Where it is; without, the project's summary of a census of this name, or the folder's own, if it is of the same
        deals and rules.

    Raises
    ------
    UsageError
        If the named summary can't be read, or is of other deals or rules.
    """
    if named:
        summary = _loaded(named)
        if not _is_of(summary, result):
            raise UsageError(f"{named} is a summary of {_what(summary)}, {folder} is of {_what(_described(result))}")
        return PublishedSummary(result, named, summary)
    places: tuple[Place, ...] = (PROJECT / PUBLISHED / f"{result.config.name}.json", folder / SUMMARY)
    for path in places:
        if path.is_file() and _is_of(summary := _loaded(path), result):
            return PublishedSummary(result, path, summary)
    return PublishedSummary(result, None, {})


def _loaded(path: Place) -> dict[str, Any]:
    try:
        summary = json.loads(read_text(path))
        first, last = summary["range"]
        rows = summary["unsolvable_deals"]
        if rows is None and summary["unsolvable"] > MOST_LISTED:
            rows = []
        numbers = [first, last, *(row["deal"] for row in rows)]
        counts = [row[key] for row in rows for key in ("closure", "closure_safe")]
        for kind, values in (
            (int, numbers),
            (int | None, counts),
            (str, [summary["kernels"]]),
            (dict, [summary["rules"], summary["sha256"]]),
        ):
            if strange := [value for value in values if not isinstance(value, kind)]:
                raise TypeError(f"{strange[0]!r} where there should be another kind of value")
    except OSError as error:
        raise UsageError(f"can't read the summary {path}: {error.strerror}") from error
    except UsageError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} is no summary of a result: {error!r}") from error
    assert isinstance(summary, dict)
    return summary


def _described(result: ResultSet) -> dict[str, Any]:
    config = result.config
    return {
        "range": [config.range.first, config.range.last],
        "rules": config.rules.described(),
    }


def _is_of(summary: dict[str, Any], result: ResultSet) -> bool:
    return all(summary[key] == value for key, value in _described(result).items())


def _what(summary: dict[str, Any]) -> str:
    return f"deals {summary['range'][0]}..{summary['range'][1]}, {json.dumps(summary['rules'])}"
