"""How a run is asked to end: Ctrl-C, SIGTERM, a terminal that closes, or the time that it was given."""

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

TIME_UP = "time is up"

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a command to end."""

GRACE = 1.0
"""Seconds after the first Ctrl-C in which tasks in flight may still come in: somebody waits for the prompt."""


class Stop:
    """Listens for requests to stop while it is entered; handlers only set flags, so no step is cut in two.

    The end of `seconds` asks to begin no shard, and no deal of the deep pass, any more. The first SIGINT asks to finish
    what is in flight, and gives it `GRACE`: an attempt of the deep pass may take minutes. A second SIGINT, SIGTERM as
    batch systems send it, and SIGHUP ask to drop it at once.

    With `patience`, the process ends so many seconds after a signal, whatever it is doing: a store that doesn't answer
    holds a call for minutes, and neither handlers nor anything else of the main thread run meanwhile.
    """

    def __init__(self, seconds: float | None = None, patience: float | None = None) -> None:
        self._patience, self._wakeup = patience, -1
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._before: dict[signal.Signals, Any] = {}
        self._grace_ends: float | None = None
        self.failure = ""
        self.signal: signal.Signals | None = None

    def __enter__(self) -> "Stop":
        for number in ENDING:
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:  # nohup ignores it
                continue
            self._before[number] = signal.signal(number, self._heard)
        if self._patience is not None:
            heard, self._wakeup = os.pipe()
            os.set_blocking(self._wakeup, False)
            signal.set_wakeup_fd(self._wakeup)
            threading.Thread(target=_end_after, args=(heard, self._patience), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._patience is not None:
            signal.set_wakeup_fd(-1)
            os.close(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def requested(self) -> bool:
        """Whether no task is to be begun any more."""
        return bool(self.signal or self.failure)

    @property
    def time_up(self) -> bool:
        """Whether the run had the time that it was given."""
        return self._deadline is not None and time.monotonic() >= self._deadline

    @property
    def reason(self) -> str:
        """What ended the run: the signal's name, a failure, that time is up, or "" if nothing did."""
        if self.signal:
            return self.signal.name
        if self.failure:
            return self.failure
        return TIME_UP if self.time_up else ""

    @property
    def at_once(self) -> bool:
        """Whether what is in flight is to be dropped."""
        return self._grace_ends is not None and time.monotonic() >= self._grace_ends

    def give_up(self, failure: str) -> None:
        """End the run at once because of a failure, as SIGTERM would."""
        self.failure = failure
        self._grace_ends = time.monotonic()

    def _heard(self, number: int, frame: FrameType | None) -> None:
        first = number == signal.SIGINT and self.signal is None
        self._grace_ends = time.monotonic() + (GRACE if first else 0)
        self.signal = signal.Signals(number)
        if first:
            # Not by print: a handler may have interrupted a write to the same stream.
            with contextlib.suppress(OSError):
                os.write(2, b"\nstopping: what gets done within a second is kept; Ctrl-C again drops it\n")


def _end_after(heard: int, patience: float) -> None:
    """Wait for a signal, and end the process unless the other end of the pipe is closed in time."""
    with open(heard, "rb", buffering=0) as file:
        number = file.read(1)
        ends = time.monotonic() + patience
        while number and (left := ends - time.monotonic()) > 0:
            if select.select([file], [], [], left)[0] and not file.read(1):
                return
        if number:
            os._exit(128 + number[0])


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C end the process at once, for work that leaves nothing to save.

    A running kernel delays KeyboardInterrupt, and the compiler or pandas (imported by Arrow) may swallow it.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
