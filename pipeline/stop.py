"""How a run is asked to end: Ctrl-C, SIGTERM, or the time that it was given."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

TIME_UP = "time is up"


class Stop:
    """Listens for requests to stop while it is entered; handlers only set flags, so no step is cut in two.

    The first SIGINT, and the end of `seconds`, ask to finish what is in flight. A second SIGINT, and SIGTERM as batch
    systems send it, ask to drop that too.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._before: dict[signal.Signals, Any] = {}
        self.signal: signal.Signals | None = None
        self.at_once = False

    def __enter__(self) -> "Stop":
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def requested(self) -> bool:
        """Whether nothing new is to be begun."""
        return bool(self.reason)

    @property
    def reason(self) -> str:
        """What ended the run: the signal's name, that time is up, or "" if nothing did."""
        if self.signal:
            return self.signal.name
        return TIME_UP if self._deadline is not None and time.monotonic() >= self._deadline else ""

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self.at_once = number == signal.SIGTERM or self.signal is not None
        self.signal = signal.Signals(number)
        if not self.at_once:
            # Not by print: a handler may have interrupted a write to the same stream.
            os.write(2, b"\nfinishing what is in flight; Ctrl-C again drops it\n")


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C end the process at once, for work that leaves nothing to save.

    A kernel would hold it back until it returns, and the compiler may lose it.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
