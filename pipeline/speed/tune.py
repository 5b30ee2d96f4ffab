"""The command `tune`: the evaluations, the order of the attempts and their budgets, from nothing but deals.

Three evaluations are tuned one after another by CMA-ES (covariance matrix adaptation), each on the deals that those
before it leave over. Then all orders of attempts are tried, with the budgets that suit each best. All of it is the
same for the same range and seed, and is reported on another range.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.dealing import deal_block
from kernels.jit import kernel
from kernels.rules import FREECELL, Rules
from kernels.search.attempts import SERIES, Attempt
from kernels.search.evaluation import EVALUATIONS, Weights
from kernels.search.haste import BRISK, CAREFUL, HASTY
from kernels.search.search import OUT, Desk, Searcher, new_desk, search
from pipeline.errors import UsageError

START = Weights(
    home=100, joint=500, first_joint=200, king_joint=50, sorted_joint=-50, on_ace=0, on_two=0, on_three=0, on_four=0,
    any_below=50, dig=150, cell_1=700, cell_2=800, cell_3=900, cell_4=1200, empty_1=700, empty_more=1000, low_base=30,
    depth=250, uncovers_fitting=200, uncovers_run=400, uncovers_next=400, limit=300, gap=200,
)  # fmt: skip
"""What the first evaluation starts from: orders of magnitude, rounded from an earlier tuning over some of the same
deals. Each further one starts from the one before it."""


class Stage(NamedTuple):
    """How one evaluation is tuned.

    Attributes
    ----------
    haste : int
        The level of haste of its attempt.
    budget : int
        Positions that its attempt expands at most.
    batch : int
        Deals that a generation is tried on; the next generation gets others, so that nothing is learned by heart.
    """

    haste: int
    budget: int
    batch: int


STAGES = (Stage(HASTY, 150, 2_500), Stage(BRISK, 320, 2_500), Stage(BRISK, 1_000, 1_300))

PENALTY = 2.5
"""What an undecided deal costs on top, in budgets of the attempt that left it over."""

STEP = 0.1
"""How far the first changes go, as a share of the weight, and of `SMALL` where that is more."""

SMALL = 40
POPULATION = 14

LONGEST = 30_000
"""Budget of the last quick attempt."""

UNDECIDED = 60_000
"""Positions that a deal costs which all quick attempts leave over."""

AGAIN = 30
"""Positions' worth of time that a further attempt takes to begin."""

CLEARING = 0.002
"""Positions' worth of time that the room for a position of the budget takes to be cleared."""

BUDGETS = tuple(int(round(60 * 1.25**i, -1)) for i in range(28))
"""What the budgets of the other attempts are chosen from."""

LEVELS = {HASTY: "HASTY", BRISK: "BRISK", CAREFUL: "CAREFUL"}

QUICK = 4
"""Number of quick attempts."""

Boards = npt.NDArray[np.uint8]


class Tries(NamedTuple):
    """What one attempt at each of some deals came to.

    Attributes
    ----------
    expanded : (n,) int64
        Positions expanded.
    decided : (n,) bool
    """

    expanded: npt.NDArray[np.int64]
    decided: npt.NDArray[np.bool_]


@kernel
def search_all(boards, rules, searcher, tries):  # type: ignore[no-untyped-def]
    """Make an attempt at each deal."""
    for deal in range(len(boards)):
        answer, expanded, _ = search(boards[deal], rules, searcher)
        tries.expanded[deal] = expanded
        tries.decided[deal] = answer != OUT


def tried(
    boards: Boards, weights: Weights, haste: int, budget: int, rules: Rules = FREECELL, desk: Desk | None = None
) -> Tries:
    """Make an attempt at each deal; `desk` is room for it, where it is made again and again."""
    tries = Tries(np.zeros(len(boards), np.int64), np.zeros(len(boards), np.bool_))
    search_all(boards, rules, Searcher(desk or desk_for(haste, budget, rules), weights, haste, budget), tries)
    return tries


