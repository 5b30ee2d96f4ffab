"""The two passes of a census: all deals with the quick attempts, then the undecided ones with the deep attempts."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import takewhile
from typing import TypeAlias, TypeVar

import numpy as np

from kernels.dealing import deal_block
from kernels.decide import Limits, Pass, judged, passes
from kernels.proof import closure
from kernels.proof.closure import Stopped
from kernels.search import attempts
from kernels.search.haste import CAREFUL
from pipeline.config import Config
from pipeline.farm.farm import Farm
from pipeline.farm.protocol import Engine
from pipeline.farm.worker import ALONE, Begun, begin_task, decide_task, fewest_task
from pipeline.places import Place
from pipeline.progress import Progress, counted
from pipeline.proofs.large import prove_large
from pipeline.shards import Part, Shard, Task, shard_of, shards
from pipeline.signals import Stop
from pipeline.store import parquet
from pipeline.store.folder import missing
from pipeline.store.log import AGAIN, SHARD, Log
from pipeline.store.parquet import Counts
from pipeline.store.rows import UNDECIDED, Rows, joined, replaced

Work = TypeVar("Work")
Left: TypeAlias = dict[int, int]

CLOSURE_A_POSITION = 16
"""Positions that a proof is expected to hold at most, for each that the search expanded until it was exhausted. Of the
unsolvable deals in `results` that two million positions exhaust, none has more than 11; a larger proof takes what
memory is free."""

TASKS_A_WORKER = 2
"""One that it works on and one that waits: workers never idle, and little is lost when one dies."""


def passes_of(config: Config, cells: int | None = None) -> list[Pass]:
    """The passes of a configuration: the quick one, and one for each deep attempt."""
    search, rules = config.search, config.rules.kernel_rules()
    if cells is not None:
        rules = rules._replace(cells=cells)
    steps: list[Pass] = passes(rules, search.quick, search.deep, search.limits)
    return steps


def quick_decider(config: Config) -> Callable[[Task], Rows]:
    """What a worker does with a task in the quick pass."""
    step, solutions = passes_of(config)[0], config.store.solutions
    if config.rules.fewest:
        return _fewest_decider(config, 1)
    return partial(decide_task, step, solutions=solutions)


def deep_deciders(config: Config) -> list[Callable[[Task], Rows | Begun]]:
    """What a worker does with a deal in each pass after the quick one.

    Where the fewest cells are asked for, a pass makes those before it again: a row is the same whenever it is made.
    """
    steps, solutions = passes_of(config), config.store.solutions
    if config.rules.fewest:
        return [_fewest_decider(config, number) for number in range(2, len(steps) + 1)]
    return [partial(begin_task, step, ALONE, solutions=solutions) for step in steps[1:]]


def _fewest_decider(config: Config, passes_made: int) -> Callable[[Task], Rows]:
    each = [passes_of(config, cells)[:passes_made] for cells in range(config.rules.cells + 1)]
    return partial(fewest_task, each, solutions=config.store.solutions)


class Census:
    """One run of a census, or a part of it, over the folder that it owns."""

    def __init__(
        self,
        config: Config,
        folder: Place,
        part: Part,
        log: Log,
        engine: Engine,
        stop: Stop,
        counts: dict[Shard, Counts],
        threads: int,
    ) -> None:
        self._threads = threads
        self._config, self._folder, self._part, self._log = config, folder, part, log
        self._engine, self._stop = engine, stop
        self._farm = Farm(engine, stop)
        self._passes = passes_of(config)
        self._counts = dict(counts)
        self._left: dict[Shard, Left] = {}

    @property
    def counts(self) -> Counts:
        """Deals by verdict in all shards of the folder: what their footers said, and what was written since."""
        return total(self._counts.values())

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
        for step, function in zip(self._passes[1:], deep_deciders(self._config), strict=True):
            if not self._stop.reason:
                self._deep_pass(step, function)

    def _quick_pass(self, open_shards: list[Shard]) -> None:
        """Fill the shards that aren't there yet; each is written when the last of its tasks is in."""
        left = sum(shard.count for shard in open_shards)
        total = sum(shard.count for shard in shards(self._config, self._part))
        if not left:
            return
        parts: dict[Shard, dict[int, Rows]] = {}
        tasks = (task for shard in self._in_time(open_shards) for task in shard.tasks())
        with closing(Progress("quick pass", total, total - left)) as progress:
            for task, rows in self._farm.answers(quick_decider(self._config), tasks, TASKS_A_WORKER):
                shard = shard_of(self._config, task.first)
                blocks = parts.setdefault(shard, {})
                blocks[task.first] = rows
                progress.advance(task.count, int(np.count_nonzero(rows.verdicts == UNDECIDED)))
                if sum(len(block.verdicts) for block in blocks.values()) == shard.count:
                    self._write(SHARD, shard, joined([blocks[first] for first in sorted(blocks)]))
                    del parts[shard]

    def _deep_pass(self, step: Pass, function: Callable[[Task], Rows | Begun]) -> None:
        """Make one more attempt at each undecided deal, one deal a task; a shard is rewritten once its deals are in."""
        attempt = step.first_attempt
        todo = self._undecided(attempt)
        left = {shard: len(deals) for shard, deals in todo.items()}
        if not todo:
            return
        most = self._deep_workers(step, sum(left.values()))
        fresh: dict[Shard, dict[int, Rows]] = {shard: {} for shard in todo}
        tasks = (Task(deal, 1) for deal in self._in_time(deal for deals in todo.values() for deal in deals))
        with closing(Progress(f"attempt {attempt}", sum(left.values()))) as progress:
            for deal, rows in self._deep_answers(step, function, tasks, most):
                shard = shard_of(self._config, deal)
                fresh[shard][deal] = rows
                progress.advance(1, int(np.count_nonzero(rows.verdicts == UNDECIDED)))
                if len(fresh[shard]) == left[shard]:
                    self._rewrite(shard, fresh.pop(shard))
        for shard, deals in fresh.items():  # incomplete: the run was stopped, or a deal killed its worker each time
            if deals:
                self._rewrite(shard, deals)

    def _deep_answers(
        self, step: Pass, function: Callable[[Task], Rows | Begun], tasks: Iterator[Task], most: int | None
    ) -> Iterator[tuple[int, Rows]]:
        """Deals and their rows: first what workers come to alone, then what needs a large exhaustion."""
        begun: dict[int, Begun] = {}
        for task, answer in self._farm.answers(function, tasks, 1, most):
            if isinstance(answer, Begun):
                begun[task.first] = answer
            else:
                yield task.first, answer
        for deal in self._in_time(sorted(begun)):
            if self._stop.requested:
                return
            try:
                yield deal, self._exhausted(step, deal, begun[deal])
            except Stopped:
                return
            except MemoryError as error:
                print(f"deal {deal} is left open: {error}", file=sys.stderr)
                self.killers.append(deal)
            except OSError as error:
                self._stop.give_up(f"can't write to {self._folder}: {error.strerror or error}")
                return

    def _exhausted(self, step: Pass, deal: int, begun: Begun) -> Rows:
        """The row of a deal whose exhaustion all cores of this machine make together."""
        ((index, safe),) = begun.found.budgets.items()
        walk = prove_large(
            deal, step.rules, step.limits.plain, safe, self._threads, self._folder, lambda: self._stop.requested
        )
        rows: Rows = judged(deal_block(deal, 1), step, begun.found, {index: walk}, deal)
        return rows if self._config.store.solutions else rows._replace(solutions=rows.solutions[:0])

    def _in_time(self, work: Iterable[Work]) -> Iterator[Work]:
        """What there is to do until time is up. A shard begun before is completed: otherwise its work is lost."""
        return takewhile(lambda _: not self._stop.time_up, work)

    def _undecided(self, attempt: int) -> dict[Shard, list[int]]:
        """Deals that an attempt has to go on with: undecided, and without a gap in the attempts that they had."""
        todo = {}
        for shard, counts in sorted(self._counts.items()):
            if counts.undecided:
                if shard not in self._left:
                    self._left[shard] = left_over(shard, parquet.read(self._folder, shard))
                deals = [deal for deal, had in self._left[shard].items() if had < attempt and deal not in self.killers]
                if deals:
                    todo[shard] = deals
        return todo

    def _deep_workers(self, step: Pass, deals: int) -> int | None:
        """As many workers as memory allows; says what they take before they begin."""
        attempt, (budget,) = step.first_attempt, step.budgets
        kind = attempts.attempt_of(attempt)
        expected = max(kind.proof, CLOSURE_A_POSITION * budget if kind.haste == CAREFUL else 0)
        alone = expected if self._config.rules.fewest else ALONE
        proof = Limits(*(min(limit, expected, alone) for limit in step.limits))
        each = attempts.bytes_needed(attempt, budget) + closure.bytes_needed(*proof)
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
            self._counts[shard] = counts_of(rows)
            self._log.write(event, first=shard.first, last=shard.last, undecided=self._counts[shard].undecided)
            self._left[shard] = left_over(shard, rows)
        except OSError as error:  # a full disk, or a folder that is gone, would lose all later shards as well
            self._stop.give_up(f"can't write to {self._folder}: {error.strerror or error}")

    def _rewrite(self, shard: Shard, fresh: dict[int, Rows]) -> None:
        """Exchange the rows of some deals; positions count all attempts, so those that weren't made again are added."""
        before = parquet.read(self._folder, shard)
        exchange = {}
        for deal, rows in fresh.items():
            index = deal - shard.first
            earlier = 0 if self._config.rules.fewest else before.positions[index]
            exchange[index] = rows._replace(positions=rows.positions + earlier)
        self._write(AGAIN, shard, replaced(before, exchange))


def left_over(shard: Shard, rows: Rows) -> Left:
    """The undecided deals of a shard, each with the number of attempts that it had."""
    return {shard.first + int(index): int(rows.attempts[index]) for index in np.flatnonzero(rows.verdicts == UNDECIDED)}


def counts_of(rows: Rows) -> Counts:
    """Deals by verdict in a block of rows."""
    return Counts(*(int(number) for number in np.bincount(rows.verdicts, minlength=3)))


def total(counts: Iterable[Counts]) -> Counts:
    """The sum of some counts."""
    return Counts(*(sum(column) for column in zip(Counts(0, 0, 0), *counts, strict=True)))
