"""The farm: answers for every task, whatever happens to workers; and an end when it is asked for."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from functools import partial
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import pytest

from pipeline import signals as stopping
from pipeline.farm import processes
from pipeline.farm.farm import Farm
from pipeline.farm.processes import LocalProcesses
from pipeline.shards import Task
from pipeline.signals import Stop
from tests.conftest import ROOT, SMALL
from tests.pipeline import doubles

TASKS = [Task(first, 10) for first in range(1, 200, 10)]
ALL = list(range(1, 201))


class Counting(Executor):
    """An executor that works at once, here, and remembers how many futures were open at most."""

    def __init__(self) -> None:
        self.open = self.most = 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.open += 1
        self.most = max(self.most, self.open)
        future: Future[Any] = Future()
        future.set_result(function(*arguments, **named))
        return future


class Here:
    """An engine of that executor."""

    def __init__(self) -> None:
        self.executor = Counting()
        self.dropped = 0

    def pool(self, most: int | None) -> Executor:
        return self.executor

    def size(self, pool: Executor) -> int:
        return 2

    def lost(self, pool: Executor) -> bool:
        return False

    def drop(self, pool: Executor) -> None:
        self.dropped += 1


@pytest.fixture(scope="module")
def engine() -> LocalProcesses:
    return LocalProcesses(workers=2, attempts=2)


@pytest.fixture
def stop() -> Iterator[Stop]:
    with Stop() as listening:
        yield listening


def flat(answers: Iterator[tuple[Task, list[int]]]) -> list[int]:
    """All deals that were answered for, in order; each task's answer has to be its own deals."""
    deals = []
    for task, answer in answers:
        assert answer == doubles.deals_of(task)
        deals += answer
    return sorted(deals)


def test_window_is_kept_and_the_pool_dropped(stop: Stop) -> None:
    engine = Here()
    answered = []
    for task, _ in Farm(engine, stop).answers(doubles.deals_of, TASKS, ahead=2):
        engine.executor.open -= 1
        answered.append(task)
    assert sorted(answered) == TASKS
    assert engine.executor.most == 4 + 4  # with the workers, and landed but not handed on
    assert engine.dropped == 1


def test_workers_have_their_next_tasks_before_answers_are_handed_on(stop: Stop) -> None:
    begun = []
    tasks = (begun.append(task) or task for task in TASKS)
    next(Farm(Here(), stop).answers(doubles.deals_of, tasks, ahead=1))
    assert begun == TASKS[:4]


def test_tasks_are_begun_in_order(stop: Stop) -> None:
    begun = []
    tasks = (begun.append(task) or task for task in TASKS)
    for done, (task, _) in enumerate(Farm(Here(), stop).answers(doubles.deals_of, tasks, ahead=1)):
        assert task in TASKS[: done + 2]
    assert begun == TASKS


def test_every_worker_alive(engine: LocalProcesses, stop: Stop) -> None:
    farm = Farm(engine, stop)
    assert flat(farm.answers(doubles.deals_of, TASKS, 2)) == ALL
    assert farm.killers == []


def test_a_worker_killed_once_costs_nothing(engine: LocalProcesses, stop: Stop, tmp_path: Path) -> None:
    farm = Farm(engine, stop)
    assert flat(farm.answers(partial(doubles.killed_once, tmp_path / "mark"), TASKS, 2)) == ALL
    assert farm.killers == []


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_killed_in_the_middle_of_its_answer(
    engine: LocalProcesses, stop: Stop, tmp_path: Path, workers: int
) -> None:
    before = set(threading.enumerate())
    farm = Farm(engine, stop)
    assert flat(farm.answers(partial(doubles.killed_in_answer, tmp_path / "mark"), TASKS, 2, workers)) == ALL
    assert farm.killers == []
    assert set(threading.enumerate()) <= before  # a thread that waits for the other half would keep Python from ending


