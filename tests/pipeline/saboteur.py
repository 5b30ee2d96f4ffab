"""The command line with a fault at a chosen moment: `python -m tests.pipeline.saboteur FAULT N run ...`.

The fault comes when the `N`-th shard is about to be written, or, for `torn`, between its bytes and its name. So no test
has to hit a moment by waiting. With `killer`, it comes with a deal, each time.
"""

import multiprocessing
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from typing import Any

from pipeline import atomic, cli
from pipeline.census import passes
from tests.pipeline import doubles


def kill_parent() -> None:
    """As `kill -9` of the run."""
    os.kill(os.getpid(), signal.SIGKILL)


def kill_worker() -> None:
    """As `kill -9` of a worker, or the system short of memory."""
    os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)


def interrupt() -> None:
    """Ctrl-C: the whole foreground group gets it."""
    os.killpg(0, signal.SIGINT)


def interrupt_twice() -> None:
    """Ctrl-C, and again."""
    interrupt()
    interrupt()


def terminate() -> None:
    """SIGTERM to the run, as batch systems send it."""
    os.kill(os.getpid(), signal.SIGTERM)


def terminate_group() -> None:
    """SIGTERM to the run and all its processes, as other batch systems send it."""
    os.killpg(0, signal.SIGTERM)


def no_room() -> None:
    """As on a full disk, no file gets larger than it is."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))


def no_folder() -> None:
    """Somebody removes the folder of the run."""
    shutil.rmtree(sys.argv[sys.argv.index("--out") + 1])


FAULTS = {
    fault.__name__: fault
    for fault in (
        kill_parent, kill_worker, interrupt, interrupt_twice, terminate, terminate_group, no_room, no_folder
    )
}  # fmt: skip


def at_call(number: int, fault: Callable[[], None], function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, but with a fault just before its `number`-th call."""
    calls = 0

    def sabotaged(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            fault()
        return function(*arguments, **named)

    return sabotaged


def main() -> int:
    """Set the trap and run the command."""
    fault, number = sys.argv[1], int(sys.argv[2])
    if fault == "killer":
        passes.decide_task = doubles.decided_unless_it_kills
    elif fault == "torn":
        atomic.os.replace = at_call(number + 1, kill_parent, os.replace)  # the configuration is replaced first
    else:
        passes.parquet.write = at_call(number, FAULTS[fault], passes.parquet.write)
    return cli.main(sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())
