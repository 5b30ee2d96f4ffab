"""What a dask worker does with a task: somebody started it, somewhere, with some version of this program."""

import pickle
import signal
from importlib.metadata import version
from threading import Lock
from typing import Any

from distributed import get_worker

from kernels.jit import source_digest
from kernels.proof import depth_first
from kernels.search import attempts
from pipeline.errors import UsageError
from pipeline.farm.processes import end_with_parent

HERE = version("freecell-census"), source_digest()
"""Version of the package and digest of the kernels that this process has loaded."""

_ALONE = Lock()
"""Kernels keep their room for the next task, so that only one may run in a process, however many threads it has."""


class OtherVersion(UsageError):
    """A worker runs another version than the run that gives it tasks."""


def checked(wanted: tuple[str, str], task: bytes) -> Any:
    """Do a task if it comes from the same version; each worker is asked each time, as others may join later.

    Parameters
    ----------
    wanted : tuple of str
        Version and digest of the run.
    task : bytes
        A pickled function and its one argument: another version may not even be able to read it.

    Raises
    ------
    OtherVersion
        If this worker runs another version.
    Exception
        Whatever the function raises.
    """
    if wanted != HERE:
        raise OtherVersion(
            f"the worker {get_worker().address} runs freecell-census {HERE[0]} with kernels {HERE[1]}, "
            f"this run is {wanted[0]} with kernels {wanted[1]}: install the same there"
        )
    with _ALONE:
        function, argument = pickle.loads(task)
        answer = function(argument)
        _make_room()
    return answer


def _make_room() -> None:
    """Give back what kernels keep, where it would make dask pause this worker for good: it looks at what is held."""
    worker = get_worker()
    limit = worker.memory_manager.memory_limit
    if limit and worker.monitor.get_process_memory() > limit / 2:
        attempts.release_memory()
        depth_first.release_memory()


def dask_setup(worker: object) -> None:
    """Called by dask in each worker of a cluster that belongs to one run on this machine."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the whole process group receives these; only the run reacts
        signal.signal(number, signal.SIG_IGN)
    end_with_parent()
