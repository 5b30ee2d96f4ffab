"""A census in two passes: all deals with the quick attempts, then the undecided ones with the deep attempts."""

import contextlib
import json
import os
import platform
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from kernels.proof import closure
from kernels.search import attempts
from kernels.search.haste import CAREFUL
from pipeline.config import Config, load
from pipeline.errors import Contradiction, UsageError
from pipeline.farm.engines import Workers, engine_of
from pipeline.farm.farm import Farm
from pipeline.farm.protocol import Engine
from pipeline.farm.worker import Plan, decide_task
from pipeline.places import Place
from pipeline.progress import Progress, counted
from pipeline.shards import WHOLE, Part, Shard, Task, shard_of, shards
from pipeline.signals import Stop
from pipeline.store import parquet, result
from pipeline.store.folder import CONFIG, folder_of, missing, owned, written
from pipeline.store.log import AGAIN, SHARD, START, STOP, Log, versions
from pipeline.store.parquet import Counts
from pipeline.store.rows import UNDECIDED, Rows, joined, replaced

Work = TypeVar("Work")
Left: TypeAlias = dict[int, int]

QUICK_CLOSURE = 1_500_000
"""Positions of an exhaustion in the quick pass: keeps a worker's tables small. Larger ones are for the deep pass, whose
first careful attempt finds the search exhausted again."""

CLOSURE_A_POSITION = 16
"""Positions that a proof is expected to hold at most, for each that the search expanded until it was exhausted. Of the
unsolvable deals in `results` that two million positions exhaust, none has more than 11; more takes what is free."""

TASKS_A_WORKER = 2
"""One that it works on and one that waits: workers never idle, and little is lost with them."""

DECIDED, UNFINISHED = 0, 3
"""Exit statuses of a run that no signal ended."""


def run(path: Path, out: Place | None, part: Part, workers: Workers, max_time: float | None, as_json: bool) -> int:
    """Run a census, or go on with it; the exit status.

    Parameters
    ----------
    path : Path
        The configuration.
    out : Place, optional
        Folder of the results; results/NAME by default.
    part : Part
        Which shards this run is about; a part has a folder of its own in the one of the results.
    workers : Workers
        Where the workers come from.
    max_time : float, optional
        Seconds after which no shard is begun, and no deal of the deep pass.
    as_json : bool
        Whether the summary on standard output is a JSON object.

    Raises
    ------
    UsageError
        As `load`, `folder_of`, `owned` and `engine_of` do.
    OSError
        If the folder can't be written from the start on; later on, that ends the run as a signal does.
    Contradiction
        If engines disagree about a deal; its shard is not written.
    """
    config = load(path)
    folder = folder_of(config, out, part)
    with owned(folder, config) as log:
        engine = engine_of(workers, len(config.search.quick))
        with Stop(max_time) as stop, closing(engine):
            census = Census(config, folder, part, log, engine, stop)
            here = {"pid": os.getpid(), "host": platform.node(), "engine": workers.engine, "part": str(part)}
            log.write(START, **here, **parquet.provenance(config)._asdict(), versions=versions())
            try:
                census.run()
            except Contradiction as contradiction:
                log.write("contradiction", text=str(contradiction))
                raise
            if stop.failure and not (folder / CONFIG).is_file():
                raise UsageError(stop.failure)  # the folder is gone: there is nothing to sum up
            counts, complete = result.open_result(folder).counts, not missing(config, folder, part)
            with contextlib.suppress(OSError):  # where no shard could be written, this can't be, either
                log.write(STOP, reason=stop.reason, complete=complete, killers=census.killers, **counts._asdict())
    status = _status(stop, complete, counts)
    if status:
        _say_what_is_left(stop, census.killers, complete, _command(path, out, part, workers))
    summary = {"folder": str(folder), "deals": sum(counts), **counts._asdict(), "complete": complete}
    print(json.dumps(summary) if as_json else _sentence(summary))
    return status


