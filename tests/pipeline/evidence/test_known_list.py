"""Lists of known deals: form, and what they cover."""

import gzip
from pathlib import Path

import pytest

from pipeline.config import Game
from pipeline.errors import UsageError
from pipeline.evidence.known_list import load
from pipeline.proofs.deal_list import deals_named
from tests.conftest import ROOT


def test_list_of_the_repository() -> None:
    known = load(ROOT / "results/known/unsolvable-10m.txt")
    assert known.ranges == [(1, 10_000_000)]
    assert len(known.deals) == 130
    assert known.named
    assert known.is_about(Game())
    million = [11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948]
    assert sorted(deal for deal in known.deals if deal <= 1_000_000) == million


def test_overlap(tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    path.write_text("# a list\n# range 10 20\n# range 1 5\n\n4\n12\n")
    known = load(path)
    assert known.overlap(3, 15) == [(3, 5), (10, 15)]
    assert known.overlap(6, 9) == []
    assert known.covers(20)
    assert not known.covers(9)


def test_as_other_systems_write_it(tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    path.write_bytes(b"\xef\xbb\xbf# range 1 5\r\n4\r\n")
    assert load(path)[:2] == ([(1, 5)], frozenset({4}))


WRITTEN = "# range 1 9\n#range 20 29\n#a comment\n4 # hard\n25\n"


@pytest.mark.parametrize(
    "content",
    [WRITTEN.encode(), WRITTEN.encode("utf-16"), gzip.compress(WRITTEN.encode(), mtime=0), WRITTEN.encode("utf-8-sig")],
)
def test_as_people_have_them(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "known"
    path.write_bytes(content)
    assert load(path)[:2] == ([(1, 9), (20, 29)], frozenset({4, 25}))
    assert deals_named([str(path)]) == [4, 25]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# range 1 9\n4\nx7\n", "line 3: 'x7' is no deal number"),
        ("# range 1 2000\n1_000\n", "line 2: '1_000' is no deal number"),
        ("# range 9 1\n", "line 1: '9:1' is no range of deals: the first is larger"),
        ("# range -5 9\n", "line 1: '-5' is no deal number"),
        ("# range 1 8589934592\n", "line 1: '8589934592' is no deal number"),
        ("# range 1 9\n# range 20 30 of another list\n", "line 2"),
        ("# range 1 9\n4 5\n", "line 2: '4 5' is neither"),
        ("# range 1 b\n", "line 1"),
        ("4\n", "does not say what it covers"),
        ("# range 1 9\n10\n", "10 lies outside the ranges"),
        ("# range 1 9\n# game bridge\n", "'bridge'"),
        ("# range 1 9\n# cells 9\n", "9 cells"),
        ("# range 1 9\n# cells 3\n# cells 4\n", "line 3: cells 4, after cells 3"),
    ],
)
def test_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "known.txt"
    path.write_text(text)
    with pytest.raises(UsageError) as refused:
        load(path)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("lines", "rules", "named"),
    [
        ("", Game("freecell", 4), False),
        ("# cells 3\n", Game("freecell", 3), True),
        ("#game bakers\n# a game of cells\n# cells are few\n", Game("bakers", 4), True),
        ("# game freecell\n# cells 0\n", Game("freecell", 0), True),
    ],
)
def test_which_game_it_is_about(tmp_path: Path, lines: str, rules: Game, named: bool) -> None:
    path = tmp_path / "known.txt"
    path.write_text(f"{lines}# range 1 9\n4\n")
    known = load(path)
    assert (known.rules, known.named) == (rules, named)
    assert known.is_about(rules)
    assert not known.is_about(Game("freecell", 8))


def test_list_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't read the known list"):
        load(tmp_path / "none.txt")


def test_many_ranges(tmp_path: Path) -> None:
    path, last = tmp_path / "known.txt", 3 * 60_000
    path.write_text("".join(f"# range {deal} {deal + 1}\n{deal}\n" for deal in range(1, last, 3)))
    known = load(path)
    assert (len(known.ranges), len(known.deals)) == (60_000, 60_000)
    assert known.covers(last - 2)
    assert not known.covers(last)
