"""Out of a result: deal numbers, certificates of unsolvable deals, solutions."""

import json
import textwrap
from collections.abc import Iterator
from contextlib import closing

import numpy as np

from pipeline.deals.notation import move_texts, moves_text
from pipeline.errors import UsageError
from pipeline.evidence.certificates import certified, rules_in_words
from pipeline.places import Place
from pipeline.progress import Progress
from pipeline.signals import interruptible
from pipeline.store import parquet
from pipeline.store.result import ResultSet, open_result
from pipeline.store.rows import SOLVED, UNSOLVABLE, VERDICTS, Rows, solution_ends


def export(folder: Place, verdict: str, as_json: bool) -> int:
    """Print the numbers of the deals that have a verdict, one a line or as one JSON object; the exit status.

    Raises
    ------
    UsageError
        If this is not the folder of a run.
    Corrupt
        If a shard is not what was written.
    """
    deals: list[int] = []
    for first, rows in _shards(open_result(folder), VERDICTS.index(verdict)):
        here = (np.flatnonzero(rows.verdicts == VERDICTS.index(verdict)) + first).tolist()
        if as_json:
            deals += here
        else:
            print("\n".join(map(str, here)))
    if as_json:
        print(json.dumps({"verdict": verdict, "deals": deals}))
    return 0


def export_certificates(folder: Place, as_json: bool) -> int:
    """Print for each unsolvable deal what another program must get; the exit status.

    Raises
    ------
    Contradiction
        If a deal is exhausted with another count than the stored one.
    UsageError, Corrupt
        As `export` does.
    """
    result = open_result(folder)
    game = result.config.rules
    certificates = []
    if not as_json:
        lines = (line for paragraph in rules_in_words(game) for line in textwrap.wrap(paragraph, 110))
        print(*(f"# {line}\n" for line in lines), sep="")
    with interruptible(), closing(Progress("certificates", result.counts.unsolvable, left_over="")) as progress:
        for first, rows in _shards(result, UNSOLVABLE):
            for index in np.flatnonzero(rows.verdicts == UNSOLVABLE).tolist():
                certificate = certified(first + index, int(rows.closures[index]), game)
                if as_json:
                    certificates.append(certificate._asdict())
                else:
                    print(certificate.as_text(), flush=True)
                progress.advance(1)
    if as_json:
        print(json.dumps({"rules": rules_in_words(game), "deals": certificates}))
    return 0


def export_solutions(folder: Place, as_json: bool) -> int:
    """Print the stored solution of each solved deal in standard notation, ten moves a line; the exit status.

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
    before = '{"solutions": ['
    for first, rows in _shards(result, SOLVED):
        ends = solution_ends(rows)
        for index in np.flatnonzero(rows.verdicts == SOLVED).tolist():
            moves = move_texts(rows.solutions[ends[index] : ends[index + 1]])
            if as_json:
                print(before, json.dumps({"deal": first + index, "moves": moves}), sep="", end="")
                before = ",\n"
            else:
                print(f"# deal {first + index}: {len(moves)} moves\n{moves_text(moves)}\n")
    if as_json:
        print("]}" if before.startswith(",") else before + "]}")
    return 0


def _shards(result: ResultSet, code: int) -> Iterator[tuple[int, Rows]]:
    """The rows of each shard that has deals of a verdict, with the shard's first deal."""
    for folder, footer in result.shards:
        if footer.counts[code]:
            yield footer.shard.first, parquet.read(folder, footer.shard)
