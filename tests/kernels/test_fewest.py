"""The fewest cells, against every number of cells tried by itself."""

import numpy as np
import pytest

from kernels.dealing import deal_one
from kernels.decide import Limits, Pass, decide_in_passes, passes
from kernels.fewest import decide_fewest
from kernels.referee import replay_block
from kernels.rules import rules_of
from kernels.verdicts import SOLVED, UNDECIDED, UNSOLVABLE, Rows

FULL = ((90, 120, 700, 3_000), (20_000,), Limits(1_000_000, 1_000_000))
SHORT = ((5, 6, 7, 8), (), Limits(100, 100))
DEALS = (617, 4, 11_979, 11_980, 11_982, 11_984)


def steps(
    most: int, quick: tuple[int, ...], deep: tuple[int, ...], limits: Limits, game: str = "freecell"
) -> list[list[Pass]]:
    return [passes(rules_of(game, cells), quick, deep, limits) for cells in range(most + 1)]


def one_by_one(deal: int, tries: list[list[Pass]]) -> list[Rows]:
    return [decide_in_passes(deal_one(deal), each, deal) for each in tries]


@pytest.mark.parametrize("deal", DEALS)
def test_one_win_and_one_proof_say_what_all_numbers_say(deal: int) -> None:
    tries = steps(5, *FULL)
    each = one_by_one(deal, tries)
    fewest = next(cells for cells, rows in enumerate(each) if rows.verdicts[0] == SOLVED)
    rows = decide_fewest(deal_one(deal), tries, deal)
    assert (rows.verdicts[0], rows.cells[0]) == (SOLVED, fewest)
    assert np.array_equal(rows.solutions, each[fewest].solutions)
    assert replay_block(deal_one(deal)[None], rules_of("freecell", fewest), rows.moves, rows.solutions).tolist() == [0]
    proof = each[fewest - 1] if fewest else None
    assert (rows.closures[0], rows.safe_closures[0]) == (
        (proof.closures[0], proof.safe_closures[0]) if proof else (0, 0)
    )


@pytest.mark.parametrize("deal", [1_000_001, 1_000_002, 1_000_003])
def test_bakers_game(deal: int) -> None:
    tries = steps(6, *FULL, game="bakers")
    rows = decide_fewest(deal_one(deal), tries, deal)
    needed = int(rows.cells[0])
    assert rows.verdicts[0] == SOLVED
    assert decide_in_passes(deal_one(deal), tries[needed], deal).verdicts[0] == SOLVED
    assert decide_in_passes(deal_one(deal), tries[needed - 1], deal).verdicts[0] == UNSOLVABLE


def test_impossible_with_the_most_cells_that_are_allowed() -> None:
    rows = decide_fewest(deal_one(11_982), steps(4, *FULL), 11_982)
    assert (rows.verdicts[0], rows.cells[0], rows.moves[0]) == (UNSOLVABLE, 0, 0)
    assert (rows.closures[0], rows.safe_closures[0]) == (83_239, 61_643)


def test_budgets_that_are_too_small() -> None:
    rows = decide_fewest(deal_one(11_982), steps(5, *SHORT), 11_982)
    assert (rows.verdicts[0], rows.cells[0], rows.moves[0]) == (UNDECIDED, 0, 0)
    assert (rows.closures[0], rows.safe_closures[0], len(rows.solutions)) == (0, 0, 0)
    assert rows.attempts[0] == 4


def test_positions_are_those_of_every_number_that_was_tried() -> None:
    tries = steps(5, *FULL)
    each = one_by_one(11_980, tries)
    rows = decide_fewest(deal_one(11_980), tries, 11_980)
    assert rows.cells[0] == 3
    assert rows.positions[0] == each[2].positions[0] + each[3].positions[0]
