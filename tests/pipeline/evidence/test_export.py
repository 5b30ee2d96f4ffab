"""Export of deal numbers by verdict, of certificates and of solutions."""

import json
from pathlib import Path

import numpy as np
import pytest

from kernels.contradiction import Contradiction
from kernels.dealing import deal_block, deal_one
from kernels.decide import Pass, decide_boards
from kernels.rules import FREECELL
from pipeline import config as configuration
from pipeline.cli import main
from pipeline.config import Game
from pipeline.deals.boards import parse_board
from pipeline.errors import UsageError
from pipeline.evidence.certificates import certified, rules_in_words
from pipeline.evidence.export import export, export_certificates, export_solutions
from pipeline.shards import Shard
from pipeline.store import parquet
from pipeline.store.rows import Proof
from tests.conftest import Make
from tests.naive import closure as naive
from tests.pipeline import freecell_solver

CONFIG = """\
name = "kept"
[range]
first = 11_981
last = 11_984
[search]
quick = [200, 3_000, 30_000]
deep = [400_000]
[store]
solutions = true
"""

Read = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four deals with their solutions, 11982 among them."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "deals").mkdir()
    (folder / "config.toml").write_text(CONFIG)
    config = configuration.load(folder / "config.toml")
    shard = Shard(config.range.first, config.range.last)
    rows = decide_boards(
        deal_block(shard.first, shard.count), Pass(FREECELL, config.search.budgets, 1, config.search.limits)
    )
    parquet.write(folder, shard, rows, config)
    return folder


