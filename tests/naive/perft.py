"""Counts positions and moves by depth, breadth first, and prints them for tests/data/perft.

python -m tests.naive.perft DEAL DEPTH
"""

import sys

from kernels.rules import FREECELL
from tests.naive.dealing import deal_one
from tests.naive.rules import children, first_position


def perft(board, rules, depth):
    """For each depth from 0: the positions reached there first, and the moves out of them."""
    return perft_from(first_position(board), rules, depth)


def perft_from(first, rules, depth):
    """The same from any position."""
    counts = []
    level, seen = {first}, {first}
    for _ in range(depth + 1):
        reached = [children(position, rules) for position in level]
        counts.append((len(level), sum(map(len, reached))))
        level = set().union(*reached) - seen
        seen |= level
    return counts


def main():
    deal, depth = map(int, sys.argv[1:])
    print(f"# deal {deal}, four cells: depth, positions first reached there, moves out of them")
    print("# columns and cells in any order, single-card moves, one move for all that lead to equal positions")
    print(f"# python -m tests.naive.perft {deal} {depth}")
    for row, counts in enumerate(perft(deal_one(deal), FREECELL, depth)):
        print(row, *counts)


if __name__ == "__main__":
    main()
