"""A run of a census, from its configuration to what it came to; a run that was stopped is continued by another one."""

import contextlib
import os
import platform
import shlex
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernels.contradiction import Contradiction
from pipeline.census.passes import Census
from pipeline.config import load, with_fewest_cells
from pipeline.errors import UsageError
from pipeline.farm.engines import Workers, engine_of, workers_of
from pipeline.places import Place, Remote, place
from pipeline.progress import counted
from pipeline.shards import WHOLE, Part, part_named
from pipeline.signals import Stop
from pipeline.store import parquet
from pipeline.store.folder import CONFIG, found, missing, owned
from pipeline.store.log import START, STOP, versions
from pipeline.store.parquet import Counts

DECIDED, UNFINISHED = 0, 3
"""Exit statuses of a run that no signal ended."""

STORE_PATIENCE = 20.0
"""Seconds that a run into a store has for its end after a signal: batch systems kill after 30."""


@dataclass(frozen=True)
class CensusRun:
    """What a run came to.

    Attributes
    ----------
    folder : Path or Remote
        Where the shards are; of a part, its own folder.
    counts : Counts
        Deals by verdict in all shards there.
    complete : bool
        Whether no shard of the census, or of the part, is missing.
    signal : int, optional
        Number of the signal that ended the run.
    """

    folder: Place
    counts: Counts
    complete: bool
    signal: int | None = None

    @property
    def status(self) -> int:
        """0 when every deal is decided, 3 when some are left, 128 + N after signal N."""
        if self.signal:
            return 128 + self.signal
        return DECIDED if self.complete and not self.counts.undecided else UNFINISHED

    def lines(self) -> list[str]:
        """One line: how many deals have which verdict."""
        counts = self.counts
        return [
            f"{counted(sum(counts), 'deal')} in {self.folder}: {counts.solved:,} solved, "
            f"{counts.unsolvable:,} unsolvable, {counts.undecided:,} undecided"
            + ("" if self.complete else "; not complete")
        ]

    def as_json(self) -> dict[str, Any]:
        """The same as one object."""
        counts = {"deals": sum(self.counts), **self.counts._asdict()}
        return {"folder": str(self.folder), **counts, "complete": self.complete}


def run(
    config: str | Path,
    out: str | Place | None = None,
    part: str | None = None,
    workers: int | None = None,
    engine: str = "local",
    scheduler: str | None = None,
    max_time: float | None = None,
    fewest: bool = False,
) -> CensusRun:
    """Run a census, or continue one that was stopped.

    Parameters
    ----------
    config : str or Path
        The configuration, a TOML file.
    out : str, Path or Remote, optional
        Folder of the results, or its URL; results/NAME by default.
    part : str, optional
        "K/N": every N-th shard from the K-th on, in a folder of its own inside `out`.
    workers : int, optional
        Worker processes; by default one for each core that this process may use.
    engine : str
        "local", or "dask".
    scheduler : str, optional
        Address of a dask scheduler whose workers are to be used.
    max_time : float, optional
        Seconds after which no new shard is started, and no new deal of the deep pass.
    fewest : bool
        Whether to find the fewest cells that solve each deal, up to the configuration's number: `fewest-cells`.

    Raises
    ------
    UsageError
        As `load`, `part_named`, `found`, `owned` and `engine_of` do.
    OSError
        If the folder can't be written at the start; a failure later on ends the run as a signal does.
    Contradiction
        If engines disagree about a deal; its shard is not written.
    """
    path, wanted = Path(config), workers_of(engine, workers, scheduler)
    census, shards_of_run = load(path), WHOLE if part is None else part_named(part)
    census = with_fewest_cells(census) if fewest else census
    to = None if out is None else place(out)
    folder = found(census, to, shards_of_run)
    with owned(folder, census) as (log, counts_before):
        farm_engine = engine_of(wanted, len(census.search.quick))
        with Stop(max_time, STORE_PATIENCE if isinstance(folder, Remote) else None) as stop, closing(farm_engine):
            running = Census(census, folder, shards_of_run, log, farm_engine, stop, counts_before, wanted.here)
            here = {"pid": os.getpid(), "host": platform.node(), "engine": wanted.engine, "part": str(shards_of_run)}
            log.write(START, **here, **parquet.provenance(census)._asdict(), versions=versions())
            try:
                running.run()
            except Contradiction as contradiction:
                log.write("contradiction", text=str(contradiction))
                raise
            if stop.failure and not (folder / CONFIG).is_file():
                raise UsageError(stop.failure)  # the folder is gone: there is nothing to sum up
            counts, complete = running.counts, not missing(census, folder, shards_of_run)
            with contextlib.suppress(OSError):  # the disk that refused a shard refuses the log as well
                log.write(STOP, reason=stop.reason, complete=complete, killers=running.killers, **counts._asdict())
    outcome = CensusRun(folder, counts, complete, stop.signal)
    if outcome.status:
        _say_what_is_left(stop, running.killers, complete, _command(path, to, shards_of_run, wanted, fewest))
    return outcome


def _command(path: Path, out: Place | None, part: Part, workers: Workers, fewest: bool) -> str:
    """The command that continues a run."""
    words = ["freecell-census", "fewest-cells" if fewest else "run", str(path)]
    if out:
        words += ["--out", str(out)]
    if part != WHOLE:
        words += ["--part", str(part)]
    if workers.engine != "local":
        words += ["--engine", workers.engine]
    if workers.scheduler:
        words += ["--scheduler", workers.scheduler]
    return shlex.join(words)


def _say_what_is_left(stop: Stop, killers: list[int], complete: bool, resume: str) -> None:
    if killers:
        deals = ", ".join(map(str, sorted(killers)))
        print(f"these deals killed their worker each time, or found no memory: {deals}", file=sys.stderr)
    if stop.reason:
        print(f"stopped: {stop.reason}", file=sys.stderr)
    if stop.reason or not complete:
        print(f"to go on: {resume}", file=sys.stderr)
