"""The plain exhaustion: a set, and a list of what is still to be looked at."""

from kernels.proof.closure import Closure
from tests.naive.rules import children, first_position, is_won, settled


def exhaust(board, rules, budget, autoplay=False):
    """All positions reachable from a deal; stops at a won one, or with more than `budget`."""

    def arrived(position):
        return settled(position, rules) if autoplay else position

    first = arrived(first_position(board))
    found, waiting = {first}, [first]
    while waiting and len(found) <= budget:
        new = {arrived(child) for child in children(waiting.pop(), rules)} - found
        if any(is_won(position) for position in new):
            return Closure(False, True, len(found), 52)
        found |= new
        waiting += new
    return Closure(not waiting, False, len(found), max(sum(position.home) for position in found))