def cost_of(tries: Tries, budget: int) -> float:
    """Positions that a deal costs on average, with the penalty where it stays undecided."""
    return float((tries.expanded + np.where(tries.decided, 0, budget * PENALTY)).mean())


def desk_for(haste: int, budget: int, rules: Rules = FREECELL) -> Desk:
    """Room for the searches of an attempt."""
    return new_desk(budget, rules.in_suit, haste)


def left_over(boards: Boards, done: Sequence[tuple[Stage, Weights]], rules: Rules = FREECELL) -> Boards:
    """The deals that attempts with these evaluations leave undecided."""
    for stage, weights in done:
        boards = boards[~tried(boards, weights, stage.haste, stage.budget, rules).decided]
    return boards


def tuned(
    start: Weights, boards: Boards, stage: Stage, generations: int, seed: int, rules: Rules = FREECELL
) -> Weights:
    """Tune the weights of one evaluation by CMA-ES over some deals.

    Parameters
    ----------
    start : Weights
    boards : (n, 52) uint8
        Taken a batch a generation, from the front again when they are used up.
    stage : Stage
    generations : int
    seed : int
    rules : Rules
    """
    import cma  # imported late: it takes a second to load

    origin = np.array(start, float)
    scale = np.maximum(np.abs(origin), SMALL)
    strategy = cma.CMAEvolutionStrategy(
        np.zeros(len(origin)), STEP, {"seed": seed, "popsize": POPULATION, "verbose": -9}
    )
    desk = desk_for(stage.haste, stage.budget, rules)

    def weights_at(point: Any) -> Weights:
        return Weights(*(round(points) for points in origin + point * scale))

    def cost_at(point: Any, batch: Boards) -> float:
        return cost_of(tried(batch, weights_at(point), stage.haste, stage.budget, rules, desk), stage.budget)

    for generation in range(generations):
        first = generation * stage.batch % max(1, len(boards) - stage.batch + 1)
        batch = boards[first : first + stage.batch]
        points = strategy.ask()
        costs = [cost_at(point, batch) for point in points]
        strategy.tell(points, costs)
        if generation % 10 == 9:
            print(f"  generation {generation + 1} of {generations}: {np.mean(costs):.1f} a deal", file=sys.stderr)
    return weights_at(strategy.result.xfavorite)


def cost_of_series(tries: Sequence[Tries], budgets: Sequence[int]) -> float:
    """Positions a deal that a series of attempts costs, given what each comes to by itself with the longest budget."""
    deals = len(tries[0].expanded)
    left = np.arange(deals)
    cost = 0.0
    for place, (attempt, budget) in enumerate(zip(tries, budgets, strict=True)):
        expanded, decided = attempt.expanded[left], attempt.decided[left]
        begun = (AGAIN if place else 0) + CLEARING * budget
        cost += np.minimum(expanded, budget).sum() + begun * len(left)
        left = left[~decided | (expanded > budget)]
    return float((cost + UNDECIDED * len(left)) / deals)


def best_budgets(tries: Sequence[Tries]) -> tuple[float, list[int]]:
    """The budgets that a series of attempts costs least with, found one after another until none gets better.

    Each is larger than the one before, as a configuration wants it.
    """
    budgets = [*BUDGETS[6::5][: len(tries) - 1], LONGEST]
    least, before = cost_of_series(tries, budgets), np.inf
    while least < before:
        before = least
        for place in range(len(tries) - 1):
            earlier, later = budgets[:place], budgets[place + 1 :]
            between = [budget for budget in BUDGETS if max([0, *earlier]) < budget < later[0]]
            others = [[*earlier, budget, *later] for budget in between]
            costs = [cost_of_series(tries, each) for each in others]
            if min(costs) < least:
                least, budgets = min(costs), others[int(np.argmin(costs))]
    return least, budgets


