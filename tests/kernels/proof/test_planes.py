"""Bit planes, against positions as plain tuples."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.dealing import LAST_DEAL, deal_one
from kernels.proof.planes import facts_of
from kernels.rules import Rules
from tests.naive.planes import position_from
from tests.naive.rules import first_position

rules_drawn = st.builds(Rules, st.integers(0, 8), st.booleans())


def test_the_first_position_of_a_deal():
    board = deal_one(617)
    _, planes = facts_of(board, 4, False)
    assert position_from(planes, board, Rules(4, False)) == first_position(board)


@settings(deadline=None)
@given(deal=st.integers(1, LAST_DEAL), rules=rules_drawn)
def test_no_card_has_two_codes_for_one_place(deal, rules):
    board = deal_one(deal)
    facts, planes = facts_of(board, rules.cells, rules.in_suit)
    for index, card in enumerate(board.tolist()):
        code = sum((int(plane) >> card & 1) << bit for bit, plane in enumerate(planes))
        fits = index >= 8 and int(facts.accepts[card]) >> int(board[index - 8]) & 1
        assert code == 2 if index < 8 else code in (4, 5) if fits else code == 3
