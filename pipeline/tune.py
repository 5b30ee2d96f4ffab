"""Finds the weights of the evaluation: a coordinate search over a stated range of deals, the same for the same seed.

The cost of a set of weights is what the deals take on average: the positions expanded, and for each deal that is not
decided within the budget a penalty, which stands for the later attempt.
"""

import random
import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from kernels.evaluation import Weights
from kernels.jit import kernel
from kernels.moves import accepting
from kernels.search import OUT, new_desk, search

Boards = npt.NDArray[np.uint8]
Cost = Callable[[Weights], float]


@kernel
def total_cost(boards, desk, weights, budget, penalty):  # type: ignore[no-untyped-def]
    """Positions expanded for a block of deals, and the penalty for each that isn't decided."""
    cost = 0
    for board in boards:
        answer, expanded, _ = search(board, desk, weights, 4, False, budget)
        cost += expanded
        if answer == OUT:
            cost += penalty
    return cost


def cost_of(boards: Boards, budget: int, penalty: int) -> Cost:
    """The cost a deal of a set of weights, over some deals."""
    desk = new_desk(budget, accepting(False))
    return lambda weights: float(total_cost(boards, desk, weights, budget, penalty)) / len(boards)


def tuned(start: Weights, cost: Cost, trials: int, seed: int) -> Weights:
    """Improve weights: one to three of them are changed at a time, and what lowers the cost is kept.

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
    names = list(start._fields)
    for trial in range(1, trials + 1):
        changed = best
        for name in draw.sample(names, draw.choice((1, 1, 1, 2, 3))):
            points = getattr(best, name)
            changed = changed._replace(**{name: round(points + draw.gauss(0, max(abs(points) / 4, 12)))})
        if changed != best and (found := cost(changed)) < least:
            best, least = changed, found
        if trial % 50 == 0:
            print(f"{trial} of {trials}: {least:.2f} a deal: {best}", file=sys.stderr, flush=True)
    return best
