"""The way to a won position: the shortest one through what was found."""

import numpy as np

from kernels.cards import ALL, CARDS
from kernels.dealing import deal_one
from kernels.layout import layout_of
from kernels.proof.closure import never
from kernels.proof.depth_first import walk_through
from kernels.proof.path import moves_along, shortest_way
from kernels.proof.planes import facts_of
from kernels.referee import replay_block
from kernels.rules import FREECELL, Rules
from tests.naive.planes import position_from
from tests.naive.rules import children

NO_CELLS = Rules(0, False)
WON_WITHOUT_CELLS = 3250


def walked(board, rules):
    facts, planes = facts_of(board, rules.cells, rules.in_suit)
    return facts, planes, walk_through(facts, planes, 0, 1_000_000, 1_000_000, never)


def distance(positions, planes, board, rules):
    """Moves from the first position to the won one through the others, by the plain twin."""
    held = {position_from(row, board, rules) for row in positions & ALL}
    won = position_from(np.zeros(3, np.uint64), board, rules)
    layer = reached = {position_from(planes, board, rules)}
    moves = 0
    while won not in layer:
        layer = {child for position in layer for child in children(position, rules)} & (held | {won}) - reached
        reached = reached | layer
        moves += 1
    return moves


def test_the_shortest_of_all_ways_through_what_was_found():
    board = deal_one(WON_WITHOUT_CELLS)
    facts, planes, walk = walked(board, NO_CELLS)
    assert walk.won
    assert len(shortest_way(walk.positions, facts)) - 1 == distance(walk.positions, planes, board, NO_CELLS)


def test_each_position_is_one_move_from_the_one_before():
    board = deal_one(3)
    facts, planes, walk = walked(board, FREECELL)
    way = shortest_way(walk.positions, facts)
    assert (way[0], way[-1]) == (tuple(map(int, planes)), (0, 0, 0))
    assert len(set(way)) == len(way) < 1_000
    moves = np.frombuffer(moves_along(way, layout_of(board), FREECELL, facts.accepts), np.uint8)
    assert replay_block(board[None], FREECELL, np.array([len(moves)], np.uint16), moves).tolist() == [0]


def test_a_deal_that_goes_home_at_once():
    board = np.arange(CARDS - 1, -1, -1, dtype=np.uint8)
    facts, _, walk = walked(board, NO_CELLS)
    assert len(shortest_way(walk.positions, facts)) == CARDS + 1
