"""What a run would take: shards, disk, and the time at the rate of a short sample; and whether it would be refused."""

import json
import os
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from pipeline.census.run import TASKS_A_WORKER, quick_plan
from pipeline.config import Config, load, own_list
from pipeline.farm.farm import Farm
from pipeline.farm.processes import LocalProcesses
from pipeline.farm.worker import time_task
from pipeline.places import Place
from pipeline.progress import counted, duration
from pipeline.shards import Part, Shard, Task, shards
from pipeline.signals import Stop
from pipeline.store import parquet
from pipeline.store.folder import check, folder_of, missing, written

SAMPLE, DEALS = 50, 200
"""Tasks that each worker has in the sample, and deals in one: under a second."""


def forecast(path: Path, out: Place | None, part: Part, workers: int | None, as_json: bool) -> int:
    """Say what a run would take; the exit status.

    Raises
    ------
    UsageError
        Where the run would be refused.
    """
    config = load(path)
    folder = folder_of(config, out, part)
    there = folder.is_dir()
    if there:
        check(folder, config)
    todo = missing(config, folder, part) if there else shards(config, part)
    deals = sum(shard.count for shard in todo)
    undecided = sum(footer.counts.undecided for footer in parquet.footers(folder, written(folder))) if there else 0
    engaged = workers or len(os.sched_getaffinity(0))
    rate, stopped = _sampled(config, todo, engaged) if todo else (None, 0)
    if stopped:
        return 128 + stopped
    seconds = deals / rate if rate else None
    each = parquet.BYTES_PER_DEAL + (parquet.BYTES_PER_SOLUTION if config.store.solutions else 0)
    if as_json:
        facts = {"shards": len(todo), "deals": deals, "bytes": round(deals * each), "undecided": undecided}
        print(json.dumps({**facts, "workers": engaged, "deals_per_second": rate, "seconds": seconds}))
        return 0
    print(
        f"{counted(len(todo), 'shard')} to write, {counted(deals, 'deal')}, about {_size(deals * each)} in {folder}"
        if todo
        else f"no shard to write: all are in {folder}"
    )
    if rate and seconds is not None:
        print(
            f"{duration(seconds)} in the quick pass, by {counted(engaged, 'worker')} that come to {rate:,.0f} deals/s "
            "in a short sample; the deep pass of the few hard deals comes on top"
        )
    if (listed := own_list(config.verify.known)) and not listed.is_file():
        print(f"the known list {listed} isn't there: `verify` will need another one, by --known")
    if undecided:
        print(f"{counted(undecided, 'undecided deal')} there already, left for the deep pass")
    return 0


def _size(amount: float) -> str:
    """A number of bytes as a person says it: "5.0 kB", "2.5 MB", "21.5 GB"."""
    unit, scale = ("GB", 1e9) if amount >= 1e9 else ("MB", 1e6) if amount >= 1e6 else ("kB", 1e3)
    return f"{amount / scale:,.1f} {unit}"


def _sampled(config: Config, todo: Sequence[Shard], workers: int) -> tuple[float | None, int]:
    """Deals a second of so many workers on a few of the deals, and the signal that ended the sample, or 0."""
    function = partial(time_task, quick_plan(config))
    seconds: dict[int, list[float]] = {}
    with closing(LocalProcesses(workers, len(config.search.quick))) as engine, Stop() as stop:
        farm = Farm(engine, stop)
        for task, (process, taken) in farm.answers(function, sample(config, todo, workers), TASKS_A_WORKER):
            seconds.setdefault(process, []).append(taken / task.count)
        if stop.signal:
            return None, stop.signal
    # The first task of each worker meets memory that it has never touched.
    each = [taken for times in seconds.values() for taken in times[1:] or times]
    return workers * len(each) / sum(each), 0


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
