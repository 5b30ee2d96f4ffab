"""Derives the verdicts of a result again by other code than made them, and replays what was stored."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.audit import log, search
from kernels.audit.closure import Count, count_positions
from kernels.contradiction import Contradiction
from kernels.dealing import deal_numbers, deal_one
from kernels.referee import replay_block
from kernels.rules import Rules
from pipeline.errors import UsageError
from pipeline.evidence.against_summary import against
from pipeline.places import Place, place
from pipeline.progress import Progress
from pipeline.signals import interruptible
from pipeline.store import parquet
from pipeline.store.result import ResultSet, open_result
from pipeline.store.rows import SAFE, SOLVED, Proof, Rows, chosen, proofs, proved, solution_ends

SEARCH_BUDGETS = (200_000, 400_000, 4_000_000)
"""Positions that the audit's search may find for a solved deal, in each attempt: some 300 MB in the last."""

LIMIT = 100_000_000
"""Positions that an exhaustion may hold, at 45 to 90 bytes each: up to 9 GB."""

BLOCK = 10_000
"""Stored solutions that are replayed at a time."""

Deals = npt.NDArray[np.uint64]


@dataclass
class Audit:
    """What was derived again, and what was not.

    Attributes
    ----------
    folder : str
    shards, solved, unsolvable, undecided : int
        What the result holds.
    published : str
        What became of the comparison with a published summary.
    proofs : int
        Deals that were proved impossible: the unsolvable ones and, where the fewest cells were asked for, the others
        with one cell less than they need.
    exhausted, safe_only, too_large : int, list of int, list of int
        Of these: exhausted again with the same count; those of them for which that was the count with safe
        autoplay alone; and those of which every count is larger than the limit.
    seed, sampled, solved_again, not_solved : int, int, int, list of int
        Solved deals: drawn, solved again and replayed, and those that the audit's search did not solve.
    replayed : int
        Stored solutions.
    """

    folder: str
    shards: int
    solved: int
    unsolvable: int
    undecided: int
    published: str = ""
    proofs: int = 0
    exhausted: int = 0
    safe_only: list[int] = field(default_factory=list)
    too_large: list[int] = field(default_factory=list)
    seed: int = 0
    sampled: int = 0
    solved_again: int = 0
    not_solved: list[int] = field(default_factory=list)
    replayed: int = 0

    @property
    def status(self) -> int:
        """Always 0: a contradiction is raised."""
        return 0

    @property
    def misses_one(self) -> float:
        """Probability that the sample misses a deal, if exactly one solved deal is wrong."""
        return 1 - self.solved_again / self.solved if self.solved else 0.0

    @property
    def most_wrong(self) -> int:
        """Share of the solved deals that may be wrong, at most, with 95 % confidence: three divided by the sample."""
        if self.solved_again == self.solved:
            return 0
        return min(self.solved, self.solved * 3 // self.solved_again) if self.solved_again else self.solved

    def lines(self) -> list[str]:
        """The answer for a person."""
        lines = [
            f"{self.folder}: {self.shards:,} shards, {self.solved:,} solved, {self.unsolvable:,} unsolvable, "
            f"{self.undecided:,} undecided",
            f"shards: {self.published}",
            f"proofs: {self.exhausted:,} of {self.proofs:,} exhausted again in another order, same counts",
            *_named(self.safe_only, f"of these, {SAFE}"),
            *_named(self.too_large, "not audited, larger than --limit"),
            f"solved: {self.sampled:,} drawn with seed {self.seed}, {self.solved_again:,} of them solved again and "
            f"replayed",
            *_named(self.not_solved, f"not audited, no solution among {max(SEARCH_BUDGETS):,} positions"),
            f"stored solutions: {self.replayed:,} replayed" if self.replayed else "stored solutions: none to replay",
        ]
        if self.replayed < self.solved:
            lines.append(
                f"a single wrong deal among the solved would be missed with probability {self.misses_one:.6f}; "
                f"with 95 % confidence, at most {self.most_wrong:,} of {self.solved:,} are wrong"
                + (", of those that this search can solve" if self.not_solved else "")
            )
        return [*lines, "no contradiction"]

    def as_json(self) -> dict[str, Any]:
        """The answer as a JSON object."""
        return {**asdict(self), "misses_one": self.misses_one, "most_wrong": self.most_wrong, "contradiction": None}


def audit(
    folder: str | Place, sample: int = 1_000, seed: int = 1, limit: int = LIMIT, summary: str | Place | None = None
) -> Audit:
    """Derive verdicts of a result again.

    Parameters
    ----------
    folder : str, Path or Remote
    sample : int
        Solved deals to draw.
    seed : int
        Of the draw.
    limit : int
        Positions that an exhaustion may hold; unsolvable deals with more are named as not audited.
    summary : str, Path or Remote, optional
        A published summary; by default the project's for this census, or the folder's own.

    Raises
    ------
    Contradiction
        At the first deal, or shard, that is not as stored.
    UsageError
        If this is not the folder of a run, or memory doesn't hold an exhaustion.
    Corrupt
        If a shard is not what was written.
    """
    result = open_result(folder)
    done = Audit(
        str(folder), len(result.shards), result.counts.solved, result.counts.unsolvable, result.counts.undecided
    )
    published = against(result, place(folder), None if summary is None else place(summary))
    rules = result.config.rules.kernel_rules()
    with interruptible():
        published.check_shards()
        read = _read(result, draw(_solved_by_shard(result), sample, seed), rules)
        published.check_unsolvable(read.unsolvable)
        done.published = published.said
        done.seed, done.replayed = seed, read.replayed
        done.proofs = sum(map(len, read.proofs.values()))
        for cells, claims in sorted(read.proofs.items()):
            exhausted, safe_only, too_large = exhaust_again(claims, rules._replace(cells=cells), limit)
            done.exhausted += exhausted
            done.safe_only += safe_only
            done.too_large += too_large
        for cells, deals in sorted(read.drawn.items()):
            solved_again, not_solved = solve_again(deals, rules._replace(cells=cells))
            done.sampled += len(deals)
            done.solved_again += solved_again
            done.not_solved += not_solved
    return done


def _solved_by_shard(result: ResultSet) -> list[int]:
    return [footer.counts.solved for _, footer in result.shards]


def draw(solved: Sequence[int], sample: int, seed: int) -> list[npt.NDArray[np.int64]]:
    """Draw solved deals without repetition, all equally likely. Gives their indices among each shard's solved deals."""
    ends = np.cumsum([0, *solved])
    chosen = np.random.default_rng(seed).choice(ends[-1], min(sample, int(ends[-1])), replace=False)
    chosen.sort()
    cuts = np.searchsorted(chosen, ends)
    return [chosen[cuts[i] : cuts[i + 1]] - ends[i] for i in range(len(solved))]


class _Read(NamedTuple):
    """What there is to derive again.

    Attributes
    ----------
    unsolvable : dict of int to Proof
        The unsolvable deals.
    proofs : dict of int to dict of int to Proof
        Number of cells -> every deal that was proved impossible with them.
    drawn : dict of int to list of int
        Number of cells -> the deals drawn that were solved with them.
    replayed : int
        Stored solutions.
    """

    unsolvable: dict[int, Proof]
    proofs: dict[int, dict[int, Proof]]
    drawn: dict[int, list[int]]
    replayed: int


def _read(result: ResultSet, draws: list[npt.NDArray[np.int64]], rules: Rules) -> _Read:
    """Read every shard, and replay what it stores."""
    unsolvable: dict[int, Proof] = {}
    claims: dict[int, dict[int, Proof]] = {}
    drawn: dict[int, list[int]] = {}
    replayed = 0
    with closing(Progress("reading", sum(result.counts), left_over="")) as progress:
        for (folder, footer), numbers in zip(result.shards, draws, strict=True):
            rows = parquet.read(folder, footer.shard)
            first = footer.shard.first
            deals = np.arange(first, footer.shard.last + 1, dtype=np.uint64)
            unsolvable.update((first + index, proof) for index, proof in proofs(rows).items())
            for cells, group in proved(rows, rules.cells).items():
                claims.setdefault(cells, {}).update((first + index, proof) for index, proof in group.items())
            solved = np.flatnonzero(rows.verdicts == SOLVED)[numbers]
            needed = rows.cells if len(rows.cells) else np.full(len(deals), rules.cells)
            for cells in np.unique(needed).tolist():
                if there := deals[solved[needed[solved] == cells]].tolist():
                    drawn.setdefault(cells, []).extend(there)
                part = np.flatnonzero(needed == cells)
                replayed += _replay(
                    deals[part], chosen(rows, part) if len(rows.cells) else rows, rules._replace(cells=cells)
                )
            progress.advance(footer.shard.count)
    return _Read(unsolvable, claims, drawn, replayed)


def _replay(deals: Deals, rows: Rows, rules: Rules) -> int:
    """Replay the stored solutions of a shard; their number.

    Raises
    ------
    Contradiction
        If one is wrong.
    """
    solved = rows.verdicts == SOLVED
    if not len(rows.solutions):
        return 0
    ends = solution_ends(rows)
    for start in range(0, len(deals), BLOCK):
        part = slice(start, start + BLOCK)
        moves = rows.solutions[ends[start] : ends[min(start + BLOCK, len(deals))]]
        heard = replay_block(deal_numbers(deals[part]), rules, rows.moves[part], moves)
        for at in np.flatnonzero((heard != 0) & solved[part])[:1]:
            raise Contradiction(
                f"deal {deals[part][at]}: its stored solution of {rows.moves[part][at]} moves is wrong: "
                + _fault(int(heard[at]))
            )
    return int(np.count_nonzero(solved))


def _fault(heard: int) -> str:
    return "the game is not finished" if heard < 0 else f"move {heard} is against the rules"


def exhaust_again(unsolvable: dict[int, Proof], rules: Rules, limit: int) -> tuple[int, list[int], list[int]]:
    """Exhaust unsolvable deals in both grades, as far as the limit allows, and compare with their counts.

    Returns
    -------
    int, list of int, list of int
        How many deals are right; those of them that were exhausted with safe autoplay alone; those not at all.

    Raises
    ------
    Contradiction
        If a deal can be won, or has another number of positions.
    """
    work = [
        (deal, count, autoplay)
        for deal, proof in unsolvable.items()
        for count, autoplay in ((proof.plain, False), (proof.safe, True))
        if 0 < count <= limit
    ]
    total = sum(count for _, count, _ in work)
    with closing(Progress("exhausting again", total, unit="positions", left_over="")) as progress:
        for deal, stored, autoplay in work:
            try:
                count = count_positions(deal_one(deal), rules, stored, progress.advance, autoplay)
            except MemoryError as error:
                gigabytes = log.bytes_needed(stored) / 1e9
                raise UsageError(
                    f"not enough memory for the {stored:,} positions of deal {deal} ({gigabytes:.1f} GB): "
                    f"a smaller --limit leaves it out"
                ) from error
            _compare(deal, stored, autoplay, count)
    plain = {deal for deal, _, autoplay in work if not autoplay}
    either = {deal for deal, *_ in work}
    return len(either), sorted(either - plain), [deal for deal in unsolvable if deal not in either]


def _compare(deal: int, stored: int, autoplay: bool, count: Count) -> None:
    how = "positions with safe autoplay" if autoplay else "positions"
    said = f"deal {deal}: stored as unsolvable with {stored:,} {how}, but an exhaustion in another order "
    if count.won:
        raise Contradiction(f"{said}meets a won position among the first {count.positions:,}")
    if not count.ended:
        raise Contradiction(f"{said}finds more, with no end at {count.positions:,}")
    if count.positions != stored:
        raise Contradiction(f"{said}ends with {count.positions:,}")


def solve_again(deals: Sequence[int], rules: Rules, budgets: Sequence[int] = SEARCH_BUDGETS) -> tuple[int, list[int]]:
    """Solve deals by single-card moves and replay them. Gives the number solved, and the deals that no budget solved.

    Raises
    ------
    Contradiction
        If a deal has no solution, or the referee refuses what was found.
    """
    left: list[int] = []
    with closing(Progress("solving again", len(deals), left_over="not audited")) as progress:
        for deal in deals:
            board = deal_one(deal)
            found = search.solve(board, rules, budgets)
            if found.answer == search.EXHAUSTED:
                raise Contradiction(
                    f"deal {deal}: stored as solved, but a search by single-card moves looked at all of its "
                    f"{found.positions:,} positions, and none is won"
                )
            if found.answer == search.SOLVED:
                length = np.array([len(found.moves)], np.uint64)
                if heard := int(replay_block(board[None], rules, length, found.moves)[0]):
                    raise Contradiction(f"deal {deal}: the referee refuses the audit's solution: {_fault(heard)}")
            else:
                left.append(deal)
            progress.advance(1, found.answer == search.GIVEN_UP)
    return len(deals) - len(left), left


def _named(deals: list[int], what: str) -> list[str]:
    if not deals:
        return []
    return [f"  {what}: {len(deals):,} ({', '.join(map(str, deals[:10]))}{', ..' if deals[10:] else ''})"]
