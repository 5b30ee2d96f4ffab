"""Runs whose processes are killed at random moments, again and again, end with the bytes of an undisturbed one."""

import contextlib
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Protocol

import psutil
import pytest

from pipeline.store import parquet
from pipeline.store.folder import written
from tests.conftest import ROOT, SMALL, digests
from tests.pipeline.clusters import Cluster
from tests.pipeline.commands import GUARD, command

CENSUS = SMALL.replace("11_801", "10_001").replace("12_200", "16_000").replace("shard = 50", "shard = 100")
"""Six thousand deals in sixty shards, of which most are written again in the deep pass."""

LONGEST = 5.0
"""Seconds from a start, or from the last kill, to the next kill at most: as long as a run takes, start and all."""

FEW, MANY = 6, 80
"""Kills in CI, and in the long form."""

Victims = dict[str, list[psutil.Process]]
"""All that may be killed, by kind."""


class Bed(Protocol):
    """Where runs are tortured."""

    def arguments(self) -> list[str]:
        """What the command line gets besides configuration and folder; asked for at each start."""

    def victims(self, run: psutil.Process) -> Victims:
        """What may be killed just now, the run included."""

    def mend(self) -> None:
        """Start again what a run can't go on without; done now and then."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "census.toml").write_text(CENSUS)
    done = command("run", folder / "census.toml", "--out", folder / "out", "--workers", 1)
    assert done.returncode == 0, done.stderr
    assert len(digests(folder / "out")) == 60
    return digests(folder / "out")


class Torture:
    """Kills what belongs to a run until it has killed often enough; then lets the run end.

    Parameters
    ----------
    folder : Path
        Where the results and everything else go.
    undisturbed : dict of str to str
        Digests of the shards that every run must come to.
    bed : Bed
        What else there is.
    seed : int
        Of moments and victims.
    """

    def __init__(self, folder: Path, undisturbed: dict[str, str], bed: Bed, seed: int) -> None:
        self._folder, self._undisturbed, self._bed = folder, undisturbed, bed
        self._random = random.Random(seed)
        self._runs = 0
        self.kills: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        (folder / "census.toml").write_text(CENSUS)

    @property
    def out(self) -> Path:
        """The results of the present run."""
        return self._folder / f"run-{self._runs}"

    def kill(self, times: int) -> str:
        """Go on until so many processes were killed and a run is complete; what happened, in words."""
        while self.kills.total() < times:
            self._start_and_kill(times)
            self._all_shards_are_whole()
        while self._start_and_kill(times) != 0:
            pass
        return (
            f"{self.kills.total()} killed: {dict(self.kills)}; {self._runs} runs complete and byte-identical; "
            f"exit statuses of {self.statuses.total()} starts: {dict(self.statuses)}"
        )

    def _start_and_kill(self, times: int) -> int:
        """Start the run, or go on with it, and kill what belongs to it until it ends; its status."""
        words = [sys.executable, "-m", "pipeline", "run", str(self._folder / "census.toml"), "--out", str(self.out)]
        with (self._folder / "stderr").open("w+") as stderr:
            run = subprocess.Popen(
                [*words, *self._bed.arguments()], cwd=ROOT, stdout=stderr, stderr=stderr, start_new_session=True
            )
            while self.kills.total() < times and self._is_running(run, self._random.uniform(0, LONGEST)):
                self._kill_one(run)
            for _ in range(GUARD):
                if not self._is_running(run, 1):
                    break
                self._bed.mend()
            status = run.wait(0)
            stderr.seek(0)
            said = stderr.read()
            assert status in (0, 3, -signal.SIGKILL) or "no dask scheduler answers" in said, said
        self.statuses[status] += 1
        if status == 0:
            assert digests(self.out) == self._undisturbed
            assert not list(self.out.glob(".*"))
            self._runs += 1
        return status

    def _is_running(self, run: subprocess.Popen[bytes], seconds: float) -> bool:
        try:
            run.wait(seconds)
        except subprocess.TimeoutExpired:
            return True
        return False

    def _kill_one(self, run: subprocess.Popen[bytes]) -> None:
        victims = self._bed.victims(psutil.Process(run.pid))
        # What was killed least so far: else a few kills may all hit the run.
        there = [kind for kind in victims if victims[kind]]
        kind = min(there, key=lambda kind: (self.kills[kind], self._random.random()))
        victim = self._random.choice(victims[kind])
        with contextlib.suppress(psutil.NoSuchProcess):  # it ended in this moment
            victim.kill()
            self.kills[kind] += 1
        if kind == "run":
            time.sleep(0.1)  # as somebody who starts it again

    def _all_shards_are_whole(self) -> None:
        if self.out.exists():
            for shard in written(self.out):
                parquet.footer(self.out, shard)
                parquet.read(self.out, shard)


class Local:
    """Two worker processes on this machine."""

    def arguments(self) -> list[str]:
        """Two workers."""
        return ["--workers", "2"]

    def victims(self, run: psutil.Process) -> Victims:
        """The run, and whatever it started: workers, and the process that forks them."""
        return {"run": [run], "worker": run.children(recursive=True)}

    def mend(self) -> None:
        """The run does that itself."""


@pytest.mark.parametrize("kills", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
def test_local_workers_and_runs(tmp_path: Path, undisturbed: dict[str, str], kills: int) -> None:
    torture = Torture(tmp_path, undisturbed, Local(), seed=kills)
    print(torture.kill(kills))
    assert torture.kills["run"]
    assert torture.kills["worker"]


class Dask:
    """A cluster whose workers are killed, and once, after other kills, its scheduler; then there is a new one."""

    def __init__(self, folder: Path, before_scheduler: int) -> None:
        self._folder, self._before_scheduler = folder, before_scheduler
        self._asked = 0
        self._cluster: Cluster | None = None

    def arguments(self) -> list[str]:
        """Use the cluster, or a new one if its scheduler was killed."""
        if not self._cluster or self._cluster.scheduler.poll() is not None:
            self.close()
            self._cluster = Cluster(self._folder)
            self._cluster.add_workers(2)
        self.mend()
        return ["--engine", "dask", "--scheduler", self._cluster.address]

    def mend(self) -> None:
        """Add workers where those before have ended: dask gives up with one that is killed while it starts."""
        assert self._cluster
        if self._cluster.workers[-1].poll() is not None and self._cluster.scheduler.poll() is None:
            self._cluster.add_workers(2)

    def victims(self, run: psutil.Process) -> Victims:
        """The run and the workers, or the scheduler when it is its turn."""
        self.mend()
        assert self._cluster
        self._asked += 1
        if self._asked == self._before_scheduler:
            return {"scheduler": [psutil.Process(self._cluster.scheduler.pid)]}
        workers = self._cluster.workers[-1]
        # Without a scheduler they end, and nobody starts them again before the next run.
        there = psutil.Process(workers.pid).children() if workers.poll() is None else []
        return {"run": [run], "dask worker": there}

    def close(self) -> None:
        """End the cluster."""
        if self._cluster:
            self._cluster.close()


@pytest.mark.parametrize("kills", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
def test_dask_workers_scheduler_and_runs(tmp_path: Path, undisturbed: dict[str, str], kills: int) -> None:
    dask = Dask(tmp_path, before_scheduler=kills // 2)
    torture = Torture(tmp_path, undisturbed, dask, seed=kills)
    try:
        print(torture.kill(kills))
    finally:
        dask.close()
    assert torture.kills["run"]
    assert torture.kills["dask worker"]
    assert torture.kills["scheduler"] == 1
