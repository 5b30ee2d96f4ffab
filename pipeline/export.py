"""Deal numbers out of a result."""

import json
from pathlib import Path

import numpy as np

from pipeline import store
from pipeline.resultset import opened
from pipeline.rows import VERDICTS


def export(folder: Path, verdict: str, as_json: bool) -> int:
    """Print the numbers of the deals that have a verdict, one a line or as one JSON object; the exit status.

    Raises
    ------
    UsageError
        If this is not the folder of a run.
    Corrupt
        If a shard is not what was written.
    """
    code = VERDICTS.index(verdict)
    deals: list[int] = []
    for place, footer in opened([folder]).shards:
        if footer.counts[code]:
            verdicts = store.read(place, footer.shard).verdicts
            here = (np.flatnonzero(verdicts == code) + footer.shard.first).tolist()
            if as_json:
                deals += here
            else:
                print("\n".join(map(str, here)))
    if as_json:
        print(json.dumps({"verdict": verdict, "deals": deals}))
    return 0
