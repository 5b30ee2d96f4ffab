"""Turns: how a range is cut, what times come to, and what is decided in them."""

import numpy as np
import pytest

from pipeline.shards import Task
from pipeline.speed import freecell_solver, rates
from pipeline.speed.one_process import undecided
from pipeline.speed.rates import Deep, Ratio, Turn, pieces, speed_over, summary
from pipeline.store.rows import SOLVED, UNDECIDED, Rows


@pytest.mark.parametrize(
    ("first", "last", "least", "count"),
    [
        (1, 32_000, 5, 5),
        (1, 32_000, 1, 4),
        (5_000_000, 5_100_000, 5, 11),
        (7, 7, 5, 1),
        (7, 9, 2, 2),
        (1, 10_000, 1, 1),
    ],
)
def test_pieces_are_the_range(first: int, last: int, least: int, count: int) -> None:
    tasks = pieces(first, last, least)
    assert len(tasks) == count
    assert [deal for task in tasks for deal in range(task.first, task.first + task.count)] == [*range(first, last + 1)]
    sizes = [task.count for task in tasks]
    assert max(sizes) <= rates.TURN
    assert max(sizes) - min(sizes) <= 1


def test_summary_of_given_times() -> None:
    turns = [Turn(10, 900, [], 1.0, 6.0), Turn(10, 900, [15], 1.5, 6.0), Turn(20, 1_800, [25, 26], 0.5, 8.0)]
    speed = summary(1, 40, turns, Deep(400, 2.0))
    assert (speed.first, speed.last, speed.turns, speed.deals, speed.positions) == (1, 40, 3, 40, 4_000)
    assert speed.deals_per_second == 8.0
    assert speed.rival_deals_per_second == 2.0
    assert speed.ratio == Ratio(4.0, 3.0, 16 / 3)  # 6 / (1 + 0.5), 6 / (1.5 + 0.5), 8 / (0.5 + 1)
    assert speed.deep_share == 0.4
    assert speed.positions_per_deal == 100.0
    assert speed.nanoseconds_per_position == pytest.approx(1.25e6)


@pytest.mark.parametrize("theirs", [[None, None], [6.0, None]])
def test_without_the_rival_there_is_no_ratio(theirs: list[float | None]) -> None:
    speed = summary(1, 20, [Turn(10, 1_000, [], 1.0, seconds) for seconds in theirs], Deep(0, 0.0))
    assert speed.rival_deals_per_second is None
    assert speed.ratio is None
    assert speed.deals_per_second == 10.0


def test_us_and_the_rival_by_turns_over_the_same_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int]] = []

    def ours(task: Task) -> Rows:
        seen.append(("ours", task.first, task.first + task.count - 1))
        return rows_with(task.count, [])

    def theirs(first: int, last: int) -> float:
        seen.append(("rival", first, last))
        return 1.0

    monkeypatch.setattr(rates, "quick_pass", ours)
    monkeypatch.setattr(freecell_solver, "seconds", theirs)
    monkeypatch.setattr(rates, "timed", lambda work: (work(), 0.5))
    speed_over(11, 15, 2, with_rival=True)
    assert seen == [("ours", 11, 12), ("rival", 11, 12), ("ours", 13, 15), ("rival", 13, 15)]


def test_what_the_quick_pass_leaves_over_is_decided_and_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    decided: list[int] = []

    def deep(deal: int) -> Rows:
        decided.append(deal)
        return rows_with(1, [])._replace(positions=np.array([5_000], np.uint32))

    monkeypatch.setattr(rates, "quick_pass", lambda task: rows_with(task.count, [1, 3]))
    monkeypatch.setattr(rates, "deep_pass", deep)
    monkeypatch.setattr(rates, "timed", lambda work: (work(), 0.5))
    speed = speed_over(100, 107, 2, with_rival=False)
    assert decided == [101, 101, 103, 105, 107]  # the first one makes room
    assert speed.positions == 8 * 50 + 4 * 5_000
    assert speed.deals_per_second == 8 / 1.5
    assert speed.deep_share == pytest.approx(1 / 3)


def test_nothing_left_over_makes_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "deep_pass", None)
    assert rates.deep_timed([])[0] == []


def test_every_deal_left_over_is_named() -> None:
    assert undecided(Task(2**32, 3), rows_with(3, [0, 2])) == [2**32, 2**32 + 2]


def rows_with(count: int, left_over: list[int]) -> Rows:
    """Rows of solved deals, 50 positions each, but for those left over."""
    verdicts = np.full(count, SOLVED, np.uint8)
    verdicts[left_over] = UNDECIDED
    zeros = np.zeros(count, np.uint64)
    return Rows(
        verdicts,
        np.full(count, 50, np.uint32),
        zeros.astype(np.uint16),
        zeros.astype(np.uint8),
        zeros,
        zeros,
        np.empty(0, np.uint8),
    )
