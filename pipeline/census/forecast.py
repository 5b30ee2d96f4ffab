"""What a run would take: shards, disk, and the time at the rate of a short sample; and whether it would be refused."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.census.passes import TASKS_A_WORKER, quick_decider
from pipeline.config import Config, load, own_list, with_fewest_cells
from pipeline.errors import UsageError
from pipeline.farm.engines import Workers, engine_of, workers_of
from pipeline.farm.farm import Farm
from pipeline.farm.protocol import Engine
from pipeline.farm.worker import time_task
from pipeline.places import Place, place
from pipeline.progress import counted, duration
from pipeline.shards import WHOLE, Shard, Task, part_named, shards
from pipeline.signals import Stop
from pipeline.store import parquet
from pipeline.store.folder import check, folder_of, missing

SAMPLE, DEALS = 50, 200
"""Tasks that each worker has in the sample at most, and deals in one: under a second for FreeCell with four cells."""

SECONDS = 5.0
"""After which no task of the sample is begun that each worker hasn't had two of."""


@dataclass(frozen=True)
class Forecast:
    """What a run would take.

    Attributes
    ----------
    folder : Path or Remote
        Where it would write.
    shards, deals : int
        That it would still have to write in the quick pass.
    bytes : int
        Size of these shards, about.
    undecided : int
        Deals there already that are left for the deep pass.
    workers : int
    deals_per_second : float, optional
        Rate of all workers in the sample; None where nothing was sampled.
    max_time : float, optional
        Seconds after which the run would start no new shard.
    lacks_list : Path, optional
        The known list that the configuration names, if it isn't there.
    signal : int, optional
        Number of the signal that ended the sample.
    """

    folder: Place
    shards: int
    deals: int
    bytes: int
    undecided: int
    workers: int
    deals_per_second: float | None
    max_time: float | None = None
    lacks_list: Path | None = None
    signal: int | None = None

    @property
    def status(self) -> int:
        """0, or 128 + N after signal N."""
        return 128 + self.signal if self.signal else 0

    @property
    def seconds(self) -> float | None:
        """How long the quick pass would take."""
        return self.deals / self.deals_per_second if self.deals_per_second else None

    @property
    def deals_in_time(self) -> int | None:
        """Deals that the quick pass would come to within `max_time`."""
        if self.max_time is None or self.deals_per_second is None:
            return None
        return min(self.deals, int(self.max_time * self.deals_per_second))

    def lines(self) -> list[str]:
        """The forecast for a person; nothing where a signal ended the sample."""
        if self.signal:
            return []
        lines = [
            f"{counted(self.shards, 'shard')} to write, {counted(self.deals, 'deal')}, about {_size(self.bytes)} "
            f"in {self.folder}"
            if self.shards
            else f"no shard to write: all are in {self.folder}"
        ]
        if self.seconds is not None:
            lines.append(
                f"{duration(self.seconds)} in the quick pass, by {counted(self.workers, 'worker')} that come to "
                f"{self.deals_per_second:,.0f} deals/s in a short sample; "
                "the deep pass of the few hard deals comes on top"
            )
        if self.max_time is not None and self.deals_in_time is not None:
            within = f"within the {duration(self.max_time)} of --max-time"
            fits = self.deals_in_time == self.deals
            lines.append(f"the quick pass ends {within}" if fits else f"about {self.deals_in_time:,} deals {within}")
        if self.lacks_list:
            lines.append(f"the known list {self.lacks_list} isn't there: `verify` will need another one, by --known")
        if self.undecided:
            lines.append(f"{counted(self.undecided, 'undecided deal')} there already, left for the deep pass")
        return lines

    def as_json(self) -> dict[str, Any]:
        """The same as one object."""
        facts = {"shards": self.shards, "deals": self.deals, "bytes": self.bytes, "undecided": self.undecided}
        pace = {"deals_per_second": self.deals_per_second, "seconds": self.seconds}
        within = {} if self.max_time is None else {"max_time": self.max_time, "deals_in_time": self.deals_in_time}
        return {**facts, "workers": self.workers, **pace, **within}


