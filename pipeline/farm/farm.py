"""A window of tasks over an executor; workers may die, and the run may be asked to stop."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

from pipeline.farm.limits import limits_of_processes
from pipeline.farm.protocol import Engine, EngineGone
from pipeline.farm.worker import present
from pipeline.shards import Task
from pipeline.signals import Stop

Answer = TypeVar("Answer")

POLL = 0.2
"""Seconds between two looks at the request to stop."""

UNSTARTED = (EOFError, OSError, RuntimeError)
"""What giving a task to a pool raises when no worker or thread can be started, or who starts workers died. Of these,
BrokenExecutor says that a worker died."""

TRIES = 3
"""How often workers may fail to start, and how often one is asked whether it answers at all."""

FATAL = (BrokenExecutor, MemoryError)
"""What a task's future raises when its worker died, or couldn't get the memory."""


class Farm:
    """Gives tasks to workers and collects their answers.

    Attributes
    ----------
    killers : list of int
        Deals that killed their worker each time.
    """

    def __init__(self, engine: Engine, stop: Stop) -> None:
        self._engine = engine
        self._stop = stop
        self._unstarted = 0
        self.killers: list[int] = []

    def answers(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], ahead: int, most: int | None = None
    ) -> Iterator[tuple[Task, Answer]]:
        """Run a function over tasks, `ahead` of them in flight for each worker; answers come as they are completed.

        All workers of the engine take part, or so many of them at `most`; where some join or leave, the number of
        tasks in flight follows.

        When a worker dies, every task in flight is suspect. The suspects run again, one by one. A task that kills again
        is halved, down to a single deal, which goes to `killers`; so an answer may be for a part of a task. Tasks
        without an answer at the end were given up: the run was asked to stop, or they hold killers.

        Raises
        ------
        Exception
            Whatever the function raises in a worker, but for the signs of its death, and of the engine's: that ends the
            run as a signal does.
        """
        waiting = iter(tasks)
        try:
            while True:
                suspects = yield from self._windowed(function, waiting, ahead, most)
                if not suspects:
                    return
                self._check_workers()
                yield from self._one_by_one(function, suspects)
        except EngineGone as gone:
            self._stop.give_up(str(gone))

    def _windowed(
        self,
        function: Callable[[Task], Answer],
        tasks: Iterator[Task],
        ahead: int,
        most: int | None,
    ) -> Generator[tuple[Task, Answer], None, list[Task]]:
        """Answers until the tasks are through or a worker dies; returns what was then in flight, the suspects.

        Workers get their next tasks before the answers are handed on: what is done with those takes time.
        """
        suspects: list[Task] = []
        flying: dict[Future[Answer], Task] = {}
        landed: list[tuple[Task, Future[Answer]]] = []
        with self._pool(most) as pool:
            while not self._stop.at_once:
                workers = self._engine.size(pool)
                if self._stop.reason and not workers:
                    break
                if not self._stop.requested and not suspects:
                    window = ahead * max(1, workers)  # with no worker yet, keep one task queued for the first to join
                    for task in islice(tasks, max(0, window - len(flying))):
                        try:
                            flying[pool.submit(function, task)] = task
                        except UNSTARTED as error:
                            suspects.append(task)
                            self._note(error)
                            break
                yield from _answers(landed)
                landed = []
                if not flying:
                    return suspects
                if self._stop.at_once:  # the stop was requested while answers were handed on
                    break
                done = wait(flying, POLL, FIRST_COMPLETED).done
                if not done and self._engine.lost(pool):
                    return [*suspects, *flying.values()]
                for future in done:
                    task = flying.pop(future)
                    if isinstance(future.exception(), FATAL):
                        suspects.append(task)
                    else:
                        landed.append((task, future))
        yield from _answers(landed)
        return suspects

    def _note(self, error: Exception) -> None:
        """Remember that a worker could not be started; too often, and it isn't somebody who killed the server."""
        self._unstarted += not isinstance(error, BrokenExecutor)
        if self._unstarted > TRIES:
            raise EngineGone(f"workers can't be started ({error or type(error).__name__}): {limits_of_processes()}")

    def _check_workers(self) -> None:
        """Make sure that a worker answers at all, before deals are suspected of killing it."""
        for _ in range(TRIES):
            answered = list(self._windowed(present, iter([Task(1, 1)]), 1, 1))
            if answered or self._stop.reason:
                return
        raise EngineGone(f"no worker answers: {limits_of_processes()}")

    def _one_by_one(self, function: Callable[[Task], Answer], suspects: list[Task]) -> Iterator[tuple[Task, Answer]]:
        """Answers of suspects, each alone in a pool of one; a killer is halved until it is a single deal."""
        queue = deque(sorted(suspects))
        while queue and not self._stop.reason:
            again = yield from self._windowed(function, iter([queue.popleft()]), 1, 1)
            for task in again:
                if task.count > 1:
                    queue.extendleft(reversed(task.halves()))
                else:
                    self.killers.append(task.first)

    @contextmanager
    def _pool(self, most: int | None) -> Iterator[Executor]:
        """A pool that is killed on exit: by then its tasks are done or no longer wanted."""
        pool = self._engine.pool(most)
        try:
            yield pool
        finally:
            self._engine.drop(pool)


def _answers(landed: Sequence[tuple[Task, Future[Answer]]]) -> Iterator[tuple[Task, Answer]]:
    """What the futures of some tasks hold, which are done."""
    for task, future in landed:
        yield task, future.result()
