"""Each term of the evaluation by itself, and the certain win, against counts on plain columns."""

import random
from copy import deepcopy

import pytest

from kernels.rules import FREECELL
from kernels.search.attempts import WON, decide
from kernels.search.evaluation import MOST_WEIGHT, Weights
from tests.kernels import probes
from tests.kernels.walks import GAMES, Game, follow, wander
from tests.naive.evaluation import clears_up, is_certain_win, terms, value_of

NOTHING = Weights(*[0] * len(Weights._fields))
OF_MOVES = {"uncovers_fitting", "uncovers_run", "uncovers_next", "limit", "gap"}
"""Weights of what a move does, not of a position."""


def value(game, weights):
    probes.weigh(game.board, game.desk, weights)
    return probes.value(game.position, game.desk, weights, game.rules)


def certain(game):
    probes.weigh(game.board, game.desk, NOTHING)
    return bool(probes.certain(game.position, game.desk, NOTHING, game.rules))


def won_games(rules):
    """The ways home that the search finds for the first deals."""
    for number in range(1, 9):
        decisions = decide(Game(number, rules).board[None], rules, [2_000])
        if decisions.answer[0] == WON:
            yield follow(number, rules, decisions.moves)


@pytest.mark.parametrize("rules", GAMES)
def test_each_term(rules):
    for number in range(1, 7):
        for step, game in enumerate(wander(number, rules, 60)):
            if step % 7 == 0:
                counted = terms(game.table, rules)
                found = {term: value(game, NOTHING._replace(**{term: 1})) for term in Weights._fields}
                assert found == {term: counted[term] for term in Weights._fields}


@pytest.mark.parametrize("rules", GAMES)
def test_all_terms_together(rules):
    choose = random.Random(rules.cells)
    for number in range(7, 13):
        weights = Weights(*(choose.randint(0, 1000) for _ in Weights._fields))
        for game in wander(number, rules, 60):
            assert value(game, weights) == value_of(game.table, rules, weights)


@pytest.mark.parametrize("rules", GAMES)
def test_the_largest_weights_of_either_sign(rules):
    choose = random.Random(rules.cells)
    for number in range(13, 17):
        same = Weights(*[choose.choice([-MOST_WEIGHT, MOST_WEIGHT])] * len(Weights._fields))
        mixed = Weights(*(choose.choice([-MOST_WEIGHT, MOST_WEIGHT]) for _ in Weights._fields))
        for game in wander(number, rules, 40):
            assert value(game, same) == value_of(game.table, rules, same)
            assert value(game, mixed) == value_of(game.table, rules, mixed)


@pytest.mark.parametrize("rules", GAMES)
def test_all_terms_on_the_way_home(rules):
    weights = Weights(*random.Random(1).sample(range(1000), len(Weights._fields)))
    for states in won_games(rules):
        for game in states:
            assert value(game, weights) == value_of(game.table, rules, weights)


def test_every_weight_of_a_position_counts_somewhere():
    games = (game for states in won_games(FREECELL) for game in states)
    counted = {term for game in games for term, count in terms(game.table, FREECELL).items() if count}
    assert counted == set(Weights._fields) - OF_MOVES


@pytest.mark.parametrize("rules", GAMES)
def test_a_certain_win_is_one(rules):
    for states in won_games(rules):
        seen = set()
        for game in states:
            sure = certain(game)
            assert sure == is_certain_win(game.table)
            seen.add(sure)
            if sure:
                assert clears_up(deepcopy(game.table), rules)
        assert seen == {False, True}


@pytest.mark.parametrize("rules", GAMES)
def test_what_is_certain_in_random_games(rules):
    for number in range(1, 9):
        for game in wander(number, rules, 60):
            assert certain(game) == is_certain_win(game.table)