def test_the_process_that_starts_workers_is_killed(
    engine: LocalProcesses, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill_server() -> None:
        server = forkserver._forkserver._forkserver_pid
        os.kill(server, signal.SIGKILL)
        os.waitid(os.P_PID, server, os.WEXITED | os.WNOWAIT)

    def pool_without_server(most: int | None) -> Executor:
        monkeypatch.undo()
        pool = engine.pool(most)
        kill_server()
        return pool

    monkeypatch.setattr(engine, "pool", pool_without_server)
    assert flat(Farm(engine, stop).answers(doubles.deals_of, TASKS, 2)) == ALL
    kill_server()  # it was started by the pool itself, and so ignores no signals: other tests get a new one


@pytest.mark.parametrize("killers", [{1}, {200}, {57, 58}, {3, 91, 155}])
def test_deals_that_kill_are_found_and_everything_else_is_done(
    engine: LocalProcesses, stop: Stop, killers: set[int]
) -> None:
    farm = Farm(engine, stop)
    done = flat(farm.answers(partial(doubles.killed_by, frozenset(killers)), TASKS, 2))
    assert done == [deal for deal in ALL if deal not in killers]
    assert sorted(farm.killers) == sorted(killers)


def test_a_task_that_does_not_fit_into_memory_is_halved(engine: LocalProcesses, stop: Stop) -> None:
    farm = Farm(engine, stop)
    assert flat(farm.answers(doubles.short_of_memory, TASKS[:3], 2)) == ALL[:30]
    assert farm.killers == []


def test_other_errors_end_the_run(engine: LocalProcesses, stop: Stop) -> None:
    with pytest.raises(ZeroDivisionError, match="deal"):
        flat(Farm(engine, stop).answers(doubles.disagreeing, TASKS, 2))


def test_workers_have_kernels_but_no_parquet(engine: LocalProcesses, stop: Stop) -> None:
    ((_, modules),) = Farm(engine, stop).answers(doubles.modules, TASKS[:1], 1)
    assert {"numba", "kernels.search.attempts", "pipeline.farm.worker"} <= set(modules)
    assert not {name for name in modules if name.startswith(("pyarrow", "pandas"))}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_workers_ignore_what_the_whole_group_gets(engine: LocalProcesses, stop: Stop, number: signal.Signals) -> None:
    answers = Farm(engine, stop).answers(partial(doubles.ignores, number), TASKS[:4], 1)
    assert [ignored for _, ignored in answers] == [True] * 4


def test_signals_of_the_group_end_no_resource_tracker(engine: LocalProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked: list[set[int]] = []
    tracker = processes.resource_tracker
    monkeypatch.setattr(tracker, "ensure_running", lambda: blocked.append(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    engine.drop(engine.pool(1))
    assert blocked
    assert all(signal.SIGHUP in signals for signals in blocked)


def test_ctrl_c_ends_the_compilation_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    during = []
    monkeypatch.setattr(processes, "warm", lambda attempts: during.append(signal.getsignal(signal.SIGINT)))
    before = signal.getsignal(signal.SIGINT)
    LocalProcesses(workers=2, attempts=2)
    assert during == [signal.SIG_DFL]
    assert signal.getsignal(signal.SIGINT) is before


def test_first_interrupt_finishes_what_is_in_flight(
    engine: LocalProcesses, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "GRACE", 1e9)
    done = []
    for _, answer in Farm(engine, stop).answers(doubles.deals_of, TASKS, 3, most=1):
        if not done:
            os.kill(os.getpid(), signal.SIGINT)
        done += answer
    assert stop.reason == "SIGINT"
    assert not stop.at_once
    assert 30 <= len(done) < 200


def test_first_interrupt_drops_what_takes_long(engine: LocalProcesses, stop: Stop, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    threading.Thread(target=lambda: (doubles.wait_for(begun), os.kill(os.getpid(), signal.SIGINT))).start()
    answers = Farm(engine, stop).answers(partial(doubles.stuck, begun), TASKS, 2)
    assert list(answers) == []  # or it never ends
    assert stop.reason == "SIGINT"
    assert not multiprocessing.active_children()


def test_an_orphan_ends_in_the_middle_of_a_kernel(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, begun], cwd=ROOT)
    worker = int(doubles.wait_for(begun))
    assert Path(f"/proc/{worker}").exists()
    parent.kill()
    parent.wait()
    try:
        doubles.wait_until(lambda: not Path(f"/proc/{worker}").exists())
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


PARENT = """
import sys
from functools import partial
from pathlib import Path
from pipeline.farm.processes import LocalProcesses
from pipeline.farm.farm import Farm
from pipeline.signals import Stop
from tests.pipeline import doubles
from tests.pipeline.farm import test_farm
with Stop() as stop:
    list(Farm(LocalProcesses(1, 2), stop).answers(partial(doubles.stuck, Path(sys.argv[1])), test_farm.TASKS, 1))
"""


@pytest.mark.parametrize("signals", [[signal.SIGINT, signal.SIGINT], [signal.SIGTERM]])
def test_second_interrupt_or_sigterm_drops_it(
    engine: LocalProcesses, stop: Stop, signals: list[signal.Signals]
) -> None:
    answers = Farm(engine, stop).answers(doubles.deals_of, TASKS, 3, most=1)
    next(answers)
    for number in signals:
        os.kill(os.getpid(), number)
    assert stop.at_once
    assert len(list(answers)) <= 2
    assert stop.signal == signals[-1]


def test_time_up_is_for_those_who_give_the_tasks() -> None:
    with Stop(seconds=0) as stop:
        assert flat(Farm(Here(), stop).answers(doubles.deals_of, TASKS, 2)) == ALL
        assert stop.time_up
        assert not stop.requested
        assert stop.reason == "time is up"
        assert not stop.at_once
        assert stop.signal is None


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Stop():
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


class Unstartable(Executor):
    """An executor that can start nobody."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        raise self._error


@pytest.mark.parametrize(
    "error", [RuntimeError("can't start new thread"), BlockingIOError(), EOFError(), ConnectionError()]
)
def test_where_no_worker_can_be_started_no_deal_is_blamed(error: Exception, stop: Stop) -> None:
    engine = Here()
    engine.executor = Unstartable(error)  # type: ignore[assignment]
    farm = Farm(engine, stop)
    assert list(farm.answers(doubles.deals_of, TASKS, 2)) == []
    assert farm.killers == []
    assert "can't be started" in stop.failure


def test_where_workers_never_answer_no_deal_is_blamed(stop: Stop, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = LocalProcesses(workers=2, attempts=2)
    monkeypatch.setattr(processes, "end_with_parent", doubles.dies)
    farm = Farm(engine, stop)
    assert list(farm.answers(doubles.deals_of, TASKS, 2)) == []
    assert farm.killers == []
    assert "no worker answers" in stop.failure


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_pool_without_its_thread_is_lost(engine: LocalProcesses, stop: Stop, monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(thread: threading.Thread) -> None:
        if thread.name.startswith("QueueFeederThread"):
            monkeypatch.undo()
            raise RuntimeError("can't start new thread")
        start(thread)

    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", limited)
    assert flat(Farm(engine, stop).answers(doubles.deals_of, TASKS, 2)) == ALL


def test_a_signal_while_workers_are_started_is_not_lost(
    engine: LocalProcesses, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def signalled() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        start()

    start = forkserver.ensure_running
    monkeypatch.setattr(forkserver, "ensure_running", signalled)
    engine.drop(engine.pool(1))
    assert stop.signal == signal.SIGTERM


def test_a_long_path_for_temporary_files_is_named(tmp_path: Path) -> None:
    (long := tmp_path / ("t" * 90)).mkdir()
    words = [sys.executable, "-m", "pipeline", "run", "smoke", "--out", tmp_path / "out"]
    done = subprocess.run(words, cwd=ROOT, env={**os.environ, "TMPDIR": str(long)}, capture_output=True, text=True)
    assert done.returncode == 2
    assert str(long) in done.stderr
    assert "TMPDIR" in done.stderr


def test_nothing_in_the_working_folder_is_run(tmp_path: Path) -> None:
    for name in ("selectors", "pipeline", "kernels"):
        (tmp_path / f"{name}.py").write_text("open('mark', 'w')\n")
    (small := tmp_path / "small.toml").write_text(SMALL)
    script = "import sys; del sys.path[0]; from pipeline.cli import main; sys.exit(main())"  # as the installed command
    words = [sys.executable, "-c", script, "run", small, "--out", "out", "--workers", "1"]
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=tmp_path, env=settings, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    assert not (tmp_path / "mark").exists()
