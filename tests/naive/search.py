"""What the search reaches in the end: all positions by its moves, each played home as far as is safe."""

from copy import deepcopy

from tests.naive.moves import autoplay, is_worth_a_look, legal_moves, make
from tests.naive.position import lay_out, unordered


def expand(table, rules):
    """The moves that the search looks at."""
    return [move for move in legal_moves(table, rules) if is_worth_a_look(table, move, rules)]


def exhaust(board, rules):
    """Number of positions expanded by a search that nothing is left to; `None` where there is a won one among them."""
    first = lay_out(board, rules)
    autoplay(first, rules)
    found, waiting = {unordered(first)}, [first]
    while waiting:
        table = waiting.pop()
        if sum(table.home) == 52:
            return None
        for move in expand(table, rules):
            child = deepcopy(table)
            make(child, move)
            autoplay(child, rules)
            if unordered(child) not in found:
                found.add(unordered(child))
                waiting.append(child)
    return len(found)
