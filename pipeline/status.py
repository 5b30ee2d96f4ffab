"""What of a census is done, from its folder alone."""

import json
from pathlib import Path

from pipeline.resultset import opened

COMPLETE, INCOMPLETE = 0, 3
"""Exit statuses."""


def status(folder: Path, as_json: bool) -> int:
    """Print what is done; the exit status.

    Raises
    ------
    UsageError
        If this is not the folder of a run.
    Corrupt
        If a shard's footer can't be read.
    """
    result = opened([folder])
    span, counts = result.config.range, result.counts
    total, done = span.last - span.first + 1, sum(counts)
    complete = done == total and not counts.undecided
    if as_json:
        report = {"name": result.config.name, "deals": total, "done": done, **counts._asdict(), "complete": complete}
        print(json.dumps(report))
    else:
        print(
            f"{result.config.name}: {done:,} of {total:,} deals ({done / total:.1%}), {counts.solved:,} solved, "
            f"{counts.unsolvable:,} unsolvable, {counts.undecided:,} undecided"
        )
    return COMPLETE if complete else INCOMPLETE
