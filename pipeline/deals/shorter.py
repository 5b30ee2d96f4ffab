"""A shorter solution than the search's: it looks for a quick one, and nobody would play it."""

import numpy as np

from kernels.contradiction import Contradiction
from kernels.layout import Layout
from kernels.optimal.beam import short_way
from kernels.proof.path import Planes, moves_along
from kernels.referee import replay_from
from kernels.rules import Rules
from kernels.search.moves import accepting

BUDGET = 60_000
"""Positions to find before no further beam is begun: a fifth of a second."""


def shorter(layout: Layout, rules: Rules, solution: bytes, budget: int = BUDGET) -> bytes:
    """The shortest solution that beams find within a budget of positions, or the given one.

    Parameters
    ----------
    layout : Layout
    rules : Rules
    solution : bytes
        A solution, in the bytes of the referee.
    budget : int
        Positions.

    Raises
    ------
    Contradiction
        If the referee refuses what was found.
    """
    if not solution:
        return solution
    way = short_way(layout, rules, len(solution) - 1, budget)
    return moves_on(way, layout, rules) if way else solution


def moves_on(way: list[Planes], layout: Layout, rules: Rules) -> bytes:
    """The moves on a way to the won position, once the referee has replayed them.

    Raises
    ------
    Contradiction
        If it refuses them.
    """
    moves: bytes = moves_along(way, layout, rules, accepting(rules.in_suit))
    if refused := replay_from(layout, rules, np.frombuffer(moves, np.uint8)):
        raise Contradiction(f"a solution of {len(moves)} moves was found, but the referee says {refused}")
    return moves
