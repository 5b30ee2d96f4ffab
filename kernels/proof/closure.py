"""The exhaustion that alone says "unsolvable": every position that single-card moves reach from a deal, counted.

Positions are exact (`planes`) and nothing is pruned. There are two counts, and so two grades of proof. The plain one
counts all positions. The one with safe autoplay sends home first what no solution needs elsewhere; that no solution is
lost by it is a theorem (Blake and Gent, Journal of Artificial Intelligence Research 85:21, 2026, Theorem 1 and
Corollary 3). Both come from one walk. Hard deals have a plain count many times larger than the other one.

A walk begins depth first, in one table (`depth_first`). What is too large for that goes layer by layer (`layers`).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kernels.layout import Layout, layout_of
from kernels.proof.depth_first import Stopped, walk_through
from kernels.proof.layers import Layered, Layers, Standing, first_waiting, never, walk_down
from kernels.proof.path import moves_along, shortest_way
from kernels.proof.planes import facts_from
from kernels.proof.shelf import chunks_for, new_shelf
from kernels.proof.way import Keep, in_memory, way_through_layers
from kernels.rules import Rules

__all__ = ["Closure", "Stopped", "bytes_needed", "exhaust", "exhaust_from", "exhaust_on", "path_through_layers"]

DEPTH_FIRST = 3_000_000
"""Positions that are walked through depth first: 200 MB at most."""

A_PLAIN_POSITION, A_SAFE_POSITION = 40, 20
"""Bytes that a position of the budgets may take in a large walk. The most seen are 18 for a plain one, of 2150424561;
before records had their last moves, 28 for it, and 15 for one with safe autoplay alone, of 24795893."""

A_SMALL_POSITION, A_SMALL_WALK = 72, 12_000_000
"""Bytes that a position takes in a small walk, in its table and others half as large, and that there are in any case,
where the system gives memory by the large page."""


class Closure(NamedTuple):
    """What an exhaustion came to.

    Attributes
    ----------
    ended : bool
        Whether the plain exhaustion ended: nothing was left, no position was won.
    positions : int
        Its positions, the first one included; what it came to where it didn't end.
    safe_ended : bool
        Whether the exhaustion with safe autoplay ended.
    safe_positions : int
        Its positions.
    most_home : int
        The greatest number of cards that were home at once.
    won : bool
        Whether a won position was met.
    path : bytes
        The moves to it, a byte each as `playout` writes them; empty where none was met.
    """

    ended: bool
    positions: int
    safe_ended: bool
    safe_positions: int
    most_home: int
    won: bool
    path: bytes = b""


def unheard(layered: Layered) -> None:
    """Nobody listens."""


def exhaust(
    board: np.ndarray,
    rules: Rules,
    plain: int,
    safe: int | None = None,
    threads: int = 1,
    asked_to_stop: Callable[[], bool] = never,
    tell: Callable[[Layered], None] = unheard,
) -> Closure:
    """Count the positions that can be reached from a deal, (52,) uint8 cards in dealing order; see `exhaust_from`."""
    return exhaust_from(layout_of(board), rules, plain, safe, threads, asked_to_stop, tell)


def exhaust_from(
    layout: Layout,
    rules: Rules,
    plain: int,
    safe: int | None = None,
    threads: int = 1,
    asked_to_stop: Callable[[], bool] = never,
    tell: Callable[[Layered], None] = unheard,
) -> Closure:
    """Count the positions that can be reached from a layout.

    Parameters
    ----------
    layout : Layout
        Not all of its cards are home.
    rules : Rules
    plain : int
        Positions that the plain exhaustion may have; 0 leaves it out.
    safe : int, optional
        Positions that the one with safe autoplay may have; `plain` where left out. The walk stops once there are
        more, whatever `plain` is: so a try may be kept short. Where it is at least `plain`, it never stops a plain
        exhaustion that `plain` allows: the count with autoplay is never the larger one.
    threads : int
        Threads that share a large walk. The answer is the same for any number.
    asked_to_stop : callable
        Asked several times a second.
    tell : callable
        Called after each layer of a large walk.

    Returns
    -------
    Closure
        Where no won position can be reached, `safe_ended` exactly if the count with safe autoplay isn't larger than
        `safe`, and `ended` exactly if, besides, the plain count isn't larger than `plain`. Where one can be reached,
        neither.

    Raises
    ------
    Stopped
        If `asked_to_stop` said so.
    MemoryError
        If the positions of a large walk don't fit into memory.
    """
    safe = plain if safe is None else safe
    facts, planes = facts_from(layout, rules.cells, rules.in_suit)
    walk = walk_through(facts, planes, plain, safe, DEPTH_FIRST, asked_to_stop)
    if walk.won:
        path = moves_along(shortest_way(walk.positions, facts), layout, rules, facts.accepts)
        return Closure(False, walk.found, False, walk.settled, walk.most_home, True, path)
    settled_all = walk.safe_ended or walk.settled > safe
    if walk.plain_ended or (settled_all and (walk.found > plain or not walk.safe_ended)):
        return Closure(walk.plain_ended, walk.found, walk.safe_ended, walk.settled, walk.most_home, False)
    layers = Layers(facts, Standing(), first_waiting(planes), new_shelf(chunks_for(max(plain, safe))), threads)
    closure = exhaust_on(layers, plain, safe, asked_to_stop, tell)
    if closure.won:
        again = Layers(facts, Standing(), first_waiting(planes), new_shelf(chunks_for(safe)), threads)
        path = path_through_layers(again, layout, rules, in_memory, asked_to_stop)
        closure = closure._replace(path=path)
    return closure


def path_through_layers(
    layers: Layers, layout: Layout, rules: Rules, keep: Keep, asked_to_stop: Callable[[], bool]
) -> bytes:
    """The moves from a layout to a won position that a walk through layers met; the rest as for `way_through_layers`.

    Parameters
    ----------
    layers : Layers
        The same walk, not begun.
    layout : Layout
    rules : Rules
    keep, asked_to_stop : callable
    """
    facts, planes = facts_from(layout, rules.cells, rules.in_suit)
    return moves_along(way_through_layers(layers, facts, planes, keep, asked_to_stop), layout, rules, facts.accepts)


def exhaust_on(
    layers: Layers,
    plain: int,
    safe: int,
    asked_to_stop: Callable[[], bool],
    tell: Callable[[Layered], None],
    asked_to_pause: Callable[[], bool] = never,
) -> Closure:
    """Go on with a walk through layers from where it stands; the rest is as in `exhaust`, but there is no path.

    `tell` is called in the middle of a layer, too, when `asked_to_pause` says so.
    """
    for layered in walk_down(layers, plain, safe, asked_to_stop, asked_to_pause):
        tell(layered)
    return Closure(
        layered.plain_ended,
        layered.found,
        layered.safe_ended,
        layered.settled,
        layered.most_home,
        layered.won,
    )


def bytes_needed(plain: int, safe: int | None = None) -> int:
    """Most memory that an exhaustion with these budgets comes to hold, in bytes."""
    safe = plain if safe is None else safe
    large = max(max(0, plain - DEPTH_FIRST) * A_PLAIN_POSITION, max(0, safe - DEPTH_FIRST) * A_SAFE_POSITION)
    return A_SMALL_WALK + min(max(plain, safe), DEPTH_FIRST) * A_SMALL_POSITION + large
