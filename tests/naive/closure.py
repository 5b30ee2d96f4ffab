"""The plain exhaustion: a set, and a list of what is still to be looked at."""

from typing import NamedTuple

from tests.naive.rules import children, first_position, is_won, settled


class Closure(NamedTuple):
    """Whether everything was found, whether a position is won, how many there are, and the most cards home."""

    ended: bool
    won: bool
    positions: int
    most_home: int


def exhaust(board, rules, budget, autoplay=False):
    """All positions reachable from a deal; stops at a won one, or with more than `budget`."""
    return exhaust_from(first_position(board), rules, budget, autoplay)


def exhaust_from(position, rules, budget, autoplay=False):
    """The same from any position."""

    def arrived(position):
        return settled(position, rules) if autoplay else position

    first = arrived(position)
    if is_won(first):
        return Closure(False, True, 0, 52)
    found, waiting = {first}, [first]
    while waiting and len(found) <= budget:
        new = {arrived(child) for child in children(waiting.pop(), rules)} - found
        if any(is_won(position) for position in new):
            return Closure(False, True, len(found), 52)
        found |= new
        waiting += new
    return Closure(not waiting, False, len(found), max(sum(position.home) for position in found))
