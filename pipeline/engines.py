"""Where tasks run: pools of worker processes on this machine.

The farm sees an engine as the protocol below, and its pools as `concurrent.futures` executors: submit and result only.
"""

import fcntl
import math
import multiprocessing
import os
import signal
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import connection, forkserver, parent_process
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from pipeline.errors import UsageError
from pipeline.stop import interruptible
from pipeline.worker import announce_compilation, warm


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


class EngineGone(Exception):
    """No task can be given to the engine any more; what its workers are doing is lost."""


class Room(NamedTuple):
    """What fits into the memory of an engine's workers at a time.

    Attributes
    ----------
    workers : int, optional
        How many workers may take a task of the size in question; None where that needs no limit.
    said : str
        What memory there is, in words.
    """

    workers: int | None
    said: str


class Engine(Protocol):
    """What the farm, and the census about it, ask of an engine."""

    def pool(self, most: int | None) -> Executor:
        """A pool of all workers there are, or of so many of them at most."""

    def size(self, pool: Executor) -> int:
        """How many workers a pool has just now; each works on one task at a time."""

    def lost(self, pool: Executor) -> bool:
        """Whether a worker of a pool has died, and the pool can't go on without it."""

    def drop(self, pool: Executor) -> None:
        """End a pool at once, with whatever its workers are doing."""

    def room(self, each: int) -> Room:
        """How many tasks that take so many bytes of memory each may run at a time."""

    def close(self) -> None:
        """The run is over."""


def engine_of(wanted: Workers, attempts: int) -> Engine:
    """Start an engine; `attempts` is the number of attempts in the quick pass.

    Raises
    ------
    UsageError
        If dask is not installed, or no scheduler answers.
    """
    number = wanted.number or len(os.sched_getaffinity(0))
    if wanted.engine == "local":
        return LocalProcesses(number, attempts)
    try:
        from pipeline.cluster import Dask
    except ModuleNotFoundError as error:
        raise UsageError(f"--engine dask: {error}; pip install '.[dask]' in the project's folder") from error
    return Dask(wanted.scheduler, number, attempts)


class LocalProcesses:
    """Worker processes, forked from a server that has the kernels loaded.

    Parameters
    ----------
    workers : int
        Number of worker processes.
    attempts : int
        Number of attempts in the quick pass: no worker has to compile for it.
    """

    def __init__(self, workers: int, attempts: int) -> None:
        self._workers = workers
        announce_compilation()
        with interruptible():
            warm(attempts)
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["pipeline.preload"])

    def pool(self, most: int | None) -> Executor:
        """A pool of processes that ignore SIGINT and SIGTERM, and end when this process does.

        Terminals and batch systems send these signals to the whole group: what they mean is this process's to say.
        """
        # An ignored signal stays ignored over fork and exec: there is no moment in which it would kill the server.
        handlers = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            forkserver.ensure_running()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        workers = self._workers if most is None else min(self._workers, most)
        return ProcessPoolExecutor(workers, self._context, initializer=end_with_parent)

    def size(self, pool: Executor) -> int:
        """The number of processes, whether they are started yet or not."""
        workers: int = pool._max_workers  # type: ignore[attr-defined]
        return workers

    def lost(self, pool: Executor) -> bool:
        """Whether a worker has died; the pool itself doesn't see it if that was in the middle of an answer."""
        assert isinstance(pool, ProcessPoolExecutor)
        return not all(worker.is_alive() for worker in pool._processes.values())

    def drop(self, pool: Executor) -> None:
        """Kill the workers, and wait for the pool's thread: left alone, it gets into Python's way at the exit."""
        assert isinstance(pool, ProcessPoolExecutor)
        answers: Any = pool._result_queue
        for worker in multiprocessing.active_children():
            worker.kill()
        answers._writer.close()  # the thread may be reading half an answer: without a writer, no other half can come
        pool.shutdown(cancel_futures=True)

    def room(self, each: int) -> Room:
        """As many as fit into the memory that is free."""
        return room_here(each, self._workers)

    def close(self) -> None:
        """Nothing is left: each pool was dropped."""


def end_with_parent() -> None:
    """Let a worker whose parent was killed end as well, even in the middle of a kernel, where no Python code runs.

    When the pipe to the parent closes, the system sends SIGIO, and that ends the process.
    """
    parent = parent_process()
    assert parent is not None
    fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, fcntl.fcntl(parent.sentinel, fcntl.F_GETFL) | os.O_ASYNC)
    if connection.wait([parent.sentinel], timeout=0):  # it was closed before
        os._exit(1)


def room_here(each: int, workers: int) -> Room:
    """How many of the workers on this machine may take so many bytes each: at least one."""
    free = free_memory()
    return Room(max(1, min(workers, free // each)), f"{free / 1e9:.1f} GB are free")


def free_memory() -> int:
    """Bytes of memory that this process and its children may still take."""
    free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        free = int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):  # another system
        pass
    return int(min([free, *map(room_in, groups(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")))]))


def groups(named: Path, root: Path) -> list[Path]:
    """The control groups that this process is in, from its own up to the root: batch systems limit one of them."""
    try:
        own = next(line[3:].strip("/") for line in named.read_text().splitlines() if line.startswith("0::"))
    except (OSError, StopIteration):
        own = ""
    group = root / own
    return [group, *(above for above in group.parents if above.is_relative_to(root))]


def room_in(group: Path) -> float:
    """Bytes of memory that a control group still has; infinite without a limit."""
    try:
        limit, used = (int((group / f"memory.{name}").read_text()) for name in ("max", "current"))
    except (OSError, ValueError):  # no such group from here, or no limit ("max")
        return math.inf
    return limit - used
