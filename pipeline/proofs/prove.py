"""The command `prove`: exhaustions alone, of listed deals; resumes, since the files of proofs say what is done."""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from kernels.jit import source_digest
from kernels.proof.closure import Stopped, bytes_needed
from kernels.rules import FREECELL, Rules
from pipeline.atomic import remove_leftovers, replacing
from pipeline.deals.notation import move_texts
from pipeline.errors import UsageError
from pipeline.farm.engines import Workers, engine_of
from pipeline.farm.farm import Farm
from pipeline.farm.protocol import Engine
from pipeline.farm.worker import ALONE
from pipeline.places import Place
from pipeline.progress import Progress, counted
from pipeline.proofs import table
from pipeline.proofs.deal_list import deals_named
from pipeline.proofs.large import prove_large
from pipeline.proofs.rows import MOST_IN_A_BATCH, Batch, Proofs, joined
from pipeline.proofs.table import File
from pipeline.proofs.worker import proofs_of, prove_batch
from pipeline.signals import Stop
from pipeline.store.folder import PROOFS, held
from pipeline.store.log import SHARD, START, STOP, Log
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE, VERDICTS

SMALL, LARGE = 1_500_000, 1 << 40
"""Positions of an exhaustion that is one of many in a task, and of one that all cores make together: as many as there
are. Between them lie those that a worker makes alone."""

AHEAD = 2
"""Batches in flight for each worker."""

PLAIN = 200_000_000
"""Positions that a plain exhaustion may hold, unless somebody says otherwise."""

DESCRIPTION = PROOFS
SHOWN = 50
"""Deals whose counts are printed; more are in the files only."""

PROVEN, SOLVABLE, LEFT = 0, 1, 3
"""Exit statuses."""


class Proved:
    """What `prove` came to: the outcome of the command.

    Attributes
    ----------
    proofs : Proofs
        Of all deals that were begun.
    plain : int
        Positions that a plain exhaustion might hold.
    """

    def __init__(
        self, deals: Sequence[int], proofs: Proofs, plain: int, out: Place | None, stop: Stop, killers: list[int]
    ) -> None:
        self.proofs, self.plain, self.killers = proofs, plain, killers
        self._deals, self._out, self._stop = deals, out, stop

    @property
    def status(self) -> int:
        """0 all proven, 1 a deal is solvable, 3 stopped or too large; 128 and more for a signal."""
        if self._stop.signal:
            return 128 + self._stop.signal
        if np.any(self.proofs.verdicts == SOLVED):
            return SOLVABLE
        return PROVEN if np.count_nonzero(self.proofs.verdicts == UNSOLVABLE) == len(self._deals) else LEFT

    def as_json(self) -> dict[str, Any]:
        """The counts, and each deal."""
        return {**self._counts(), "out": str(self._out) if self._out else None, "proofs": list(self._rows())}

    def lines(self) -> Iterator[str]:
        """Solvable deals first, then each deal where they are few, and the sum."""
        for row in self._rows():
            if row["verdict"] == "solved":
                yield f"SOLVABLE: deal {row['deal']}, in {len(row['solution'])} moves: {' '.join(row['solution'])}"
            elif len(self._deals) <= SHOWN:
                yield _line(row, self.plain)
        counts = self._counts()
        yield (
            f"{counted(len(self._deals), 'deal')}: {counts['plain']:,} proved by the plain exhaustion, "
            f"{counts['safe_only']:,} by the one with safe autoplay only, {counts['solved']:,} solvable, "
            f"{counts['left']:,} left"
        )

    def _counts(self) -> dict[str, int]:
        verdicts, plain = self.proofs.verdicts, self.proofs.closures > 0
        unsolvable = int(np.count_nonzero(verdicts == UNSOLVABLE))
        solved = int(np.count_nonzero(verdicts == SOLVED))
        return {
            "deals": len(self._deals),
            "plain": int(np.count_nonzero(plain)),
            "safe_only": unsolvable - int(np.count_nonzero(plain)),
            "solved": solved,
            "left": len(self._deals) - unsolvable - solved,
        }

    def _rows(self) -> Iterator[dict[str, Any]]:
        for deal, verdict, closure, safe, home, budget, moves in zip(*self.proofs, strict=True):
            yield {
                "deal": int(deal),
                "verdict": VERDICTS[verdict],
                "closure": int(closure) or None,
                "closure_safe": int(safe) or None,
                "most_home": int(home) if verdict == UNSOLVABLE else None,
                "budget": int(budget),
                "solution": move_texts(np.frombuffer(moves, np.uint8)) if moves else None,
            }


