"""What a search in haste does at once, against the plain twin."""

import pytest

from kernels.rules import FREECELL
from kernels.search.haste import BRISK, CAREFUL, HASTY, NO_MOVE
from tests.kernels import probes
from tests.kernels.walks import GAMES, move_of, wander
from tests.naive import haste as naive


@pytest.mark.parametrize("haste", [BRISK, HASTY])
@pytest.mark.parametrize("rules", GAMES)
def test_the_move_that_is_made_at_once(rules, haste):
    found = set()
    for number in range(1, 21):
        for game in wander(number, rules, 50):
            expected = naive.move_at_once(game.table, rules, haste == HASTY)
            word = probes.at_once(game.position, game.desk.accepts, rules, haste)
            assert (None if word == NO_MOVE else move_of(word)) == expected
            found.add(None if expected is None else expected[1] == 8)
    assert found == {None, *([False] if haste == HASTY else []), *([True] if rules.cells else [])}


def test_a_careful_search_makes_no_move_at_once():
    for game in wander(1, FREECELL, 50):
        word = probes.at_once(game.position, game.desk.accepts, FREECELL, CAREFUL)
        assert word == NO_MOVE
