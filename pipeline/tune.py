"""The command `tune`: finds the weights of the evaluations by trying changes, the same for the same seed.

Each evaluation is tuned on the deals that the attempts before it leave over. The cost of a set of weights is what the
deals take on average: the positions expanded, and for each deal that isn't decided within the attempt's budget a
penalty, which stands for the later attempts.
"""

import json
import random
import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from kernels.attempts import decide
from kernels.dealing import deal_block
from kernels.evaluation import EVALUATIONS, Weights
from kernels.jit import kernel
from kernels.moves import accepting
from kernels.rules import FREECELL
from kernels.search import OUT, new_desk, search
from pipeline.config import Search
from pipeline.errors import UsageError

PENALTY = 4
"""What an undecided deal costs, in budgets of the attempt that left it over."""

BLOCK = 1_000

Boards = npt.NDArray[np.uint8]
Cost = Callable[[Weights], float]


@kernel
def total_cost(boards, desk, weights, budget, penalty):  # type: ignore[no-untyped-def]
    """Positions expanded for a block of deals, and the penalty for each that isn't decided."""
    cost = 0
    for board in boards:
        answer, expanded, _ = search(board, desk, weights, FREECELL.cells, FREECELL.in_suit, budget)
        cost += expanded
        if answer == OUT:
            cost += penalty
    return cost


def cost_of(boards: Boards, budget: int) -> Cost:
    """The cost a deal of a set of weights, over some deals."""
    desk = new_desk(budget, accepting(FREECELL.in_suit))
    return lambda weights: float(total_cost(boards, desk, weights, budget, PENALTY * budget)) / len(boards)


def changed(weights: Weights, draw: random.Random) -> Weights:
    """The weights with one to three of them changed by about a quarter."""
    for name in draw.sample(weights._fields, draw.choice((1, 1, 1, 2, 3))):
        points = getattr(weights, name)
        weights = weights._replace(**{name: round(points + draw.gauss(0, max(abs(points) / 4, 12)))})
    return weights


def tuned(start: Weights, cost: Cost, trials: int, seed: int) -> Weights:
    """Try changes of the weights one after another, and keep what lowers the cost.

    Parameters
    ----------
    start : Weights
    cost : callable
        What is to be made small.
    trials : int
        Changes to try.
    seed : int
        Of the changes.
    """
    draw = random.Random(seed)
    best, least = start, cost(start)
    for trial in range(1, trials + 1):
        weights = changed(best, draw)
        if (found := cost(weights)) < least:
            best, least = weights, found
        if trial % 50 == 0:
            print(f"{trial} of {trials} changes: {least:.2f} a deal", file=sys.stderr, flush=True)
    return best


def left_over(boards: Boards, budgets: tuple[int, ...]) -> Boards:
    """The deals that the attempts with these budgets leave undecided."""
    if not budgets:
        return boards
    blocks = [boards[i : i + BLOCK] for i in range(0, len(boards), BLOCK)]
    return np.concatenate([block[decide(block, FREECELL, budgets).answer == OUT] for block in blocks])


def tune(attempt: int, first: int, last: int, check: tuple[int, int], trials: int, seed: int, as_json: bool) -> int:
    """Tune the evaluation of an attempt (1, 2 or 3) on a range, and report it on another one.

    The earlier attempts, whose evaluations stay as they are, say which deals of the ranges it is for.
    """
    budgets = Search().quick
    tuned_on, checked_on = (
        left_over(deal_block(low, high - low + 1), budgets[: attempt - 1]) for low, high in ((first, last), check)
    )
    if not len(tuned_on) or not len(checked_on):
        raise UsageError("the earlier attempts leave no deals over in these ranges: take larger ones")
    start = EVALUATIONS[attempt - 1]
    weights = tuned(start, cost_of(tuned_on, budgets[attempt - 1]), trials, seed)
    cost = cost_of(checked_on, budgets[attempt - 1])
    before, after = cost(start), cost(weights)
    if as_json:
        print(json.dumps({"weights": weights._asdict(), "deals": len(tuned_on), "before": before, "after": after}))
        return 0
    print(f"attempt {attempt}, tuned on {len(tuned_on):,} deals of {first}..{last}, seed {seed}:")
    for name, points in weights._asdict().items():
        print(f"  {name:17}{getattr(start, name):6} -> {points:6}")
    print(f"cost on {len(checked_on):,} other deals, of {check[0]}..{check[1]}: {before:.2f} -> {after:.2f}")
    return 0
