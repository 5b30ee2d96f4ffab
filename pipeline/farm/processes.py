"""An engine of worker processes on this machine."""

import fcntl
import multiprocessing
import os
import signal
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import connection, forkserver, parent_process
from typing import Any

from pipeline.farm.memory import room_here
from pipeline.farm.protocol import Room
from pipeline.farm.worker import announce_compilation, warm
from pipeline.signals import interruptible


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
        for worker in list((pool._processes or {}).values()):  # nothing else that this process has started
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