def test_export(make: Make, capsys: Read) -> None:
    folder = make({11_982, 12_001}, {11_801})
    assert list(export(folder, "unsolvable").lines()) == ["11982", "12001"]
    assert export(str(folder), "undecided").as_json() == {"verdict": "undecided", "deals": [11801]}
    assert len(list(export(folder, "solved").deals())) == 397
    assert main(["export", str(folder), "--verdict", "unsolvable", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == export(folder, "unsolvable").as_json()
    assert json.loads("".join(export(make(set(), name="none"), "unsolvable").json_pieces()))["deals"] == []


def test_no_verdict(make: Make) -> None:
    with pytest.raises(UsageError, match="won"):
        export(make(), "won")


def test_one_shard_is_read_at_a_time(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    monkeypatch.setattr(
        parquet, "read", lambda folder, shard, whole=parquet.read: read.append(shard) or whole(folder, shard)
    )
    lines = iter(export(make(), "solved").lines())
    assert not read
    next(lines)
    assert len(read) == 1


def test_certificates(kept: Path, capsys: Read) -> None:
    assert main(["export", str(kept), "--verdict", "unsolvable", "--certificates"]) == 0
    rules, certificate = capsys.readouterr().out.split("\n\n", 1)
    assert all(line.startswith("# ") for line in rules.splitlines())
    assert "Eight columns as dealt, 4 cells" in rules
    heading, board = certificate.split("\n", 1)
    assert all(word in heading for word in ("deal 11982", "83239", "61643", "2 cards", "grade: plain"))
    assert parse_board(board).tolist() == deal_one(11_982).tolist()
    (row,) = export_certificates(kept).as_json()["deals"]
    assert row == {
        "deal": 11_982,
        "board": board.split("\n")[:8],
        "grade": "plain",
        "positions": 83_239,
        "positions_autoplay": 61_643,
        "most_home": 2,
    }


def test_a_certificate_is_what_the_twin_counts() -> None:
    board = deal_one(781_948)
    plain, autoplayed = (naive.exhaust(board, FREECELL, 10_000, autoplay) for autoplay in (False, True))
    certificate = certified(781_948, Proof(7_736, 4_381), Game())
    assert certificate[2:] == ("plain", plain.positions, autoplayed.positions, plain.most_home)
    certificate = certified(781_948, Proof(0, 4_381), Game())
    assert certificate[2:] == ("safe autoplay only", None, autoplayed.positions, autoplayed.most_home)
    assert "safe autoplay only" in certificate.as_text()


@pytest.mark.parametrize("proof", [Proof(7_735, 0), Proof(7_737, 4_381), Proof(7_736, 4_380), Proof(0, 4_382)])
def test_certificates_of_other_counts(proof: Proof) -> None:
    with pytest.raises(Contradiction, match="deal 781948"):
        certified(781_948, proof, Game())


def test_a_certificate_of_another_count(make: Make) -> None:
    with pytest.raises(Contradiction, match="deal 12001"):
        list(export_certificates(make({12_001})).lines())


def test_rules_of_other_games() -> None:
    assert "of the same suit" in " ".join(rules_in_words(Game("bakers", 3)))
    assert "3 cells" in " ".join(rules_in_words(Game("bakers", 3)))


def test_solutions(kept: Path, capsys: Read) -> None:
    assert main(["export", str(kept), "--solutions"]) == 0
    blocks = capsys.readouterr().out.strip().split("\n\n")
    assert main(["export", str(kept), "--solutions", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["solutions"]
    assert rows == export_solutions(kept).as_json()["solutions"]
    assert [row["deal"] for row in rows] == [11_981, 11_983, 11_984]
    for block, row in zip(blocks, rows, strict=True):
        heading, *lines = block.split("\n")
        assert heading == f"# deal {row['deal']}: {len(row['moves'])} moves"
        assert " ".join(lines).split() == row["moves"]
        assert all(len(line.split()) == 10 for line in lines[:-1])
        *_, last = freecell_solver.positions_along(deal_one(row["deal"]), row["moves"])
        assert last.is_won


def test_no_solutions(make: Make, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="solutions = true"):
        export_solutions(make())
    (tmp_path / "config.toml").write_text(CONFIG)
    assert json.loads("".join(export_solutions(tmp_path).json_pieces())) == {"solutions": []}


def test_a_stored_solution_of_impossible_moves_is_named(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = parquet.read
    monkeypatch.setattr(
        parquet, "read", lambda *of: read(*of)._replace(solutions=np.full_like(read(*of).solutions, 0xFF))
    )
    with pytest.raises(UsageError, match="deal 11981: these are no moves of a solution"):
        list(export_solutions(kept).solutions())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "either --verdict V, or --certificates, or --solutions"),
        (["--certificates", "--verdict", "solved"], "--certificates are of unsolvable deals, not of solved ones"),
        (["--solutions", "--verdict", "undecided"], "--solutions are of solved deals, not of undecided ones"),
    ],
)
def test_options_that_do_not_go_together(options: list[str], said: str, capsys: Read) -> None:
    assert main(["export", "none", *options]) == 2
    assert said in capsys.readouterr().err


@freecell_solver.needed
@pytest.mark.parametrize(("deal", "positions"), [(11_982, 83_239), (146_692, 19_418), (781_948, 7_736)])
def test_freecell_solver_counts_the_same(deal: int, positions: int) -> None:
    """As the README says: its atomic moves, breadth first, nothing pruned."""
    _, board = certified(deal, Proof(positions, 0), Game()).as_text().split("\n", 1)
    assert freecell_solver.count(board) == positions


@freecell_solver.needed
def test_freecell_solver_makes_every_move(kept: Path) -> None:
    """At each position of a stored solution it has to name the next one among those that a single card's move makes."""
    for deal, moves in list(export_solutions(kept).solutions())[:2]:
        here, *rest, won = freecell_solver.positions_along(deal_one(deal), moves)
        for number, following in enumerate(rest, 1):
            assert following in freecell_solver.positions_around(here), f"deal {deal}, move {number}"
            here = following
        assert won.is_won
        assert freecell_solver.is_solved_by_a_move(here)


@freecell_solver.needed
def test_freecell_solver_refuses_wrong_moves() -> None:
    """6S and 9C lie on top of columns 1 and 2 of deal 1."""
    for move, legal in (("1a", True), ("12", False), ("1h", False)):
        first, following = freecell_solver.positions_along(deal_one(1), [move])
        assert (following in freecell_solver.positions_around(first)) is legal
    assert not freecell_solver.is_solved_by_a_move(first)
