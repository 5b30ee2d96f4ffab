"""Schedulers and workers of dask for tests: processes of their own, on the loopback, ended with the test."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import ROOT
from tests.pipeline.doubles import wait_until

SETTINGS = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0", "DASK_LOGGING__DISTRIBUTED": "error"}
"""A task is given up with its first worker: three more would each take seconds to start."""


class Cluster:
    """A scheduler, and workers that are started for it.

    Parameters
    ----------
    folder : Path
        Where its files may lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        file.unlink(missing_ok=True)
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address: str = json.loads(file.read_text())["address"]

    def add_workers(self, number: int, *options: str) -> subprocess.Popen[bytes]:
        """Start worker processes with two threads each, of which one is of use."""
        started = self._start("worker", self.address, "--nworkers", str(number), "--nthreads", "2", *options)
        self.workers.append(started)
        return started

    def _start(self, command: str, *options: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "dask", command, "--no-dashboard", *options]
        with (self._folder / "dask.log").open("ab") as log:
            process = subprocess.Popen(
                words, cwd=ROOT, env={**os.environ, **SETTINGS, "PYTHONPATH": str(ROOT)},
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self._processes.append(process)
        return process

    def close(self) -> None:
        """End all processes: each leads a group of its own."""
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster that ends with the block."""
    started = Cluster(folder)
    try:
        yield started
    finally:
        started.close()
