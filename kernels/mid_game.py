"""From a position in mid-game to its verdict.

The search starts from fresh deals only. The exhaustion starts from anywhere, and begins depth first: so it meets a won
position early where there are many. It tries suit after suit in their order, so where one walk finds nothing, others
under other names of the suits may: the game is the same, and so are the moves.

Where all of these are cut off, the large exhaustion still finds a won position, or proves that there is none.
"""

from typing import NamedTuple

import numpy as np

from kernels.cards import CARDS
from kernels.contradiction import Contradiction
from kernels.decide import Limits
from kernels.layout import Layout, renamed
from kernels.proof.closure import exhaust_from
from kernels.referee import replay_from
from kernels.rules import Rules
from kernels.verdicts import SOLVED, UNDECIDED, UNSOLVABLE

NAMES = [(0, 1, 2, 3), (3, 1, 2, 0), (0, 2, 1, 3), (3, 2, 1, 0), (1, 0, 3, 2), (2, 0, 3, 1), (1, 3, 0, 2), (2, 3, 0, 1)]
"""Suits by suit: all ways to name them that keep apart what is red from what is black."""


A_TRY = 1_000_000
"""Positions with safe autoplay that each of the first walks may have."""


class Verdict(NamedTuple):
    """What a position came to.

    Attributes
    ----------
    code : int
        SOLVED, UNSOLVABLE or UNDECIDED.
    positions : int
        Positions found by all walks.
    closure, closure_safe : int
        Both counts of an unsolvable position; 0 where an exhaustion didn't end.
    moves : bytes
        The solution, a byte a single-card move.
    """

    code: int
    positions: int
    closure: int = 0
    closure_safe: int = 0
    moves: bytes = b""


def decide_layout(layout: Layout, rules: Rules, limits: Limits) -> Verdict:
    """Decide a position, by exhaustions alone.

    Parameters
    ----------
    layout : Layout
    rules : Rules
    limits : Limits
        Positions that an exhaustion may have, with safe autoplay and without.

    Raises
    ------
    Contradiction
        If the referee refuses the moves to a won position.
    """
    if sum(layout.home) == CARDS:
        return Verdict(SOLVED, 1)
    positions = 0
    for suits in NAMES:
        short = Limits(*(min(A_TRY, limit) for limit in limits))
        walk = exhaust_from(renamed(layout, suits), rules, *short)
        positions += walk.positions
        if walk.won:
            return _solved(layout, rules, walk.path, positions)
        if walk.ended:
            return Verdict(UNSOLVABLE, positions, walk.positions, walk.safe_positions)
        if walk.safe_ended:
            break
    walk = exhaust_from(layout, rules, *limits)
    positions += walk.positions
    if walk.won:
        return _solved(layout, rules, walk.path, positions)
    if walk.ended or walk.safe_ended:
        return Verdict(UNSOLVABLE, positions, walk.positions if walk.ended else 0, walk.safe_positions)
    return Verdict(UNDECIDED, positions)


def _solved(layout: Layout, rules: Rules, path: bytes, positions: int) -> Verdict:
    if refused := replay_from(layout, rules, np.frombuffer(path, np.uint8)):
        raise Contradiction(f"the exhaustion won in {len(path)} moves, but the referee refuses move {refused}")
    return Verdict(SOLVED, positions, moves=path)