def plan(config: Config, budgets: tuple[int, ...], first_attempt: int, closure_budget: int) -> Plan:
    """What a worker does with a deal of a census."""
    most = min(closure_budget, config.search.closure)
    return Plan(config.rules.kernel_rules(), budgets, first_attempt, most, config.store.solutions)


def quick_plan(config: Config) -> Plan:
    """What a worker does with a deal of a census in the quick pass."""
    return plan(config, config.search.quick, 1, QUICK_CLOSURE)


class Census:
    """One run of a census, or a part of it, over the folder that it owns."""

    def __init__(self, config: Config, folder: Place, part: Part, log: Log, engine: Engine, stop: Stop) -> None:
        self._config, self._folder, self._part, self._log = config, folder, part, log
        self._engine, self._stop = engine, stop
        self._farm = Farm(engine, stop)
        self._left: dict[Shard, Left] = {}

    @property
    def killers(self) -> list[int]:
        """Deals that killed their worker each time."""
        return self._farm.killers

    def run(self) -> None:
        """Both passes, as far as the run isn't asked to stop.

        Raises
        ------
        Contradiction
            As a worker does.
        """
        self._quick_pass(missing(self._config, self._folder, self._part))
        search = self._config.search
        for attempt in range(len(search.quick) + 1, len(search.budgets) + 1):
            if not self._stop.reason:
                self._deep_pass(attempt, search.budgets[attempt - 1])

    def _quick_pass(self, open_shards: list[Shard]) -> None:
        """Fill the shards that aren't there yet; each is written when the last of its tasks is in."""
        left = sum(shard.count for shard in open_shards)
        total = sum(shard.count for shard in shards(self._config, self._part))
        if not left:
            return
        parts: dict[Shard, dict[int, Rows]] = {}
        function = partial(decide_task, quick_plan(self._config))
        tasks = (task for shard in self._in_time(open_shards) for task in shard.tasks())
        with closing(Progress("quick pass", total, total - left)) as progress:
            for task, rows in self._farm.answers(function, tasks, TASKS_A_WORKER):
                shard = shard_of(self._config, task.first)
                blocks = parts.setdefault(shard, {})
                blocks[task.first] = rows
                progress.advance(task.count, int(np.count_nonzero(rows.verdicts == UNDECIDED)))
                if sum(len(block.verdicts) for block in blocks.values()) == shard.count:
                    self._write(SHARD, shard, joined([blocks[first] for first in sorted(blocks)]))
                    del parts[shard]

    def _deep_pass(self, attempt: int, budget: int) -> None:
        """Make one more attempt at each undecided deal, one deal a task; a shard is rewritten once its deals are in."""
        todo = self._undecided(attempt)
        left = {shard: len(deals) for shard, deals in todo.items()}
        if not todo:
            return
        most = self._deep_workers(attempt, budget, sum(left.values()))
        fresh: dict[Shard, dict[int, Rows]] = {shard: {} for shard in todo}
        function = partial(decide_task, plan(self._config, (budget,), attempt, self._config.search.closure))
        tasks = (Task(deal, 1) for deal in self._in_time(deal for deals in todo.values() for deal in deals))
        with closing(Progress(f"attempt {attempt}", sum(left.values()))) as progress:
            for task, rows in self._farm.answers(function, tasks, 1, most):
                shard = shard_of(self._config, task.first)
                fresh[shard][task.first] = rows
                progress.advance(1, int(np.count_nonzero(rows.verdicts == UNDECIDED)))
                if len(fresh[shard]) == left[shard]:
                    self._rewrite(shard, fresh.pop(shard))
        for shard, deals in fresh.items():  # of a run that was stopped, or with deals that kill
            if deals:
                self._rewrite(shard, deals)

    def _in_time(self, work: Iterable[Work]) -> Iterator[Work]:
        """What there is to do until time is up; a shard that was begun before is completed, or all of it were lost."""
        return takewhile(lambda _: not self._stop.time_up, work)

    def _undecided(self, attempt: int) -> dict[Shard, list[int]]:
        """Deals that an attempt has to go on with: undecided, and without a gap in the attempts that they had."""
        todo = {}
        for footer in parquet.footers(self._folder, written(self._folder)):
            if footer.counts.undecided:
                shard = footer.shard
                if shard not in self._left:
                    self._left[shard] = left_over(shard, parquet.read(self._folder, shard))
                deals = [deal for deal, had in self._left[shard].items() if had < attempt and deal not in self.killers]
                if deals:
                    todo[shard] = deals
        return todo

    def _deep_workers(self, attempt: int, budget: int, deals: int) -> int | None:
        """As many workers as memory allows; says what they take before they begin."""
        kind = attempts.attempt_of(attempt)
        expected = max(kind.proof, CLOSURE_A_POSITION * budget if kind.haste == CAREFUL else 0)
        proof = min(self._config.search.closure, expected)
        each = attempts.bytes_needed(attempt, budget) + closure.bytes_needed(proof)
        room = self._engine.room(each)
        at_a_time = "" if room.workers is None else f", {min(room.workers, deals)} at a time"
        print(
            f"attempt {attempt}: {budget:,} positions for each of {counted(deals, 'deal')}{at_a_time}; "
            f"most take little memory, a hard one up to {each / 1e9 + 0.05:.1f} GB; {room.said}",
            file=sys.stderr,
        )
        return room.workers

    def _write(self, event: str, shard: Shard, rows: Rows) -> None:
        self._log.claim()
        try:
            parquet.write(self._folder, shard, rows, self._config)
            self._left[shard] = left_over(shard, rows)
            self._log.write(event, first=shard.first, last=shard.last, undecided=len(self._left[shard]))
        except OSError as error:  # full, or gone: nothing that comes later could be kept either
            self._stop.give_up(f"can't write to {self._folder}: {error.strerror or error}")

    def _rewrite(self, shard: Shard, fresh: dict[int, Rows]) -> None:
        """Exchange the rows of some deals; positions count all attempts, so those of before are added."""
        before = parquet.read(self._folder, shard)
        exchange = {}
        for deal, rows in fresh.items():
            index = deal - shard.first
            exchange[index] = rows._replace(positions=rows.positions + before.positions[index])
        self._write(AGAIN, shard, replaced(before, exchange))