def _line(row: dict[str, Any], most: int) -> str:
    if row["verdict"] != "unsolvable":
        return f"{row['deal']}: undecided, larger than {row['budget']:,} positions"
    plain = f"{row['closure']:,} positions" if row["closure"] else f"more than {min(row['budget'], most):,} positions"
    return f"{row['deal']}: {plain}, {row['closure_safe']:,} with safe autoplay; at most {row['most_home']} cards home"


def prove(
    words: Sequence[str],
    out: Place | None = None,
    rules: Rules = FREECELL,
    plain: int = PLAIN,
    workers: Workers = Workers(),  # noqa: B008  # a tuple
    max_time: float | None = None,
) -> Proved:
    """Exhaust listed deals.

    Parameters
    ----------
    words : sequence of str
        Deal numbers, ranges A:B, and files that list numbers.
    out : Place, optional
        Folder for the proofs; the same call goes on there. Without one, they are only returned.
    rules : Rules
    plain : int
        Positions that a plain exhaustion may hold. Where it is larger, the one with safe autoplay is the proof.
    workers : Workers
        Where the workers come from.
    max_time : float, optional
        Seconds after which no exhaustion is begun.

    Raises
    ------
    UsageError
        If the deals can't be read, or the folder holds other proofs or is in use.
    Contradiction
        If the referee refuses the moves to a won position that an exhaustion met.
    """
    deals = deals_named(words)
    with held(out, PROOFS) if out else nullcontext(None) as log, Stop(max_time) as stop:
        if out:
            _describe(out, deals, rules, plain)
            if isinstance(out, Path):
                remove_leftovers(out, lambda name: name == DESCRIPTION or table.is_named(name))
        engine = engine_of(workers, 1)
        with closing(engine):
            proving = Proving(deals, out, rules, plain, engine, workers.here, stop, log)
            if log:
                log.write(START, pid=os.getpid(), host=platform.node(), kernels=source_digest(), deals=len(deals))
            proving.run()
            proved = Proved(deals, proving.proofs, plain, out, stop, proving.killers)
            if log:
                log.write(STOP, reason=stop.reason, complete=proved.status in (PROVEN, SOLVABLE))
    _say_what_is_left(proved, stop)
    return proved


