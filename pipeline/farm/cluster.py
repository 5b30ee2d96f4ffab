"""Where tasks run, with dask: on the workers of a scheduler, or of a cluster on this machine."""

import asyncio
import contextlib
import logging
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

from distributed import Client, KilledWorker, LocalCluster, Security
from distributed.comm import connect, parse_address

from pipeline.errors import UsageError
from pipeline.farm.cluster_worker import HERE, checked
from pipeline.farm.limits import room_here
from pipeline.farm.protocol import EngineGone, Room
from pipeline.farm.worker import announce_compilation, warm
from pipeline.signals import interruptible

PATIENCE = 10
"""Seconds in which a scheduler has to answer."""

LOOK_EVERY = 1.0
"""Seconds between two questions how many workers there are."""


class Dask:
    """The workers of a dask scheduler.

    Parameters
    ----------
    scheduler : str, optional
        Its address; without one, a cluster is started on this machine and ends with the run.
    workers : int
        Number of workers of that cluster.
    attempts : int
        Number of attempts in the quick pass: no worker of that cluster has to compile for it.

    Raises
    ------
    UsageError
        If no scheduler answers, or dask isn't set up for the protocol of its address.
    """

    def __init__(self, scheduler: str | None, workers: int, attempts: int) -> None:
        self._logging_before = logging.root.manager.disable
        logging.disable(logging.ERROR)  # dask logs tracebacks; we report each problem in one line ourselves
        self._address = scheduler or "this machine"
        self._cluster = _cluster(workers, attempts) if scheduler is None else None
        if scheduler is not None:
            _find(scheduler)
        try:
            self._client = Client(scheduler or self._cluster, timeout=PATIENCE, set_as_default=False)
        except OSError as error:
            raise _nobody(self._address, str(error)) from error
        self._present = 0
        self._next_look = 0.0

    def pool(self, most: int | None) -> Executor:
        """Gives tasks to all workers, or only so many tasks at a time as `most` workers would take."""
        return _Pool(self._client, self._address, most)

    def size(self, pool: Executor) -> int:
        """The number of worker processes, as of a moment ago."""
        assert isinstance(pool, _Pool)
        if time.monotonic() >= self._next_look:
            self._look()
            self._next_look = time.monotonic() + LOOK_EVERY
        return self._present if pool.most is None else min(self._present, pool.most)

    def _look(self) -> None:
        before = self._present
        with contextlib.suppress(OSError):  # busy or gone: the tasks in flight show which
            self._present = len(self._client.sync(self._client.scheduler.ncores, callback_timeout=LOOK_EVERY))
        if not self._present and (before or not self._next_look):
            print(
                f"no worker at {self._address}: tasks wait until one is started with "
                f"`dask worker {self._address} --nthreads 1`",
                file=sys.stderr,
            )

    def lost(self, pool: Executor) -> bool:
        """Never: dask gives the tasks of a worker that died to others.

        Raises
        ------
        EngineGone
            If the connection broke: some futures would then never be done.
        """
        assert isinstance(pool, _Pool)
        pool.check()
        return False

    def drop(self, pool: Executor) -> None:
        """Cancel the tasks that have not begun; tasks in progress run to their end, and nobody hears their answers."""
        with contextlib.suppress(Exception):  # the exception class depends on the state of the connection
            pool.shutdown(wait=False)

    def room(self, each: int) -> Room:
        """One task for each worker that somebody else started, as it has a limit; on this machine what fits."""
        if self._cluster:
            return room_here(each, len(self._cluster.workers))
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [worker["memory_limit"] for worker in workers if worker["memory_limit"]]
        smallest = f"the smallest worker may hold {min(limits) / 1e9:.1f} GB" if limits else "workers have no limit"
        return Room(None, smallest)

    def close(self) -> None:
        """Leave the scheduler; a cluster of this run ends with what its workers are doing."""
        with contextlib.suppress(TimeoutError):
            self._client.close(timeout=1)
        if self._cluster:
            for nanny in self._cluster.workers.values():
                nanny.auto_restart = False
                with contextlib.suppress(ProcessLookupError):
                    if nanny.pid:
                        os.kill(nanny.pid, signal.SIGKILL)
            with contextlib.suppress(TimeoutError):
                self._cluster.close(timeout=5)
        logging.disable(self._logging_before)


class _Pool(Executor):
    """A dask executor that checks each task's version and raises what other executors raise."""

    def __init__(self, client: Client, address: str, most: int | None) -> None:
        self.most = most
        self._address = address
        self._inner = client.get_executor(pure=False)
        self._client, self._connection = client, client.scheduler_comm

    def check(self) -> None:
        """Raise EngineGone if this is not the connection any more that the pool began with."""
        if self._client.status != "running" or self._client.scheduler_comm is not self._connection:
            raise self._gone()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.check()
        inner = self._inner.submit(checked, HERE, pickle.dumps((function, *arguments)))
        inner.add_done_callback(lambda done: self._hand_on(done, future))
        return future

    def _hand_on(self, done: Future[Any], future: Future[Any]) -> None:
        """Copy the result of dask's future into the future that we handed out."""
        if done.cancelled():  # cancelled by dask's client, not by us: its connection broke
            future.set_exception(self._gone())
            return
        match done.exception():
            case None:
                future.set_result(done.result())
            case KilledWorker() as error:
                future.set_exception(BrokenExecutor(str(error)))
            case ImportError() as error:
                told = f"a worker of {self._address} can't load freecell-census ({error}): install {HERE[0]} there"
                future.set_exception(UsageError(told))
            case error:
                future.set_exception(error)

    def _gone(self) -> EngineGone:
        return EngineGone(f"the connection to the dask scheduler at {self._address} broke")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._inner.shutdown(wait)


def _find(address: str) -> None:
    """Shake hands with a scheduler: a client would try for longer, and end in a traceback, where there is none."""
    try:
        asyncio.run(_shake_hands(address))
    except TypeError as error:  # the certificates, or a module that the protocol needs, are missing
        protocol = parse_address(address)[0]
        raise UsageError(
            f"--scheduler {address}: dask is not set up for {protocol}:// here ({error}); do that in its configuration "
            "(distributed.comm), or take the tcp:// address of a scheduler that has one"
        ) from error
    except (OSError, ValueError, RuntimeError) as error:
        raise _nobody(address, str(error) or f"nothing within {PATIENCE} s") from error
    except Exception as error:  # dask takes any answer for a message of its own and fails in many ways
        raise _nobody(address, "what answers is something else") from error


async def _shake_hands(address: str) -> None:
    async with asyncio.timeout(PATIENCE):
        connection = await connect(address, **Security().get_connection_args("client"))
        await connection.write({"op": "identity", "reply": True})
        answer = await connection.read()
        await connection.close()
        if answer["type"] != "Scheduler":  # the address is a worker's
            raise ValueError(f"that is the address of a {answer['type']}")


def _nobody(address: str, found: str) -> UsageError:
    return UsageError(
        f"no dask scheduler answers at {address} ({found}): start one with `dask scheduler`, which prints its address"
    )


def _cluster(workers: int, attempts: int) -> LocalCluster:
    """Workers on this machine that load compiled kernels; one thread each, and the memory there is."""
    announce_compilation()
    with interruptible():
        warm(attempts)
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            preload="pipeline.farm.cluster_worker",
        )
