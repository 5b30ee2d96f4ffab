"""What worker processes run in tests of the farm: functions of a task that need no kernels."""

import contextlib
import os
import signal
import struct
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from pipeline.chunks import Task


def deals_of(task: Task) -> list[int]:
    """The deals of the task."""
    return list(range(task.first, task.first + task.count))


def killed_by(deals: frozenset[int], task: Task) -> list[int]:
    """The deals of the task; some deals kill the worker each time."""
    if deals.intersection(deals_of(task)):
        os.kill(os.getpid(), signal.SIGKILL)
    return deals_of(task)


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


def short_of_memory(task: Task) -> list[int]:
    """The deals of the task; more than two are too many."""
    if task.count > 2:
        raise MemoryError
    return deals_of(task)


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
    return signal.getsignal(number) == signal.SIG_IGN
