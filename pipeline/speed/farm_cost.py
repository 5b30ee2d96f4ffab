"""What the farm costs: whole runs, in turns with bare processes that decide the same deals side by side."""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from kernels.rules import FREECELL
from pipeline.census.run import DECIDED, UNFINISHED
from pipeline.config import Config, load
from pipeline.errors import UsageError
from pipeline.farm.limits import processors
from pipeline.progress import counted
from pipeline.speed.bench import warm_up
from pipeline.speed.one_process import SEARCH, deep_pass, quick_pass, undecided
from pipeline.speed.rates import evenly, pieces


class FarmCost(NamedTuple):
    """The outcome of `bench --farm`: seconds of each turn, by the farm and by bare processes."""

    name: str
    processes: int
    farm: list[float]
    bare: list[float]

    @property
    def status(self) -> int:
        """Always 0: no cost counts as a failure."""
        return 0

    @property
    def cost(self) -> float:
        """What the farm takes longer, as a share of what bare processes take; of the medians."""
        return median(self.farm) / median(self.bare) - 1

    def lines(self) -> list[str]:
        """The medians, and the cost."""
        return [
            f"{self.name} by {self.processes} processes, medians of {counted(len(self.farm), 'turn')}: "
            f"{median(self.farm):.1f} s by the farm, {median(self.bare):.1f} s by bare processes: "
            f"the farm costs {self.cost:+.1%}"
        ]

    def as_json(self) -> dict[str, Any]:
        """Every turn, and the cost."""
        return {
            "processes": self.processes,
            "farm_seconds": self.farm,
            "bare_seconds": self.bare,
            "cost": self.cost,
        }


def farm_cost(path: Path, turns: int = 5) -> FarmCost:
    """Measure turn by turn, on the clock, what the farm costs.

    Both sides take one process for each core that this one may use, and begin with starting Python. A run is all that
    `run` does: farm, shards (in a temporary folder), log, progress, and what is idle while the last deals of a pass
    are decided. The other side is over when the slowest of its processes is.

    Parameters
    ----------
    path : Path
        The configuration; rules and budgets have to be those of the bench.
    turns : int

    Raises
    ------
    UsageError
        If the configuration has other rules or budgets, or one of the processes fails.
    """
    config = load(path)
    if config.rules.kernel_rules() != FREECELL or config.search != SEARCH:
        raise UsageError(f"{path}: bare processes are for the standard rules and budgets, as in configs/ms-10m.toml")
    processes = min(processors(), config.range.last - config.range.first + 1)
    warm_up()
    farm, bare = [], []
    with exiting_on_signals():
        for turn in range(turns):
            farm.append(timed_run(path, processes))
            bare.append(timed_bare(config, processes))
            print(f"turn {turn + 1}: farm {farm[-1]:.1f} s, bare {bare[-1]:.1f} s", file=sys.stderr, flush=True)
    return FarmCost(config.name, processes, farm, bare)


@contextmanager
def exiting_on_signals() -> Iterator[None]:
    """Turn SIGINT and SIGTERM into SystemExit meanwhile, so that `finally` ends the children."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def timed_run(path: Path, workers: int) -> float:
    """Seconds of a whole run into a folder that is dropped afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["-m", "pipeline", "run", str(path), "--out", f"{folder}/out", "--workers", str(workers)]
        return seconds_of([command], fine=(DECIDED, UNFINISHED))


def timed_bare(config: Config, processes: int) -> float:
    """Seconds until the last of some processes has decided its part of the deals."""
    code = "from pipeline.speed.farm_cost import decide_all; decide_all({first}, {last})"
    commands = [
        ["-c", code.format(first=part.first, last=part.first + part.count - 1)]
        for part in evenly(config.range.first, config.range.last, processes)
    ]
    return seconds_of(commands, fine=(0,))


def decide_all(first: int, last: int) -> None:
    """Decide deals in this process, and keep nothing: both passes, as a worker makes them."""
    left: list[int] = []
    for task in pieces(first, last, 1):
        left += undecided(task, quick_pass(task))
    for deal in left:
        deep_pass(deal)


def seconds_of(commands: Sequence[Sequence[str]], fine: Sequence[int]) -> float:
    """Seconds that Python programs take side by side; none of them is left when this ends, however it does.

    Raises
    ------
    UsageError
        If one of them ends with a status that isn't `fine`, with the last that it said.
    """
    programs: list[subprocess.Popen[str]] = []
    began = time.perf_counter()
    try:
        for command in commands:
            words = [sys.executable, *command]
            programs.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
        said = [program.communicate()[1] for program in programs]
        seconds = time.perf_counter() - began
    finally:
        for program in programs:
            program.terminate()
        for program in programs:
            program.wait()
    for program, text in zip(programs, said, strict=True):
        if program.returncode not in fine:
            last = text.strip().rpartition("\n")[2]
            raise UsageError(f"a process ended with status {program.returncode}: {last}")
    return seconds