def forecast(
    config: str | Path,
    out: str | Place | None = None,
    part: str | None = None,
    workers: int | None = None,
    engine: str = "local",
    scheduler: str | None = None,
    max_time: float | None = None,
    fewest: bool = False,
) -> Forecast:
    """Find out what `run` would take with the same arguments; nothing is written.

    The sample runs on the workers that the run would have: those of the scheduler, if one is given.

    Raises
    ------
    UsageError
        Where the run would be refused.
    """
    census, wanted = load(Path(config)), workers_of(engine, workers, scheduler)
    census = with_fewest_cells(census) if fewest else census
    part_of_run = WHOLE if part is None else part_named(part)
    folder = folder_of(census, None if out is None else place(out), part_of_run)
    there = check(folder, census) if folder.is_dir() else {}
    todo = missing(census, folder, part_of_run) if folder.is_dir() else shards(census, part_of_run)
    deals = sum(shard.count for shard in todo)
    rate, engaged, stopped = _sampled(census, todo, wanted) if todo else (None, wanted.here, None)
    each = parquet.BYTES_PER_DEAL + (parquet.BYTES_PER_SOLUTION if census.store.solutions else 0)
    listed = own_list(census.verify.known)
    return Forecast(
        folder,
        len(todo),
        deals,
        round(deals * each),
        sum(counts.undecided for counts in there.values()),
        engaged,
        rate,
        max_time,
        listed if listed and not listed.is_file() else None,
        stopped,
    )


def _size(amount: float) -> str:
    """A number of bytes as a person says it: "5.0 kB", "2.5 MB", "21.5 GB"."""
    unit, scale = ("GB", 1e9) if amount >= 1e9 else ("MB", 1e6) if amount >= 1e6 else ("kB", 1e3)
    return f"{amount / scale:,.1f} {unit}"


def _sampled(config: Config, todo: Sequence[Shard], wanted: Workers) -> tuple[float | None, int, int | None]:
    """Deals a second of the workers on a few of the deals, how many workers, and the signal that ended the sample."""
    function = partial(time_task, quick_decider(config))
    seconds: dict[tuple[str, int], list[float]] = {}
    with closing(engine_of(wanted, len(config.search.quick))) as engine, Stop() as stop:
        workers = _present(engine) if wanted.scheduler else wanted.here
        tasks = sample(config, todo, workers)
        for task, (process, taken) in Farm(engine, stop).answers(function, in_time(tasks, workers), TASKS_A_WORKER):
            seconds.setdefault(process, []).append(taken / task.count)
        if stop.failure:
            raise UsageError(stop.failure)
        if stop.signal or not seconds:
            return None, workers, stop.signal
    # The first task of each worker meets memory that it has never touched.
    each = [taken for times in seconds.values() for taken in times[1:] or times]
    return workers * len(each) / sum(each), workers, None


def in_time(tasks: Iterable[Task], workers: int) -> Iterator[Task]:
    """The tasks of a sample that may be begun before its time is up, and so many that no worker is left out."""
    ends = time.monotonic() + SECONDS
    for number, task in enumerate(tasks):
        if number >= TASKS_A_WORKER * workers and time.monotonic() >= ends:
            return
        yield task


def _present(engine: Engine) -> int:
    """The number of workers that a scheduler has; one where none has joined yet."""
    pool = engine.pool(None)
    try:
        return max(1, engine.size(pool))
    finally:
        engine.drop(pool)


def sample(config: Config, todo: Sequence[Shard], workers: int) -> list[Task]:
    """Small tasks, evenly taken from the shards that are to do."""
    size, deals = config.store.shard, sum(shard.count for shard in todo)
    number = max(1, min(SAMPLE * workers, deals // DEALS))
    tasks = []
    for index in range(number):
        which, offset = divmod(index * deals // number, size)
        shard = todo[which]
        first = shard.first + offset
        tasks.append(Task(first, min(DEALS, shard.last - first + 1)))
    return tasks
