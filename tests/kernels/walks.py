"""Random games played on a plain table and on column words at once."""

import random

import numpy as np

from kernels.rules import rules_of
from kernels.search.haste import CAREFUL
from kernels.search.position import WORDS
from kernels.search.search import new_desk
from tests.kernels import probes
from tests.naive.dealing import deal_one
from tests.naive.moves import autoplay, legal_moves, make, move_of_byte
from tests.naive.position import lay_out

GAMES = [rules_of("freecell", cells) for cells in (0, 2, 4, 8)] + [rules_of("bakers", cells) for cells in (2, 4)]
DESKS = {in_suit: new_desk(1, in_suit, CAREFUL) for in_suit in (False, True)}


class Game:
    """One deal in both forms.

    Attributes
    ----------
    table : Table
        Plain columns and cells.
    position : (16,) uint64
        The same as the search keeps it.
    """

    def __init__(self, number, rules):
        self.rules = rules
        self.board = np.array(deal_one(number), np.uint8)
        self.desk = DESKS[rules.in_suit]
        self.table = lay_out(self.board, rules)
        self.position = np.zeros(WORDS, np.uint64)
        probes.begin(self.board, self.desk.accepts, self.desk.prefixes, self.position)

    def make(self, move):
        make(self.table, move)
        probes.take(self.position, word_of(move), self.desk.prefixes.under)

    def settle(self):
        """Play home what is safe."""
        autoplay(self.table, self.rules)
        probes.settle(self.position, self.desk.prefixes.under, self.rules.in_suit)


def word_of(move):
    """A plain move as the kernels' word."""
    head, source, target = move
    return np.uint64(head << 8 | source << 4 | target)


def move_of(word):
    """The other way round."""
    return int(word) >> 8, int(word) >> 4 & 15, int(word) & 15


def wander(number, rules, steps):
    """The states of a game of random legal moves, after each move; the deal comes first.

    Long runs and cards for the foundation are favoured, so that deep games come about. Every other game is played
    home after each move, as the search does it.
    """
    choose = random.Random(number)
    game = Game(number, rules)
    yield game
    for _ in range(steps):
        moves = legal_moves(game.table, rules)
        if not moves:
            return
        kept = [move for move in moves if move[2] == 9] or [move for move in moves if move[2] < 8]
        game.make(choose.choice(kept if kept and choose.random() < 0.7 else moves))
        if number % 2:
            game.settle()
        yield game


def follow(number, rules, solution):
    """The states of a game on its way home by single-card moves; the deal comes first."""
    game = Game(number, rules)
    yield game
    for byte in solution:
        game.make(move_of_byte(game.table, byte))
        yield game
