"""Dask: the same answers from its workers, whoever comes and goes; other versions are refused."""

import os
import pickle
import re
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from kernels.decide import Limits, Pass
from kernels.rules import FREECELL
from kernels.search import attempts
from pipeline.errors import UsageError
from pipeline.farm import cluster_worker
from pipeline.farm.cluster import Dask, _Pool
from pipeline.farm.cluster_worker import HERE, OtherVersion
from pipeline.farm.engines import Workers, engine_of
from pipeline.farm.farm import Farm
from pipeline.farm.worker import decide_task
from pipeline.shards import Task
from pipeline.signals import Stop
from tests.conftest import ROOT, SMALL, digests
from tests.pipeline import doubles
from tests.pipeline.clusters import Cluster, cluster
from tests.pipeline.commands import command
from tests.pipeline.farm.test_farm import ALL, TASKS, flat

Read = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("dask")) as started:
        started.add_workers(2)
        yield started


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster for one test, without workers yet."""
    with cluster(tmp_path) as started:
        yield started


@pytest.fixture
def engine(two_workers: Cluster) -> Iterator[Dask]:
    engine = Dask(two_workers.address, 0, 2)
    yield engine
    engine.close()


@pytest.fixture
def stop() -> Iterator[Stop]:
    with Stop() as listening:
        yield listening


def test_every_task_is_answered_by_both(engine: Dask, stop: Stop) -> None:
    farm = Farm(engine, stop)
    assert flat(farm.answers(doubles.deals_of, TASKS, 2)) == ALL
    assert len({worker for _, worker in farm.answers(doubles.worker_of, TASKS, 2)}) == 2


def test_one_task_at_a_time_in_a_process(engine: Dask, stop: Stop) -> None:
    assert all(alone for _, alone in Farm(engine, stop).answers(doubles.alone, TASKS, 4))


def test_a_worker_killed_once_costs_nothing(engine: Dask, stop: Stop, tmp_path: Path) -> None:
    farm = Farm(engine, stop)
    assert flat(farm.answers(partial(doubles.killed_once, tmp_path / "mark"), TASKS, 2)) == ALL
    assert farm.killers == []


def test_a_deal_that_kills_is_found(engine: Dask, stop: Stop) -> None:
    farm = Farm(engine, stop)
    assert flat(farm.answers(partial(doubles.killed_by, frozenset({3})), [Task(1, 4)], 2)) == [1, 2, 4]
    assert farm.killers == [3]


def test_other_errors_end_the_run(engine: Dask, stop: Stop) -> None:
    with pytest.raises(ZeroDivisionError, match="deal"):
        flat(Farm(engine, stop).answers(doubles.disagreeing, TASKS, 2))


@pytest.mark.parametrize("address", ["", "x", "tcp://[::1", "tcp://127.0.0.1:abc", "http://127.0.0.1:80"])
def test_no_client_is_begun_for_an_address_that_is_none(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("pipeline.farm.cluster.Client")
    with pytest.raises(UsageError, match="no dask scheduler answers"):
        Dask(address, 1, 2)


@pytest.mark.parametrize("protocol", ["tls", "ucx"])
def test_no_client_is_begun_for_a_protocol_that_is_not_set_up(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("pipeline.farm.cluster.Client")
    with pytest.raises(UsageError, match=f"--scheduler {protocol}://127.0.0.1:1: dask is not set up for {protocol}://"):
        Dask(f"{protocol}://127.0.0.1:1", 1, 2)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.0 400 Bad Request\r\n\r\n", bytes(16)])
def test_no_client_is_begun_for_what_is_no_scheduler(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("pipeline.farm.cluster.Client")
    monkeypatch.setattr("pipeline.farm.cluster.PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        answering = threading.Thread(target=_answer, args=(server, answer))
        answering.start()
        with pytest.raises(UsageError, match=f"no dask scheduler answers at {address}"):
            Dask(address, 1, 2)
        answering.join()


def test_the_address_of_a_worker_is_no_schedulers(engine: Dask) -> None:
    address = next(iter(engine._client.scheduler_info(n_workers=-1)["workers"]))
    with pytest.raises(UsageError, match="is the address of a Worker"):
        Dask(address, 1, 2)


def _answer(server: socket.socket, answer: bytes) -> None:
    connection, _ = server.accept()
    with connection:
        connection.sendall(answer)
        while connection.recv(4096):
            pass


def test_workers_that_come_later_and_another_version(own: Cluster, stop: Stop, capsys: Read) -> None:
    engine = Dask(own.address, 0, 2)
    own.add_workers(1)
    answers = Farm(engine, stop).answers(doubles.worker_of, (Task(deal, 1) for deal in range(1, 10**6)), 2)
    _, first = next(answers)
    own.add_workers(1)
    doubles.wait_until(lambda: next(answers)[1] != first)
    own.add_workers(1, "--preload", str(ROOT / "tests" / "pipeline" / "impostor.py"))
    with pytest.raises(OtherVersion) as refused:
        doubles.wait_until(lambda: next(answers) is None)
    assert re.search(
        rf"worker tcp://127\.0\.0\.1:\d+ runs freecell-census 0\.0\.9 with kernels 0123456789abcdef, "
        rf"this run is {re.escape(HERE[0])} with kernels {HERE[1]}",
        str(refused.value),
    )
    assert f"no worker at {own.address}: tasks wait" in capsys.readouterr().err
    engine.close()


def test_a_worker_that_leaves_loses_nothing(own: Cluster, stop: Stop) -> None:
    engine = Dask(own.address, 0, 2)
    own.add_workers(1)
    leaving = own.add_workers(1)
    answers = Farm(engine, stop).answers(doubles.deals_of, TASKS, 4)
    done = [next(answers)]
    os.killpg(leaving.pid, signal.SIGKILL)
    assert flat(iter([*done, *answers])) == ALL
    engine.close()


@pytest.mark.parametrize("heard", [True, False])
def test_scheduler_killed(own: Cluster, stop: Stop, monkeypatch: pytest.MonkeyPatch, heard: bool) -> None:
    engine = Dask(own.address, 0, 2)
    own.add_workers(1)
    answers = Farm(engine, stop).answers(doubles.deals_of, (Task(deal, 1) for deal in range(1, 10**6)), 2)
    next(answers)
    if not heard:  # as of an answer that was on its way just then
        monkeypatch.setattr(_Pool, "_hand_on", lambda *_: None)
    own.scheduler.kill()
    assert len(list(answers)) < 10**6 - 1
    assert stop.reason == f"the connection to the dask scheduler at {own.address} broke"
    engine.close()


def test_time_up_before_a_worker_came(own: Cluster) -> None:
    with Stop(seconds=1) as stop:
        engine = Dask(own.address, 0, 2)
        assert list(Farm(engine, stop).answers(doubles.deals_of, TASKS, 2)) == []
        assert stop.reason == "time is up"
        engine.close()


@pytest.mark.parametrize("address", ["127.0.0.1:9", "nowhere://127.0.0.1"])
def test_no_scheduler(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.farm.cluster.PATIENCE", 0.5)
    with pytest.raises(UsageError, match=f"no dask scheduler answers at {address}"):
        Dask(address, 0, 2)


def test_dask_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pipeline.farm.cluster")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install '\.\[dask\]'"):
        engine_of(Workers("dask"), 2)


def test_memory_of_workers(engine: Dask) -> None:
    doubles.wait_until(lambda: engine.room(10**9).said != "workers have no limit")  # until the first one is there
    room = engine.room(10**9)
    assert room.workers is None
    assert re.fullmatch(r"the smallest worker may hold \d+\.\d GB", room.said)


def test_a_census_comes_to_the_same_bytes(two_workers: Cluster, small: Path, tmp_path: Path) -> None:
    here, dask = tmp_path / "here", tmp_path / "dask"
    command("run", small, "--out", here, "--workers", 2)
    done = command("run", small, "--out", dask, "--engine", "dask", "--scheduler", two_workers.address)
    assert done.returncode == 0, done.stderr
    assert digests(dask) == digests(here)
    assert len(digests(dask)) == 8


@pytest.mark.parametrize(("held", "kept"), [(49, 1), (51, 0)])
def test_what_kernels_keep_goes_before_dask_pauses_the_worker(
    monkeypatch: pytest.MonkeyPatch, held: int, kept: int
) -> None:
    manager, monitor = SimpleNamespace(memory_limit=100), SimpleNamespace(get_process_memory=lambda: held)
    worker = SimpleNamespace(memory_manager=manager, monitor=monitor)
    monkeypatch.setattr(cluster_worker, "get_worker", lambda: worker)
    attempts._searcher.cache_clear()
    plan = Pass(FREECELL, (60,), 1, Limits(1_000, 1_000))
    rows = cluster_worker.checked(HERE, pickle.dumps((partial(decide_task, plan), Task(1, 1))))
    assert len(rows.verdicts) == 1
    assert attempts._searcher.cache_info().currsize == kept


def test_memory_of_this_machine() -> None:
    engine = Dask(None, 2, 2)
    assert engine.room(1).workers == 2
    assert engine.room(10**15).workers == 1
    engine.close()


def test_a_cluster_on_this_machine(small: Path, tmp_path: Path) -> None:
    small.write_text(SMALL.replace("12_200", "11_850"))
    out = tmp_path / "out"
    stopped = command("interrupt", 1, "run", small, "--out", out, "--engine", "dask", module="tests.pipeline.saboteur")
    assert stopped.returncode == 130, stopped.stderr
    assert f"to go on: freecell-census run {small} --out {out} --engine dask" in stopped.stderr
    done = command("run", small, "--out", out, "--engine", "dask", "--workers", 1)
    assert (done.returncode, done.stdout) == (0, f"50 deals in {out}: 50 solved, 0 unsolvable, 0 undecided\n")
