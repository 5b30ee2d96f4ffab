"""Which engine a run works with."""

import os
from typing import NamedTuple

from pipeline.errors import UsageError
from pipeline.farm.processes import LocalProcesses
from pipeline.farm.protocol import Engine


class Workers(NamedTuple):
    """Where a run gets its workers from, as somebody asked for it.

    Attributes
    ----------
    engine : str
        `local` or `dask`.
    number : int, optional
        Worker processes on this machine; by default one for each core that this process may use.
    scheduler : str, optional
        Address of a dask scheduler that has workers of its own.
    """

    engine: str = "local"
    number: int | None = None
    scheduler: str | None = None

    @property
    def here(self) -> int:
        """Worker processes, or threads, on this machine."""
        return self.number or len(os.sched_getaffinity(0))


def engine_of(wanted: Workers, attempts: int) -> Engine:
    """Start an engine; `attempts` is the number of attempts in the quick pass.

    Raises
    ------
    UsageError
        If dask is not installed, or no scheduler answers.
    """
    if wanted.engine == "local":
        return LocalProcesses(wanted.here, attempts)
    try:
        from pipeline.farm.cluster import Dask
    except ModuleNotFoundError as error:
        raise UsageError(f"--engine dask: {error}; pip install '.[dask]' in the project's folder") from error
    return Dask(wanted.scheduler, wanted.here, attempts)
