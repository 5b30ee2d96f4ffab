"""The moves of a hasty search against the plain twin."""

import pytest

from kernels.haste import NO_MOVE
from tests.kernels import probes
from tests.kernels.walks import GAMES, move_of, wander
from tests.naive import haste


@pytest.mark.parametrize("rules", GAMES)
def test_the_move_that_is_made_at_once(rules):
    found = set()
    for number in range(1, 21):
        for game in wander(number, rules, 50):
            expected = haste.hasty_move(game.table, rules)
            word = probes.hasty(game.position, game.desk.notes.accepts, rules.cells, rules.in_suit)
            assert (None if word == NO_MOVE else move_of(word)) == expected
            found.add(None if expected is None else expected[1] == 8)
    assert found == ({None, False, True} if rules.cells else {None, False})
