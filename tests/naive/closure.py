"""The plain exhaustion: a set and a list of what is still to be looked at."""

from kernels.closure import Closure
from tests.naive.rules import children, first_position, is_won, settled


def exhaust(board, rules, autoplay=False):
    """All positions reachable from a deal; stops at a won one."""
    return exhaust_from(first_position(board), rules, autoplay)


def exhaust_from(first, rules, autoplay=False):
    """All positions reachable from a position. Every stage of autoplay is looked at for a won position alone."""

    def arrived(position):
        return settled(position, rules) if autoplay else position

    first = arrived(first)
    found, waiting = {first}, [first]
    while waiting:
        new = {arrived(child) for child in children(waiting.pop(), rules)} - found
        if any(is_won(position) for position in new):
            return Closure(False, True, len(found), 52)
        found |= new
        waiting += new
    return Closure(True, False, len(found), max(sum(position.home) for position in found))
