"""The search against plain moves and plain exhaustion, and on deals that are known for something."""

import random

import pytest

from kernels.dealing import deal_block, deal_one
from kernels.rules import FREECELL, rules_of
from kernels.search.candidates import MOST_CANDIDATES
from kernels.search.evaluation import EVALUATIONS, Weights
from kernels.search.haste import BRISK, CAREFUL, HASTY, NO_MOVE
from kernels.search.keys import FIRST_SLOTS, SLOTS
from kernels.search.position import GAP_WORD, ORIGIN_WORD
from kernels.search.search import (
    CHILDREN_A_POSITION,
    EXHAUSTED,
    MOST_BUDGET,
    OUT,
    WON,
    Searcher,
    desk_bytes,
    new_desk,
    positions_for,
    search,
)
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
DESKS = {rules: new_desk(ROOM, rules.in_suit, HASTY) for rules in BOTH}
HASTES = [CAREFUL, BRISK, HASTY]


def searched(board, rules, budget=ROOM, evaluation=0, desk=None, haste=CAREFUL):
    """Answer, positions expanded, number of the won position."""
    desk = desk or DESKS[rules._replace(cells=4)]
    return search(board, rules, Searcher(desk, EVALUATIONS[evaluation], haste, budget))


@pytest.mark.parametrize("rules", GAMES)
def test_the_candidates_leave_out_no_move_and_invents_none(rules):
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
    """The moves that `find_candidates` finds; what each is estimated to change stands beside them."""
    probes.weigh(game.board, game.desk, weights)
    count = probes.moves(game.position, game.desk, weights, game.rules)
    return game.desk.candidates.moves[: int(count)]


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
            for word, estimate in zip(words_of(game, weights), game.desk.candidates.estimates, strict=False):
                assert estimate == estimate_of(game.table, move_of(word), rules, weights)


