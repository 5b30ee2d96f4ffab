"""Out of a result: deal numbers, certificates of unsolvable deals, solutions.

Each is an outcome that reads shard by shard while it is printed: memory holds one shard, however many deals there are.
"""

import json
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pipeline.deals.notation import move_texts, moves_text
from pipeline.errors import UsageError
from pipeline.evidence.certificates import Certificate, certified, rules_in_words
from pipeline.places import Place
from pipeline.progress import Progress
from pipeline.signals import interruptible
from pipeline.store import parquet
from pipeline.store.result import ResultSet, open_result
from pipeline.store.rows import SOLVED, UNSOLVABLE, VERDICTS, Rows, proofs, solution_ends


class Numbers(NamedTuple):
    """The numbers of the deals that have a verdict."""

    result: ResultSet
    verdict: str

    @property
    def status(self) -> int:
        """Always 0."""
        return 0

    def deals(self) -> Iterator[int]:
        """The numbers, ascending."""
        code = VERDICTS.index(self.verdict)
        for first, rows in _shards(self.result, code):
            yield from (_with_verdict(rows, code) + first).tolist()

    def lines(self) -> Iterator[str]:
        """A number a line."""
        return map(str, self.deals())

    def as_json(self) -> dict[str, Any]:
        """All numbers."""
        return {"verdict": self.verdict, "deals": list(self.deals())}

    def json_pieces(self) -> Iterator[str]:
        """The same, number by number."""
        yield f'{{"verdict": {json.dumps(self.verdict)}, "deals": '
        yield from _as_list(self.lines())
        yield "}"


class Certificates(NamedTuple):
    """Certificates of the unsolvable deals."""

    result: ResultSet

    @property
    def status(self) -> int:
        """Always 0: a deal that is exhausted with another count raises Contradiction."""
        return 0

    def certificates(self) -> Iterator[Certificate]:
        """One after the other, each exhausted when it is asked for."""
        total = self.result.counts.unsolvable
        with interruptible(), closing(Progress("certificates", total, left_over="")) as progress:
            for first, rows in _shards(self.result, UNSOLVABLE):
                for index, proof in proofs(rows).items():
                    yield certified(first + index, proof, self.result.config.rules)
                    progress.advance(1)

    def lines(self) -> Iterator[str]:
        """The rules, then each certificate."""
        for paragraph in rules_in_words(self.result.config.rules):
            yield from (f"# {line}" for line in textwrap.wrap(paragraph, 110))
        yield ""
        for certificate in self.certificates():
            yield certificate.as_text()

    def as_json(self) -> dict[str, Any]:
        """The rules and all certificates."""
        deals = [certificate._asdict() for certificate in self.certificates()]
        return {"rules": rules_in_words(self.result.config.rules), "deals": deals}


class Solution(NamedTuple):
    """The moves of a solved deal in standard notation."""

    deal: int
    moves: list[str]


class Solutions(NamedTuple):
    """The stored solution of each solved deal."""

    result: ResultSet

    @property
    def status(self) -> int:
        """Always 0."""
        return 0

    def solutions(self) -> Iterator[Solution]:
        """One after the other."""
        for first, rows in _shards(self.result, SOLVED):
            ends = solution_ends(rows)
            for index in _with_verdict(rows, SOLVED).tolist():
                deal, moves = first + index, rows.solutions[ends[index] : ends[index + 1]]
                try:
                    yield Solution(deal, move_texts(moves))
                except UsageError as error:
                    raise UsageError(f"deal {deal}: {error}; `audit` checks all of them") from None

    def lines(self) -> Iterator[str]:
        """Ten moves a line, under the number of the deal."""
        for deal, moves in self.solutions():
            yield from (f"# deal {deal}: {len(moves)} moves", *moves_text(moves).splitlines(), "")

    def as_json(self) -> dict[str, Any]:
        """All solutions."""
        return {"solutions": [solution._asdict() for solution in self.solutions()]}

    def json_pieces(self) -> Iterator[str]:
        """The same, deal by deal."""
        yield '{"solutions": '
        yield from _as_list(json.dumps(solution._asdict()) for solution in self.solutions())
        yield "}"


def export(folder: str | Place, verdict: str) -> Numbers:
    """The numbers of the deals that have a verdict: "solved", "unsolvable" or "undecided".

    Raises
    ------
    UsageError
        If this is not the folder of a run, or there is no such verdict.
    Corrupt
        While it is read, if a shard is not what was written.
    """
    if verdict not in VERDICTS:
        raise UsageError(f"{verdict!r} is no verdict: one of {', '.join(VERDICTS)}")
    return Numbers(open_result(folder), verdict)


def export_certificates(folder: str | Place) -> Certificates:
    """Certificates of the unsolvable deals.

    Raises
    ------
    UsageError, Corrupt
        As `export` does.
    Contradiction
        While it is read, if a deal is exhausted with another count than the stored one.
    """
    return Certificates(open_result(folder))


def export_solutions(folder: str | Place) -> Solutions:
    """The stored solution of each solved deal.

    Raises
    ------
    UsageError
        As `export` does, and if the run kept no solutions.
    Corrupt
        As `export` does.
    """
    result = open_result(folder)
    if not result.config.store.solutions:
        raise UsageError(
            f"{folder} holds no solutions: run the census anew with `solutions = true` in its [store], in another "
            "folder, or `solve N` a single deal"
        )
    return Solutions(result)


def _shards(result: ResultSet, code: int) -> Iterator[tuple[int, Rows]]:
    """The rows of each shard that has deals of a verdict, with the shard's first deal."""
    for folder, footer in result.shards:
        if footer.counts[code]:
            yield footer.shard.first, parquet.read(folder, footer.shard)


def _with_verdict(rows: Rows, code: int) -> npt.NDArray[np.intp]:
    return np.flatnonzero(rows.verdicts == code)


def _as_list(entries: Iterable[str]) -> Iterator[str]:
    """Texts of JSON values as the text of their list, a line each."""
    yield "["
    between = ""
    for entry in entries:
        yield between + entry
        between = ",\n"
    yield "]"
