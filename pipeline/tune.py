"""The command `tune`: the evaluations, the order of the attempts and their budgets, from nothing but deals.

Three evaluations are tuned one after another by CMA-ES (covariance matrix adaptation), each on the deals that those
before it leave over. Then all orders of attempts are tried, with the budgets that suit each best. All of it is the
same for the same range and seed, and is reported on another range.
"""

import json
import sys
from collections.abc import Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.attempts import Attempt
from kernels.dealing import deal_block
from kernels.evaluation import Weights
from kernels.jit import kernel
from kernels.moves import accepting
from kernels.rules import FREECELL
from kernels.search import OUT, Desk, new_desk, search
from pipeline.errors import UsageError

START = Weights(
    home=100, joint=500, first_joint=200, king_joint=50, sorted_joint=-50, on_ace=0, on_two=0, on_three=0, on_four=0,
    any_below=50, dig=150, cell_1=700, cell_2=800, cell_3=900, cell_4=1200, empty_1=700, empty_more=1000, low_base=30,
    depth=250, uncovers_fitting=200, uncovers_run=400, uncovers_next=400, gap=200,
)  # fmt: skip
"""What the first evaluation starts from: orders of magnitude, rounded from an earlier tuning over some of the same
deals. Each further one starts from the one before it."""


class Stage(NamedTuple):
    """How one evaluation is tuned.

    Attributes
    ----------
    hasty : bool
        Whether its attempt is.
    budget : int
        Positions that its attempt expands at most.
    """

    hasty: bool
    budget: int


STAGES = (Stage(True, 150), Stage(False, 320), Stage(False, 1_000))

BATCH = 2_500
"""Deals that a generation is tried on; the next generation gets others, so that nothing is learned by heart."""

PENALTY = 2.5
"""What an undecided deal costs, in budgets of the attempt that left it over."""

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

BUDGETS = tuple(int(round(60 * 1.25**i, -1)) for i in range(26))
"""What the budgets of the other attempts are chosen from."""

QUICK = 4
"""Number of quick attempts."""

Boards = npt.NDArray[np.uint8]
Needs = npt.NDArray[np.int64]


@kernel
def search_all(boards, desk, weights, hasty, budget, needs):  # type: ignore[no-untyped-def]
    """By deal the positions expanded; the budget and one more where that ran out."""
    for deal in range(len(boards)):
        answer, needs[deal], _ = search(boards[deal], desk, weights, FREECELL.cells, FREECELL.in_suit, hasty, budget)
        if answer == OUT:
            needs[deal] = budget + 1


def needs_of(boards: Boards, desk: Desk, weights: Weights, hasty: bool, budget: int) -> Needs:
    """Positions that a search expands for each deal; the budget and one more where it decides nothing."""
    needs = np.zeros(len(boards), np.int64)
    search_all(boards, desk, weights, hasty, budget, needs)
    return needs


def cost_of(needs: Needs, budget: int) -> float:
    """Positions that a deal costs on average, with the penalty where the budget ran out."""
    return float(np.where(needs > budget, budget * (1 + PENALTY), needs).mean())


def desk_for(budget: int, hasty: bool) -> Desk:
    """Room for the searches of an attempt."""
    return new_desk(budget, accepting(FREECELL.in_suit), hasty)


def left_over(boards: Boards, done: Sequence[tuple[Stage, Weights]]) -> Boards:
    """The deals that attempts with these evaluations leave undecided."""
    for stage, weights in done:
        needs = needs_of(boards, desk_for(stage.budget, stage.hasty), weights, stage.hasty, stage.budget)
        boards = boards[needs > stage.budget]
    return boards


def tuned(start: Weights, boards: Boards, stage: Stage, generations: int, seed: int) -> Weights:
    """Weights that cost little over some deals.

    Parameters
    ----------
    start : Weights
    boards : (n, 52) uint8
        Taken a batch a generation, from the front again when they are used up.
    stage : Stage
    generations : int
    seed : int
    """
    import cma  # takes a second to load

    origin = np.array(start, float)
    scale = np.maximum(np.abs(origin), SMALL)
    strategy = cma.CMAEvolutionStrategy(
        np.zeros(len(origin)), STEP, {"seed": seed, "popsize": POPULATION, "verbose": -9}
    )
    desk = desk_for(stage.budget, stage.hasty)

    def weights_at(point: Any) -> Weights:
        return Weights(*(round(points) for points in origin + point * scale))

    def cost_at(point: Any, batch: Boards) -> float:
        return cost_of(needs_of(batch, desk, weights_at(point), stage.hasty, stage.budget), stage.budget)

    for generation in range(generations):
        first = generation * BATCH % max(1, len(boards) - BATCH + 1)
        batch = boards[first : first + BATCH]
        points = strategy.ask()
        costs = [cost_at(point, batch) for point in points]
        strategy.tell(points, costs)
        if generation % 10 == 9:
            print(f"  generation {generation + 1} of {generations}: {np.mean(costs):.1f} a deal", file=sys.stderr)
    return weights_at(strategy.result.xfavorite)