@pytest.mark.parametrize("rules", GAMES)
def test_the_limit_leaves_out_what_changes_more_and_nothing_else(rules):
    for game in wander(3, rules, 50):
        words = words_of(game, EVALUATIONS[0]).tolist()
        estimates = game.desk.candidates.estimates[: len(words)].tolist()
        limit = sorted([0, *estimates])[len(estimates) // 2]
        count = probes.moves(game.position, game.desk, EVALUATIONS[0], rules, limit)
        kept = [word for word, estimate in zip(words, estimates, strict=True) if estimate <= limit]
        assert game.desk.candidates.moves[: int(count)].tolist() == kept


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


@pytest.mark.parametrize("haste", HASTES)
@pytest.mark.parametrize("evaluation", [0, 1, 2])
def test_counts_depend_on_nothing_that_went_before(evaluation, haste):
    boards = deal_block(1, 3)
    desk = new_desk(2_000, False, haste)
    alone = [searched(b, FREECELL, 2_000, evaluation, new_desk(2_000, False, haste), haste) for b in boards]
    order = [0, 1, 0, 2, 2, 1, 0]
    for index in order:
        assert searched(boards[index], FREECELL, 2_000, evaluation, desk, haste) == alone[index]


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


@pytest.mark.parametrize("haste", [BRISK, HASTY])
@pytest.mark.parametrize("cells", [0, 1, 2, 4])
def test_a_search_in_haste_is_never_exhausted(cells, haste):
    """Not even where nothing is left: it leaves out moves."""
    rules = rules_of("freecell", cells)
    answers = set()
    for board in deal_block(57, 30):
        answer, expanded, last = searched(board, rules, 2_000, haste=haste)
        answers.add(answer)
        assert expanded <= 2_000
        assert (last > 0) == (answer == WON)
    assert answers <= {WON, OUT}


@pytest.mark.parametrize("haste", [BRISK, HASTY])
def test_a_search_in_haste_with_nothing_left_is_out_before_its_budget(haste):
    rules = rules_of("freecell", 0)
    found = [searched(board, rules, 20_000, haste=haste) for board in deal_block(57, 30)]
    assert any(answer == OUT and expanded < 100 for answer, expanded, _ in found)


def test_the_more_haste_the_fewer_positions():
    boards = deal_block(1, 100)
    careful, brisk, hasty = (
        sum(searched(board, FREECELL, 2_000, haste=haste)[1] for board in boards) for haste in HASTES
    )
    assert hasty < brisk < careful


@pytest.mark.parametrize("budget", [0, 1, 2, 3, 7])
def test_the_room_for_a_search_in_haste_ends_it(budget):
    """It has room for as many positions on the way as it may expand: some deals need more before their first."""
    desk = new_desk(budget, False, HASTY)
    found = [searched(board, FREECELL, budget, desk=desk, haste=HASTY) for board in deal_block(1, 50)]
    assert all(answer == OUT and expanded <= budget for answer, expanded, _ in found)
    assert any(expanded < budget for _, expanded, _ in found) == (budget > 0)


@pytest.mark.parametrize("rules", BOTH)
@pytest.mark.parametrize("haste", HASTES)
def test_moves_made_at_once_follow_each_other_and_cost_nothing(rules, haste):
    chains = 0
    desk = DESKS[rules]
    for board in deal_block(1, 20):
        _, _, number = searched(board, rules, 2_000, haste=haste)  # 0 where it isn't won
        assert not number or not is_forced(desk, number, rules, haste)
        while number > 0:
            child = int(desk.positions[number, ORIGIN_WORD])
            parent = child >> 32
            if is_forced(desk, parent, rules, haste):
                assert parent == number - 1
                assert desk.positions[number, GAP_WORD] == desk.positions[parent, GAP_WORD]
                chains += 1
            number = parent
    assert (chains > 0) == (haste != CAREFUL)


def is_forced(desk, number, rules, haste):
    """Whether haste makes a move at once from one of the positions of a search."""
    move = probes.at_once(desk.positions[number], desk.accepts, rules, haste)
    return move != NO_MOVE


@pytest.mark.parametrize("haste", HASTES)
def test_only_haste_looks_at_the_limit(haste):
    nothing = EVALUATIONS[0]._replace(limit=-(10**9))
    for board in deal_block(1, 20):
        found = searched(board, FREECELL, 2_000, haste=haste)
        limited = search(board, FREECELL, Searcher(DESKS[FREECELL], nothing, haste, 2_000))
        assert limited == found if haste == CAREFUL else limited[:2] == (OUT, 1)


@pytest.mark.parametrize("number", [1941, 98714, 495340, 875865])
@pytest.mark.parametrize("evaluation", [0, 1, 2])
def test_deals_that_others_got_wrong(number, evaluation):
    assert searched(deal_one(number), FREECELL, evaluation=evaluation)[0] == WON


def test_the_hardest_of_them():
    """The fast presets of Freecell Solver call it unsolvable."""
    assert searched(deal_one(739671), FREECELL, evaluation=1)[0] == WON


@pytest.mark.parametrize("evaluation", [0, 1, 2])
def test_the_one_deal_that_is_lost(evaluation):
    """The count is published, for the same safe autoplay."""
    assert searched(deal_one(11982), FREECELL, evaluation=evaluation) == (EXHAUSTED, 61_643, 0)


def test_the_lost_deal_is_won_with_five_cells_and_in_suit():
    assert searched(deal_one(11982), rules_of("freecell", 5))[0] == WON
    assert searched(deal_one(11982), rules_of("bakers", 4))[0] == WON


@pytest.mark.parametrize("haste", HASTES)
def test_the_size_of_a_desk_is_known_beforehand(haste):
    desk = new_desk(1_000, False, haste)
    large = [desk.queue.links, desk.queue.children, desk.positions, desk.keys.slots]
    assert desk_bytes(1_000, haste) == sum(array.nbytes for array in large)


@pytest.mark.parametrize("budget", [-1, MOST_BUDGET + 1, 2**32])
def test_no_search_takes_more_positions_than_its_queue_can_number(budget):
    with pytest.raises(ValueError, match=f"{budget} positions.* to {MOST_BUDGET}"):
        new_desk(budget, False, CAREFUL)


def test_children_and_positions_are_numbered_in_32_bits_whatever_the_budget():
    assert MOST_BUDGET * CHILDREN_A_POSITION + MOST_CANDIDATES + 1 <= 2**32
    assert positions_for(MOST_BUDGET, HASTY) <= 2**32


@pytest.mark.parametrize("gap", [-65, -1_000, -5_000])
def test_no_gap_weight_makes_a_search_lose_children(gap):
    """A child estimated below its best sibling would wait in a bucket that nobody looks into any more."""
    weights = EVALUATIONS[0]._replace(gap=gap)
    for board in deal_block(1, 12):
        answer, expanded, _ = search(board, FREECELL, Searcher(DESKS[FREECELL], weights, CAREFUL, 5_000))
        assert answer == WON or (answer, expanded) == (OUT, 5_000)


def test_a_search_clears_no_more_of_a_large_desk_than_it_used():
    desk = new_desk(3_000_000, False, CAREFUL)
    answer, expanded, _ = searched(deal_one(1), FREECELL, 3_000_000, 1, desk)
    assert answer == WON
    assert desk.keys.state[SLOTS] <= max(FIRST_SLOTS, 4 * expanded)


@pytest.mark.long
def test_a_search_that_has_to_go_far_does_not_dive():
    """94717719 has two million positions. With a last bucket for all that is far, its solution had 110,028 moves."""
    desk = new_desk(30_000_000, False, CAREFUL)
    answer, expanded, last = searched(deal_one(94717719), FREECELL, 30_000_000, 2, desk)
    assert (answer, expanded) == (WON, 28_888_452)
    steps = 0
    while last:
        last, steps = int(desk.positions[last, ORIGIN_WORD]) >> 32, steps + 1
    assert steps == 95
