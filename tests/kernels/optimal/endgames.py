"""Endgames: few cards, laid out at random, and the bound on the moves that they take."""

import random
from functools import cache

import numpy as np

from kernels.jit import kernel
from kernels.layout import Layout
from kernels.optimal.bound import cards_in_the_way, dealt, new_sight
from kernels.proof.planes import facts_from
from kernels.rules import Rules
from tests.naive.optimal import distances
from tests.naive.rules import position_of

SEEDS = range(12)

SEEDS = range(12)


def endgame(seed, cards, columns):
    """A layout of the last so many cards in so many columns."""
    choose = random.Random(seed)
    home = [13] * 4
    for _ in range(cards):
        home[choose.choice([suit for suit in range(4) if home[suit]])] -= 1
    left = [card for card in range(52) if card // 4 >= home[card % 4]]
    choose.shuffle(left)
    laid = [tuple(left[column::columns]) if column < columns else () for column in range(8)]
    return Layout(tuple(laid), (), tuple(home))


@cache
def small(seed):
    """An endgame with few positions, as a layout and plain, its rules, and the distances of its positions."""
    rules = Rules(seed % 2, seed % 4 == 3)
    layout = endgame(seed, 6, 1 + seed % 3)
    first = plain(layout)
    return layout, first, rules, distances(first, rules)


def plain(layout):
    """A layout as a plain position."""
    return position_of(layout.columns, layout.in_cells, layout.home)


def layout_from(position):
    """A plain position as a layout."""
    columns = (*position.columns, *[()] * (8 - len(position.columns)))
    return Layout(columns, position.cells, position.home)


@kernel
def counted(planes, least, deal, sight):
    return cards_in_the_way(planes[0], planes[1], planes[2], least, deal, sight)


def in_the_way(layout, rules, least=0):
    """What the kernel counts."""
    facts, planes = facts_from(layout, rules.cells, rules.in_suit)
    return int(counted(planes, np.uint64(least), dealt(layout, facts.accepts), new_sight()))


def bound(position, rules):
    """The least number of moves to the won position, as the search has it."""
    return 52 - sum(position.home) + in_the_way(layout_from(position), rules)
