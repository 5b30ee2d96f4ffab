"""Which engine a run works with."""

from typing import NamedTuple

from pipeline.errors import UsageError
from pipeline.farm.limits import processors
from pipeline.farm.processes import LocalProcesses
from pipeline.farm.protocol import Engine

ENGINES = ("local", "dask")
MOST_WORKERS = 4_096


class Workers(NamedTuple):
    """Where a run gets its workers from.

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
        """Number of workers that are started on this machine, unless a scheduler has its own."""
        return self.number or processors()


def workers_of(engine: str, number: int | None, scheduler: str | None) -> Workers:
    """What was asked for, if it fits together.

    Raises
    ------
    UsageError
        If there is no such engine, or an option is for another one.
    """
    if engine not in ENGINES:
        raise UsageError(f"--engine {engine}: {' or '.join(ENGINES)}")
    if number is not None and not 1 <= number <= MOST_WORKERS:
        raise UsageError(f"--workers {number}: from 1 to {MOST_WORKERS}")
    if scheduler is not None and engine != "dask":
        raise UsageError(f"--scheduler {scheduler} is for --engine dask")
    if scheduler is not None and number is not None:
        raise UsageError(f"--workers {number}: a scheduler has the workers that were started for it")
    return Workers(engine, number, scheduler)


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