def left_over(shard: Shard, rows: Rows) -> Left:
    """The undecided deals of a shard, each with the number of attempts that it had."""
    return {shard.first + int(index): int(rows.attempts[index]) for index in np.flatnonzero(rows.verdicts == UNDECIDED)}


def _status(stop: Stop, complete: bool, counts: Counts) -> int:
    if stop.signal:
        return 128 + stop.signal
    return DECIDED if complete and not counts.undecided else UNFINISHED


def _command(path: Path, out: Place | None, part: Part, workers: Workers) -> str:
    """The command that goes on with a run."""
    words = ["freecell-census", "run", str(path)]
    if out:
        words += ["--out", str(out)]
    if part != WHOLE:
        words += ["--part", str(part)]
    if workers.engine != "local":
        words += ["--engine", workers.engine]
    if workers.scheduler:
        words += ["--scheduler", workers.scheduler]
    return shlex.join(words)


def _say_what_is_left(stop: Stop, killers: list[int], complete: bool, resume: str) -> None:
    if killers:
        deals = ", ".join(map(str, sorted(killers)))
        print(f"these deals killed their worker each time, or found no memory: {deals}", file=sys.stderr)
    if stop.reason:
        print(f"stopped: {stop.reason}", file=sys.stderr)
    if stop.reason or not complete:
        print(f"to go on: {resume}", file=sys.stderr)


def _sentence(summary: dict[str, Any]) -> str:
    return (
        f"{counted(summary['deals'], 'deal')} in {summary['folder']}: {summary['solved']:,} solved, "
        f"{summary['unsolvable']:,} unsolvable, {summary['undecided']:,} undecided"
        + ("" if summary["complete"] else "; not complete")
    )