def cost_of_series(needs: Needs, series: Sequence[int], budgets: Sequence[int]) -> float:
    """Positions a deal that a series of attempts costs, given what each attempt needs by itself (rows)."""
    left = np.arange(needs.shape[1])
    cost = 0
    for place, (attempt, budget) in enumerate(zip(series, budgets, strict=True)):
        here = needs[attempt, left]
        cost += int(np.minimum(here, budget).sum()) + (AGAIN * len(left) if place else 0)
        left = left[here > budget]
    return float((cost + UNDECIDED * len(left)) / needs.shape[1])


def best_budgets(needs: Needs, series: Sequence[int]) -> tuple[float, list[int]]:
    """The budgets that a series of attempts costs least with, found one after another until none gets better."""
    budgets = [*[200, 400, 2_000][: len(series) - 1], LONGEST]
    least, before = cost_of_series(needs, series, budgets), np.inf
    while least < before:
        before = least
        for place in range(len(series) - 1):
            tried = [[*budgets[:place], budget, *budgets[place + 1 :]] for budget in BUDGETS]
            costs = [cost_of_series(needs, series, each) for each in tried]
            if min(costs) < least:
                least, budgets = min(costs), tried[int(np.argmin(costs))]
    return least, budgets


def best_series(needs: Needs, kinds: Sequence[Attempt]) -> tuple[float, list[Attempt], list[int]]:
    """The order of quick attempts that costs least; the last one is not hasty, so that it can be exhausted."""
    orders = [order for order in permutations(range(len(kinds)), QUICK) if not kinds[order[-1]].hasty]
    found = [(*best_budgets(needs, order), order) for order in orders]
    cost, budgets, order = min(found)
    return cost, [kinds[index] for index in order], budgets


def tune(first: int, last: int, check: tuple[int, int], generations: int, seed: int, as_json: bool) -> int:
    """Tune everything on a range of deals, and report it on another one.

    Parameters
    ----------
    first, last : int
        Deals to tune on.
    check : (int, int)
        Deals that the order of attempts and the budgets are chosen on, and everything is reported on.
    generations : int
        For each evaluation.
    seed : int
    as_json : bool

    Raises
    ------
    UsageError
        If the attempts leave no deals over for the later ones.
    """
    boards = deal_block(first, last - first + 1)
    checked = deal_block(check[0], check[1] - check[0] + 1)
    done: list[tuple[Stage, Weights]] = []
    start = START
    for stage in STAGES:
        mine, others = left_over(boards, done), left_over(checked, done)
        if not len(mine) or not len(others):
            raise UsageError("the earlier attempts leave no deals over in these ranges: take larger ones")
        print(f"evaluation {len(done) + 1}: {len(mine):,} deals", file=sys.stderr)
        weights = tuned(start, mine, stage, generations, seed)
        desk = desk_for(stage.budget, stage.hasty)
        for said, each in (("before", start), ("after", weights)):
            needs = needs_of(others, desk, each, stage.hasty, stage.budget)
            print(f"  {said}: {cost_of(needs, stage.budget):.1f} a deal on {len(others):,} others", file=sys.stderr)
        done.append((stage, weights))
        start = weights
    weights_found = [weights for _, weights in done]
    cost, series, budgets = chosen(checked, weights_found)
    say(weights_found, cost, series, budgets, as_json)
    return 0


def chosen(boards: Boards, evaluations: Sequence[Weights]) -> tuple[float, list[Attempt], list[int]]:
    """Order and budgets of the attempts for these evaluations."""
    kinds = [Attempt(index, hasty) for hasty in (True, False) for index in range(len(evaluations))]
    needs = np.stack(
        [
            needs_of(boards, desk_for(LONGEST, kind.hasty), evaluations[kind.evaluation], kind.hasty, LONGEST)
            for kind in kinds
        ]
    )
    return best_series(needs, kinds)


def say(
    evaluations: Sequence[Weights], cost: float, series: Sequence[Attempt], budgets: Sequence[int], as_json: bool
) -> None:
    """Print what was found: as JSON, or as it stands in the sources."""
    if as_json:
        found = {"evaluations": [weights._asdict() for weights in evaluations], "series": series, "quick": budgets}
        print(json.dumps({**found, "positions_per_deal": cost}))
        return
    for name in Weights._fields:
        print(f'    "{name}": ({", ".join(str(getattr(weights, name)) for weights in evaluations)}),')
    print(f"series: {', '.join(f'Attempt({each.evaluation}, {each.hasty})' for each in series)}")
    print(f"quick = {list(budgets)}: {cost:.1f} positions a deal")
