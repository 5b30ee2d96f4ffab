"""What worker processes run in tests of the farm: functions of a task that need no kernels."""

import contextlib
import os
import signal
import struct
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from kernels.decide import Pass
from pipeline.atomic import replacing
from pipeline.farm.worker import decide_task
from pipeline.shards import Task
from pipeline.store.rows import Rows


def deals_of(task: Task) -> list[int]:
    """The deals of the task."""
    return list(range(task.first, task.first + task.count))


def killed_by(deals: frozenset[int], task: Task) -> list[int]:
    """The deals of the task; some deals kill the worker each time."""
    if deals.intersection(deals_of(task)):
        os.kill(os.getpid(), signal.SIGKILL)
    return deals_of(task)


KILLER = 11_905


def decided_unless_it_kills(step: Pass, task: Task, solutions: bool = False) -> Rows:
    """What the worker decides; a deal kills it each time."""
    if KILLER in deals_of(task):
        os.kill(os.getpid(), signal.SIGKILL)
    return decide_task(step, task, solutions)


def killed_once(mark: Path, task: Task) -> list[int]:
    """The deals of the task; the first worker that comes here is killed."""
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return deals_of(task)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


def killed_in_answer(mark: Path, task: Task) -> list[int]:
    """The deals of the task; the first worker that comes here is killed when half of its answer is in the pipe."""

    def half(pipe: Connection, answer: memoryview) -> None:
        os.write(pipe.fileno(), struct.pack("!i", len(answer)) + bytes(answer[: len(answer) // 2]))
        os.kill(os.getpid(), signal.SIGKILL)

    with contextlib.suppress(FileExistsError):
        mark.touch(exist_ok=False)
        Connection._send_bytes = half
    return deals_of(task)


def stuck(mark: Path, task: Task) -> list[int]:
    """No answer: as in a long kernel, no other thread of the worker gets a turn. The mark then says which process."""
    sys.setswitchinterval(1e6)
    with replacing(mark) as file:
        file.write(str(os.getpid()).encode())
    while True:
        pass


def wait_until(condition: Callable[[], bool]) -> None:
    """Return when a condition holds; at most after minutes, so that a test fails and doesn't hang."""
    for _ in range(6_000):
        if condition():
            return
        time.sleep(0.02)
    raise TimeoutError


def wait_for(mark: Path) -> str:
    """What a file says, as soon as it is there."""
    wait_until(mark.exists)
    return mark.read_text()


_at_work = False


def alone(task: Task) -> bool:
    """Whether no other task was begun in this process before this one was done."""
    global _at_work
    before, _at_work = _at_work, True
    time.sleep(0.05)
    _at_work = False
    return not before


def worker_of(task: Task) -> int:
    """The process that does the task."""
    time.sleep(0.05)
    return os.getpid()


def short_of_memory(task: Task) -> list[int]:
    """The deals of the task; more than two are too many."""
    if task.count > 2:
        raise MemoryError
    return deals_of(task)


def dies() -> None:
    """As the first thing that a worker does."""
    os.kill(os.getpid(), signal.SIGKILL)


def disagreeing(task: Task) -> list[int]:
    """No answer, but an error that is not the worker's death."""
    raise ZeroDivisionError(f"deal {task.first}")


def modules(task: Task) -> list[str]:
    """What the worker has imported when it gets its first task."""
    return sorted(sys.modules)


def ignores(number: signal.Signals, task: Task) -> bool:
    """Whether a signal leaves the worker alone, and the process that started it."""
    for process in (os.getpid(), os.getppid()):
        os.kill(process, number)
    return number in signal.pthread_sigmask(signal.SIG_BLOCK, [])
