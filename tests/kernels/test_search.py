"""The search against plain moves and plain exhaustion, and on deals that are known for something."""

import random

import pytest

from kernels.dealing import deal_block, deal_one
from kernels.evaluation import EVALUATIONS, Weights
from kernels.moves import accepting
from kernels.rules import FREECELL, rules_of
from kernels.search import EXHAUSTED, OUT, WON, desk_bytes, new_desk, search
from tests.kernels import probes
from tests.kernels.walks import GAMES, move_of, wander
from tests.naive import closure
from tests.naive import search as naive
from tests.naive.evaluation import estimate_of
from tests.naive.moves import is_legal
from tests.naive.position import unordered, unordered_of
from tests.naive.rules import children

BOTH = [FREECELL, rules_of("bakers", 4)]
ROOM = 100_000
DESKS = {rules: new_desk(ROOM, accepting(rules.in_suit), True) for rules in BOTH}


def searched(board, rules, budget=ROOM, evaluation=0, desk=None, hasty=False):
    """Answer, positions expanded, number of the won position."""
    desk = desk or DESKS[rules._replace(cells=4)]
    return search(board, desk, EVALUATIONS[evaluation], rules.cells, rules.in_suit, hasty, budget)


@pytest.mark.parametrize("rules", GAMES)
def test_expand_leaves_out_no_move_and_invents_none(rules):
    for number in range(1, 11):
        for game in wander(number, rules, 50):
            words = words_of(game, EVALUATIONS[0])
            assert all(is_legal(game.table, move_of(word), rules) for word in words)
            assert sorted(map(move_of, words)) == sorted(naive.expand(game.table, rules))
            results = {reached(game, word) for word in words}
            assert results >= children(unordered(game.table), rules)
            assert len(results) == len(words)
            assert unordered(game.table) not in results


def words_of(game, weights):
    """The moves that `expand` finds; what each is estimated to change stands beside them."""
    probes.weigh(game.board, game.desk, weights)
    count = probes.moves(game.position, game.desk, weights, game.rules.cells, game.rules.in_suit)
    return game.desk.notes.moves[: int(count)]


def reached(game, word):
    """The position that a move leads to."""
    position = game.position.copy()
    probes.take(position, word, game.desk.prefixes.under)
    return unordered_of(position, game.board)


@pytest.mark.parametrize("rules", GAMES)
def test_what_each_move_is_estimated_to_change(rules):
    choose = random.Random(rules.cells)
    for number in range(1, 11):
        weights = Weights(*(choose.randint(0, 1000) for _ in Weights._fields))
        for game in wander(number, rules, 50):
            for word, estimate in zip(words_of(game, weights), game.desk.notes.estimates, strict=False):
                assert estimate == estimate_of(game.table, move_of(word), rules, weights)


@pytest.mark.parametrize("game", ["freecell", "bakers"])
@pytest.mark.parametrize("cells", [0, 1, 2])
def test_an_exhausted_search_has_expanded_all_there_is(game, cells):
    rules = rules_of(game, cells)
    found = [(board, *searched(board, rules, 200)) for board in deal_block(57, 16)]
    small = [(board, expanded) for board, answer, expanded, _ in found if answer == EXHAUSTED]
    assert small
    for board, expanded in small:
        assert naive.exhaust(board, rules) == expanded
        assert closure.exhaust(board, rules, 20_000).ended


@pytest.mark.parametrize("hasty", [False, True])
@pytest.mark.parametrize("evaluation", [0, 1, 2])
def test_counts_depend_on_nothing_that_went_before(evaluation, hasty):
    boards = deal_block(1, 3)
    desk = new_desk(2_000, accepting(False), hasty)
    alone = [searched(b, FREECELL, 2_000, evaluation, new_desk(2_000, accepting(False), hasty), hasty) for b in boards]
    order = [0, 1, 0, 2, 2, 1, 0]
    for index in order:
        assert searched(boards[index], FREECELL, 2_000, evaluation, desk, hasty) == alone[index]


def test_a_larger_budget_never_changes_what_was_decided():
    rules = rules_of("freecell", 2)
    budgets = [1, 10, 50, 200, 1_000, 5_000, 20_000]
    for board in deal_block(101, 20):
        decided = [found for found in (searched(board, rules, budget) for budget in budgets) if found[0] != OUT]
        assert len(set(decided)) <= 1


@pytest.mark.parametrize("budget", [1, 7, 100])
def test_a_budget_is_kept_to(budget):
    for board in deal_block(1, 20):
        answer, expanded, _ = searched(board, rules_of("freecell", 1), budget)
        assert expanded == budget if answer == OUT else expanded <= budget


@pytest.mark.parametrize("cells", [0, 1, 2, 4])
def test_a_hasty_search_is_never_exhausted(cells):
    """Not even where nothing is left: it leaves out moves."""
    rules = rules_of("freecell", cells)
    answers = set()
    for board in deal_block(57, 30):
        answer, expanded, last = searched(board, rules, 2_000, hasty=True)
        answers.add(answer)
        assert expanded <= 2_000
        assert (last > 0) == (answer == WON)
    assert answers <= {WON, OUT}


def test_a_hasty_search_without_hasty_moves_left_is_out_before_its_budget():
    rules = rules_of("freecell", 0)
    found = [searched(board, rules, 20_000, hasty=True) for board in deal_block(57, 30)]
    assert any(answer == OUT and expanded < 100 for answer, expanded, _ in found)


def test_a_hasty_search_expands_fewer_positions():
    boards = deal_block(1, 100)
    hasty, careful = (
        sum(searched(board, FREECELL, 2_000, hasty=hasty)[1] for board in boards) for hasty in (True, False)
    )
    assert hasty < careful


def test_the_room_for_a_hasty_search_ends_it():
    """It has room for as many positions with a hasty move as it may expand."""
    desk = new_desk(1, accepting(False), True)
    for board in deal_block(1, 50):
        answer, expanded, last = searched(board, FREECELL, 1, desk=desk, hasty=True)
        assert answer in (WON, OUT)
        assert expanded <= 1
        assert last < len(desk.positions)


@pytest.mark.parametrize("number", [1941, 98714, 495340, 875865])
@pytest.mark.parametrize("evaluation", [0, 1, 2])
def test_deals_that_others_got_wrong(number, evaluation):
    assert searched(deal_one(number), FREECELL, evaluation=evaluation)[0] == WON


def test_the_hardest_of_them():
    """The fast presets of Freecell Solver call it unsolvable."""
    desk = new_desk(200_000, accepting(False), False)
    assert searched(deal_one(739671), FREECELL, 200_000, 2, desk)[0] == WON


@pytest.mark.parametrize("evaluation", [0, 1, 2])
def test_the_one_deal_that_is_lost(evaluation):
    """The count is published, for the same safe autoplay."""
    assert searched(deal_one(11982), FREECELL, evaluation=evaluation) == (EXHAUSTED, 61_643, 0)


def test_the_lost_deal_is_won_with_five_cells_and_in_suit():
    assert searched(deal_one(11982), rules_of("freecell", 5))[0] == WON
    assert searched(deal_one(11982), rules_of("bakers", 4))[0] == WON


@pytest.mark.parametrize("hasty", [False, True])
def test_the_size_of_a_desk_is_known_beforehand(hasty):
    desk = new_desk(1_000, accepting(False), hasty)
    large = [desk.queue.links, desk.queue.children, desk.positions, desk.origins, desk.gaps, desk.keys]
    assert desk_bytes(1_000, hasty) == sum(array.nbytes for array in large)
