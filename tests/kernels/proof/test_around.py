"""The positions around one, along random walks, against positions as plain tuples."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.dealing import LAST_DEAL, deal_one
from kernels.jit import kernel
from kernels.proof.around import CARD_BITS, CHILD_WORDS, MOST_CHILDREN, look_around
from kernels.proof.planes import facts_of
from kernels.rules import Rules
from tests.naive.planes import position_from
from tests.naive.rules import children, first_position, settled

rules_drawn = st.builds(Rules, st.integers(0, 8), st.booleans())
STEPS = 40


@kernel
def look(planes, facts, autoplay, last, around):
    return look_around(planes[0], planes[1], planes[2], facts, autoplay, last, around)


def planes_around(planes, facts, autoplay=False, last=0):
    """The positions around one, each as three planes, how many layers lower it lies, and the move;
    whether it is settled."""
    around = np.zeros((MOST_CHILDREN, CHILD_WORDS), np.uint64)
    count, is_settled = look(planes, facts, autoplay, np.uint64(last), around)
    return around[: int(count)], is_settled


def layer(planes):
    """Joints left, less cards home."""
    a, b, c = map(int, planes)
    return (a & b).bit_count() - (52 - (a | b | c).bit_count())


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


def moved(row):
    """The card that a move moved."""
    return int(row[4] & CARD_BITS)


def check_what_is_left_out(before, facts, autoplay):
    """Each position that the last move makes superfluous is found in another way, as `around` says; how many are."""
    nearby, is_settled = planes_around(before, facts, autoplay)
    known = {tuple(row[:3]): row for row in nearby}
    left_out = 0
    for row in nearby:
        planes = row[:3].copy()
        everything, _ = planes_around(planes, facts, autoplay)
        kept, _ = planes_around(planes, facts, autoplay, last=row[4])
        assert {tuple(other[:3]) for other in kept} <= {tuple(other[:3]) for other in everything}
        missing = [other for other in everything if tuple(other[:3]) not in {tuple(some[:3]) for some in kept}]
        left_out += len(missing)
        for other in missing:
            position = tuple(other[:3])
            if moved(other) == moved(row):
                assert position == tuple(before) or moved(known[position]) == moved(row)
            else:
                assert is_settled
                assert moved(other) < moved(row)
                sooner = [step for step in nearby if moved(step) == moved(other)]
                after = [planes_around(step[:3].copy(), facts, autoplay) for step in sooner]
                assert any(
                    tuple(some[:3]) == position and moved(some) == moved(row) and step_settled
                    for found, step_settled in after
                    for some in found
                )
    return left_out


@settings(deadline=None, max_examples=15)
@given(
    deal=st.integers(1, LAST_DEAL), rules=rules_drawn, autoplay=st.booleans(), choices=st.randoms(use_true_random=False)
)
def test_what_is_left_out_is_found_in_another_way(deal, rules, autoplay, choices):
    facts, planes = facts_of(deal_one(deal), rules.cells, rules.in_suit)
    for _ in range(STEPS):
        check_what_is_left_out(planes, facts, autoplay)
        around, _ = planes_around(planes, facts)
        if not len(around):
            break
        planes = around[choices.randrange(len(around))][:3].copy()


def test_much_is_left_out():
    facts, planes = facts_of(deal_one(1), 4, False)
    assert check_what_is_left_out(planes, facts, False) > len(planes_around(planes, facts)[0])
