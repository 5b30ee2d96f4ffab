"""Kernels through which tests call what is inlined into those of the audit, and positions as the twin has them."""

import numpy as np

from kernels.audit.log import enter
from kernels.audit.position import CHILDREN, IN_CELLS, find_children, new_table, unpack
from kernels.jit import kernel
from tests.naive.rules import position_of


@kernel
def spread(words, deal, table):
    unpack(words[0], words[1], words[2], deal, table)


@kernel
def look_around(words, deal, table, cells):
    find_children(words[0], words[1], words[2], deal, table, cells)


@kernel
def enter_all(log, positions, found):
    """Enter rows of words; the number of positions in the log then."""
    for row in positions:
        if enter(log, np.uint64(found + 1), row[0], row[1], row[2]):
            found += 1
    return found


def children_of(words, deal, cells):
    """Positions one move away in exact form, a row each with the move."""
    table = new_table()
    look_around(words, deal, table, np.uint64(cells))
    return table.children[: int(table.counts[CHILDREN])].copy()


def position_from(words, deal):
    """A position in exact form as the plain twin has it."""
    table = new_table()
    spread(words, deal, table)
    columns = [pile[: int(height)].tolist() for pile, height in zip(table.piles, table.heights, strict=True)]
    in_cells = [card for card in range(52) if int(table.counts[IN_CELLS]) >> card & 1]
    return position_of(columns, in_cells, table.home.tolist())
