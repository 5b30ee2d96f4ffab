"""An engine of worker processes on this machine."""

import contextlib
import fcntl
import multiprocessing
import os
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection, forkserver, parent_process, resource_tracker
from typing import Any

from pipeline.errors import UsageError
from pipeline.farm.limits import limits_of_processes, room_here
from pipeline.farm.protocol import Room
from pipeline.farm.worker import announce_compilation, warm
from pipeline.signals import ENDING, interruptible


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
        self._context.set_forkserver_preload(["pipeline.farm.preload"])

    def pool(self, most: int | None) -> Executor:
        """A pool of processes that get no SIGINT, SIGTERM and SIGHUP, and end when this process does.

        Terminals and batch systems send these signals to the whole group: what they mean is this process's to say.

        Raises
        ------
        UsageError
            If this machine lets no process start.
        """
        workers = self._workers if most is None else min(self._workers, most)
        try:
            with _blocked():
                resource_tracker.ensure_running()  # ignores SIGINT and SIGTERM itself, and its start unblocks them
            with _blocked():
                forkserver.ensure_running()
            return ProcessPoolExecutor(workers, self._context, initializer=end_with_parent)
        except OSError as error:
            raise UsageError(
                f"can't start worker processes ({error}): they need sockets in {tempfile.gettempdir()} (TMPDIR, not "
                f"longer than 75 characters), semaphores in /dev/shm, and room within limits ({limits_of_processes()})"
            ) from error

    def size(self, pool: Executor) -> int:
        """The number of processes, whether they are started yet or not."""
        workers: int = pool._max_workers  # type: ignore[attr-defined]
        return workers

    def lost(self, pool: Executor) -> bool:
        """Whether a worker has died in the middle of an answer, or the pool's thread: the pool itself sees neither."""
        assert isinstance(pool, ProcessPoolExecutor)
        thread: Any = pool._executor_manager_thread
        return not (thread.is_alive() and all(worker.is_alive() for worker in pool._processes.values()))

    def drop(self, pool: Executor) -> None:
        """Kill the workers, and wait for the pool's thread: left alone, it gets into Python's way at the exit."""
        assert isinstance(pool, ProcessPoolExecutor)
        answers: Any = pool._result_queue
        for worker in list((pool._processes or {}).values()):  # not the other processes started here
            worker.kill()
        answers._writer.close()  # else the thread waits for the rest of half an answer
        with contextlib.suppress(RuntimeError):  # its thread could not be started
            pool.shutdown(cancel_futures=True)

    def room(self, each: int) -> Room:
        """As many as fit into the memory that is free."""
        return room_here(each, self._workers)

    def close(self) -> None:
        """Nothing is left: each pool was dropped."""


@contextmanager
def _blocked() -> Iterator[None]:
    """Start a process to which signals of the group never come; to this process they come when this is left.

    Blocked signals stay so over fork and exec: there is no moment in which one would kill the server, or be lost.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
