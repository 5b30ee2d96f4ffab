"""Bit planes along random walks, against positions as plain tuples."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.dealing import LAST_DEAL, deal_one
from kernels.jit import kernel
from kernels.proof.planes import CHILD_WORDS, MOST_CHILDREN, facts_of, look_around
from kernels.rules import Rules
from tests.naive.planes import position_from
from tests.naive.rules import children, first_position, settled

rules_drawn = st.builds(Rules, st.integers(0, 8), st.booleans())
STEPS = 40


@kernel
def look(planes, facts, autoplay, kept, around):
    return look_around(planes[0], planes[1], planes[2], facts, autoplay, kept, around)


def planes_around(planes, facts, autoplay=False, kept=0):
    """The positions around one, each as three planes, how many layers lower it lies, and the card that was moved;
    whether it is settled."""
    around = np.zeros((MOST_CHILDREN, CHILD_WORDS), np.uint64)
    count, is_settled = look(planes, facts, autoplay, np.uint64(kept), around)
    return around[: int(count)], is_settled


def layer(planes):
    """Joints left, less cards home."""
    a, b, c = map(int, planes)
    return (a & b).bit_count() - (52 - (a | b | c).bit_count())


def test_the_first_position_of_a_deal():
    board = deal_one(617)
    _, planes = facts_of(board, 4, False)
    assert position_from(planes, board, Rules(4, False)) == first_position(board)


@settings(deadline=None, max_examples=30)
@given(deal=st.integers(1, LAST_DEAL), rules=rules_drawn, choices=st.randoms(use_true_random=False))
def test_random_walks(deal, rules, choices):
    board = deal_one(deal)
    facts, planes = facts_of(board, rules.cells, rules.in_suit)
    position = first_position(board)
    for _ in range(STEPS):
        around, is_settled = planes_around(planes, facts)
        results = [position_from(row[:3], board, rules) for row in around]
        expected = children(position, rules)
        assert is_settled
        assert len(results) == len(expected)
        assert set(results) == expected
        for row in around:
            assert layer(planes) - layer(row[:3]) == row[3]
        safe, is_settled = planes_around(planes, facts, autoplay=True)
        assert is_settled == (settled(position, rules) == position)
        if not is_settled:
            assert len(safe) == 1
            assert settled(position_from(safe[0][:3], board, rules), rules) == settled(position, rules)
        if not results:
            break
        choice = choices.randrange(len(results))
        position, planes = results[choice], around[choice][:3].copy()


@settings(deadline=None)
@given(deal=st.integers(1, LAST_DEAL), rules=rules_drawn)
def test_no_card_has_two_codes_for_one_place(deal, rules):
    board = deal_one(deal)
    facts, planes = facts_of(board, rules.cells, rules.in_suit)
    for index, card in enumerate(board.tolist()):
        code = sum((int(plane) >> card & 1) << bit for bit, plane in enumerate(planes))
        fits = index >= 8 and int(facts.accepts[card]) >> int(board[index - 8]) & 1
        assert code == 2 if index < 8 else code in (4, 5) if fits else code == 3


@settings(deadline=None, max_examples=30)
@given(deal=st.integers(1, LAST_DEAL), rules=rules_drawn, choices=st.randoms(use_true_random=False))
def test_a_card_that_moves_twice_in_a_row_leads_nowhere_new(deal, rules, choices):
    facts, planes = facts_of(deal_one(deal), rules.cells, rules.in_suit)
    for _ in range(STEPS):
        around, _ = planes_around(planes, facts)
        known = {tuple(row[:3]) for row in around} | {tuple(planes)}
        for row in around:
            there, moved = row[:3].copy(), row[4]
            assert moved == np.bitwise_or.reduce(planes ^ there)
            all_moves, _ = planes_around(there, facts)
            kept, _ = planes_around(there, facts, kept=moved)
            left_out = {tuple(row) for row in all_moves} - {tuple(row) for row in kept}
            assert {row[4] for row in left_out} <= {moved}
            assert {row[:3] for row in left_out} <= known
        if not len(around):
            break
        planes = around[choices.randrange(len(around))][:3].copy()