class Proving:
    """One run of `prove`: small exhaustions many at a time, larger ones one a worker, the largest one by one."""

    def __init__(
        self,
        deals: Sequence[int],
        out: Place | None,
        rules: Rules,
        plain: int,
        engine: Engine,
        threads: int,
        stop: Stop,
        log: Log | None,
    ) -> None:
        self._out, self._rules, self._plain, self._stop, self._log = out, rules, plain, stop, log
        self._engine, self._farm = engine, Farm(engine, stop)
        self._threads = threads
        self._files = table.files(deals)
        there = set(table.named(out)) if out else set()
        self._known = {file: table.read(out, file) for file in self._files if out and file.name in there}

    @property
    def killers(self) -> list[int]:
        """Deals that killed their worker each time."""
        return self._farm.killers

    @property
    def proofs(self) -> Proofs:
        """All that is known so far."""
        return joined([*self._known.values()]) if self._known else prove_batch(self._rules, 1, 1, Batch(()))

    def run(self) -> None:
        """All stages, as far as the run isn't asked to stop."""
        for budget, together in ((SMALL, MOST_IN_A_BATCH), (ALONE, 1)):
            if not self._stop.reason:
                self._stage(budget, together)
        for file in self._files:
            for deal in self._open(file, LARGE):
                if not self._stop.reason and file in self._known and deal not in self.killers:
                    self._prove_large(file, deal)

    def _stage(self, budget: int, together: int) -> None:
        """Give each open deal an exhaustion of so many positions; a file is written once its deals are in."""
        todo = {file: open_deals for file in self._files if (open_deals := self._open(file, budget))}
        if not todo:
            return
        fresh: dict[File, list[Proofs]] = {file: [] for file in todo}
        owner = {deal: file for file, deals in todo.items() for deal in deals}
        plain = min(budget, self._plain)
        room = self._engine.room(bytes_needed(plain, budget))
        batches: Iterator[Any] = (
            Batch(tuple(deals[start : start + together]))
            for deals in todo.values()
            for start in range(0, len(deals), together)
        )
        function = partial(prove_batch, self._rules, plain, budget)
        title = f"exhaustions up to {budget:,} positions"
        with closing(Progress(title, len(owner), left_over="larger")) as progress:
            for batch, proofs in self._farm.answers(function, self._in_time(batches), AHEAD, room.workers):
                file = owner[batch.first]
                fresh[file].append(proofs)
                progress.advance(batch.count, int(np.count_nonzero(proofs.verdicts == UNDECIDED)))
                if sum(len(block.deals) for block in fresh[file]) == len(todo[file]):
                    self._keep(file, fresh.pop(file))
        for file, blocks in fresh.items():  # incomplete: the run was stopped, or a deal killed its worker each time
            if blocks and file in self._known:
                self._keep(file, blocks)

    def _prove_large(self, file: File, deal: int) -> None:
        """One exhaustion by all cores of this machine, in this process; it goes on where it was stopped."""
        try:
            walk = prove_large(
                deal, self._rules, self._plain, LARGE, self._threads, self._out, lambda: self._stop.requested
            )
        except Stopped:
            return
        except MemoryError as error:
            print(f"deal {deal} is left open: {error}", file=sys.stderr)
            return
        except OSError as error:
            self._stop.give_up(f"can't write to {self._out}: {error.strerror or error}")
            return
        self._keep(file, [proofs_of((deal,), [walk], self._rules, LARGE)])

    def _in_time(self, batches: Iterable[Any]) -> Iterator[Any]:
        return takewhile(lambda _: not self._stop.time_up, batches)

    def _open(self, file: File, budget: int) -> list[int]:
        """The deals of a file that exhaustions of this budget would tell more about."""
        if file not in self._known:
            return list(file.deals)
        known = self._known[file]
        undecided = (known.verdicts == UNDECIDED) & (known.budgets < budget)
        uncounted = (known.verdicts == UNSOLVABLE) & (known.closures == 0)
        larger = np.minimum(known.budgets, self._plain) < min(budget, self._plain)
        return [int(deal) for deal in known.deals[undecided | (uncounted & larger)]]

    def _keep(self, file: File, blocks: list[Proofs]) -> None:
        before = [self._known[file]] if file in self._known else []
        self._known[file] = joined([*before, *blocks])
        if not self._out or not self._log:
            return
        self._log.claim()
        try:
            table.write(self._out, file, self._known[file], self._rules)
            self._log.write(SHARD, first=file.deals[0], last=file.deals[-1])
        except OSError as error:  # a full disk, or a folder that is gone, would lose all later shards as well
            self._stop.give_up(f"can't write to {self._out}: {error.strerror or error}")


def _describe(out: Place, deals: Sequence[int], rules: Rules, plain: int) -> None:
    """Keep what the folder is about, or refuse to go on with something else."""
    listed = hashlib.sha256(",".join(map(str, deals)).encode()).hexdigest()
    ours = {"deals": len(deals), "list": listed, **rules._asdict(), "plain": plain, "kernels": source_digest()}
    path = out / DESCRIPTION
    if path.is_file():
        try:
            theirs = json.loads(path.read_text(encoding="utf-8"))
            differing = [key for key in ours if theirs.get(key) != ours[key]]
        except (ValueError, AttributeError) as error:
            raise UsageError(f"{path} can't be read: {error}") from error
        if differing:
            raise UsageError(f"{out} holds proofs of something else ({', '.join(differing)}): take another --out")
        return
    if table.named(out):
        raise UsageError(f"{out} holds proofs but no {DESCRIPTION}: take another --out")
    with replacing(path) as file:
        file.write((json.dumps(ours, indent=1) + "\n").encode())


def _say_what_is_left(proved: Proved, stop: Stop) -> None:
    if proved.killers:
        deals = ", ".join(map(str, sorted(proved.killers)))
        print(f"these deals killed their worker each time, or found no memory: {deals}", file=sys.stderr)
    if stop.reason:
        print(f"stopped: {stop.reason}; the same command goes on", file=sys.stderr)
