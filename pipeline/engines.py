"""Where tasks run: pools of worker processes on this machine.

The farm sees an engine as the protocol below, and its pools as `concurrent.futures` executors: submit and result only.
"""

import multiprocessing
import os
import signal
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import connection, forkserver, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

from pipeline.stop import interruptible
from pipeline.worker import announce_compilation, warm


class Engine(Protocol):
    """What the farm asks of an engine."""

    def pool(self, workers: int) -> Executor:
        """A pool of so many workers."""

    def lost(self, pool: Executor) -> bool:
        """Whether a worker of a pool has died."""

    def drop(self, pool: Executor) -> None:
        """End a pool at once, with whatever its workers are doing."""


class LocalProcesses:
    """Worker processes, forked from a server that has the kernels loaded.

    Parameters
    ----------
    attempts : int
        Number of attempts in the quick pass: no worker has to compile for it.
    """

    def __init__(self, attempts: int) -> None:
        announce_compilation()
        with interruptible():
            warm(attempts)
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["pipeline.preload"])

    def pool(self, workers: int) -> Executor:
        """A pool of so many workers; they ignore SIGINT and SIGTERM, and end when this process does.

        Terminals and batch systems send these signals to the whole group: what they mean is this process's to say.
        """
        # An ignored signal stays ignored over fork and exec: there is no moment in which it would kill the server.
        handlers = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            forkserver.ensure_running()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        return ProcessPoolExecutor(workers, self._context, initializer=_end_with_parent)

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


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for tasks forever: let it end as well."""
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def free_memory() -> int:
    """Bytes of memory that this process and its children may still take."""
    free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        free = int(fields["MemAvailable"].split()[0]) * 1024
        group = Path("/sys/fs/cgroup")
        limit, used = ((group / f"memory.{name}").read_text().strip() for name in ("max", "current"))
        return min(free, int(limit) - int(used))
    except (OSError, KeyError, ValueError):  # another system, no limit ("max"), or no group of our own
        return free
