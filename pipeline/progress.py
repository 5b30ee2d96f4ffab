"""How far a run is, on standard error: a bar on a terminal, else a plain line now and then."""

import sys
import time

from pipeline.environment import without_settings

with without_settings("TQDM_"):
    from tqdm import tqdm

tqdm.monitor_interval = 0  # no monitor thread: it would fail under a limit of threads

LINE_EVERY = 30.0
"""Seconds between two plain lines."""


class Progress:
    """Counts deals of one pass.

    Parameters
    ----------
    title : str
        What the pass is.
    total : int
        Deals that the pass is about.
    done : int
        Deals of them that were done before this run.
    unit : str
        What is counted, if not deals.
    left_over : str
        What those are called that the pass leaves over; "" where it leaves none.
    """

    def __init__(
        self, title: str, total: int, done: int = 0, unit: str = "deals", left_over: str = "undecided"
    ) -> None:
        self._title, self._total, self._before, self._done = title, total, done, done
        self._unit, self._left_over = unit, left_over
        self._undecided = 0
        self._began = self._spoke = time.monotonic()
        self._bar = tqdm(total=total, initial=done, desc=title, unit=f" {unit}", unit_scale=True, disable=None)

    def advance(self, deals: int, undecided: int = 0) -> None:
        """So many more deals are done, and so many of them are left over."""
        self._done += deals
        self._undecided += undecided
        if self._undecided:
            self._bar.set_postfix({self._left_over: self._undecided}, refresh=False)
        self._bar.update(deals)
        if self._bar.disable and time.monotonic() - self._spoke >= LINE_EVERY:
            self._spoke = time.monotonic()
            print(self._line(), file=sys.stderr, flush=True)

    def close(self) -> None:
        """The pass ends."""
        self._bar.close()

    def _line(self) -> str:
        rate = (self._done - self._before) / (time.monotonic() - self._began)
        left = duration((self._total - self._done) / rate)
        left_over = f"{self._undecided:,} {self._left_over}, " if self._left_over else ""
        return (
            f"{self._title}: {self._done:,} of {self._total:,} {self._unit}, {rate:,.0f} {self._unit}/s, "
            f"{left_over}{left} left"
        )


def duration(seconds: float) -> str:
    """A number of seconds as a person says it: "50 s", "12 min", "3 h 20 min"."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 100 else f"{minutes} min"


def counted(number: int, noun: str) -> str:
    """A number of things: "1 deal", "2,000 deals"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