def best_series(tries: Mapping[Attempt, Tries]) -> tuple[float, list[Attempt], list[int]]:
    """The order of quick attempts that costs least; the last one is careful, so that it can be exhausted."""
    orders = [order for order in permutations(tries, QUICK) if order[-1].haste == CAREFUL]
    found = [(*best_budgets([tries[attempt] for attempt in order]), order) for order in orders]
    cost, budgets, order = min(found)
    return cost, list(order), budgets


class Tuned(NamedTuple):
    """The outcome of `tune`: evaluations, order and budgets of the quick attempts, and positions a deal by them."""

    evaluations: list[Weights]
    cost: float
    series: list[Attempt]
    budgets: list[int]

    @property
    def status(self) -> int:
        """Always 0."""
        return 0

    def lines(self) -> Iterator[str]:
        """The weights as they stand in the sources, then the series and its budgets."""
        for name in Weights._fields:
            yield f'    "{name}": ({", ".join(str(getattr(weights, name)) for weights in self.evaluations)}),'
        yield f"series: {', '.join(f'Attempt({each.evaluation}, {LEVELS[each.haste]})' for each in self.series)}"
        yield f"quick = {self.budgets}: {self.cost:.1f} positions a deal"

    def as_json(self) -> dict[str, Any]:
        """The same by names."""
        return {
            "evaluations": [weights._asdict() for weights in self.evaluations],
            "series": [{"evaluation": each.evaluation, "haste": LEVELS[each.haste]} for each in self.series],
            "quick": self.budgets,
            "positions_per_deal": self.cost,
        }


def tune(first: int, last: int, check: tuple[int, int], generations: int, seed: int, rules: Rules = FREECELL) -> Tuned:
    """Tune everything on a range of deals, and report it on another one.

    Parameters
    ----------
    first, last : int
        Deals to tune on.
    check : (int, int)
        Deals that the order of attempts and the budgets are chosen on, and everything is reported on.
    generations : int
        For each evaluation; with 0, evaluations and order stay as the kernels have them.
    seed : int
    rules : Rules

    Raises
    ------
    UsageError
        If the attempts leave no deals over for the later ones.
    """
    checked = deal_block(check[0], check[1] - check[0] + 1)
    if not generations:
        return budgets_alone(checked, rules)
    boards = deal_block(first, last - first + 1)
    done: list[tuple[Stage, Weights]] = []
    start = START
    for stage in STAGES:
        mine, others = left_over(boards, done, rules), left_over(checked, done, rules)
        if not len(mine) or not len(others):
            raise UsageError("the earlier attempts leave no deals over in these ranges: take larger ones")
        print(f"evaluation {len(done) + 1}: {len(mine):,} deals", file=sys.stderr)
        weights = tuned(start, mine, stage, generations, seed, rules)
        for said, each in (("before", start), ("after", weights)):
            cost = cost_of(tried(others, each, stage.haste, stage.budget, rules), stage.budget)
            print(f"  {said}: {cost:.1f} a deal on {len(others):,} others", file=sys.stderr)
        done.append((stage, weights))
        start = weights
    weights_found = [weights for _, weights in done]
    return Tuned(weights_found, *chosen(checked, weights_found, rules))


def budgets_alone(boards: Boards, rules: Rules) -> Tuned:
    """The budgets that the kernels' own quick attempts cost least with."""
    series = list(SERIES[:QUICK])
    cost, budgets = best_budgets(
        [tried(boards, EVALUATIONS[each.evaluation], each.haste, LONGEST, rules) for each in series]
    )
    return Tuned(list(EVALUATIONS), cost, series, budgets)


def chosen(
    boards: Boards, evaluations: Sequence[Weights], rules: Rules = FREECELL
) -> tuple[float, list[Attempt], list[int]]:
    """Order and budgets of the attempts for these evaluations."""
    return best_series(
        {
            Attempt(index, haste): tried(boards, weights, haste, LONGEST, rules)
            for haste in (HASTY, BRISK, CAREFUL)
            for index, weights in enumerate(evaluations)
        }
    )
