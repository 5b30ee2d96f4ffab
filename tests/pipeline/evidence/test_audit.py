"""The audit: a sound result passes, and a planted fault of each kind is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from kernels.contradiction import Contradiction
from kernels.dealing import deal_block
from kernels.decide import Pass, decide_boards
from kernels.rules import FREECELL
from pipeline import config as configuration
from pipeline.cli import main
from pipeline.errors import UsageError
from pipeline.evidence import against_summary
from pipeline.evidence import audit as auditing
from pipeline.evidence.audit import Audit, audit, draw, solve_again
from pipeline.evidence.summary import results
from pipeline.evidence.verify import verify
from pipeline.shards import Shard
from pipeline.store import parquet
from pipeline.store.rows import SOLVED, UNSOLVABLE, Rows, solution_ends
from tests.conftest import as_schema_1

CONFIG = """\
name = "audited"
[range]
first = 11_971
last = 11_990
[search]
quick = [200, 3_000, 30_000]
deep = [400_000]
[store]
shard = 10
solutions = true
"""
SHARDS = (Shard(11_971, 11_980), Shard(11_981, 11_990))
PROVED = 11_982

Read = pytest.CaptureFixture[str]
Change = Callable[[Rows], Rows]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result of twenty deals, 11982 among them, with solutions and a summary."""
    folder = tmp_path_factory.mktemp("sound")
    (folder / "deals").mkdir()
    (folder / "config.toml").write_text(CONFIG)
    config = configuration.load(folder / "config.toml")
    for shard in SHARDS:
        rows = decide_boards(
            deal_block(shard.first, shard.count), Pass(FREECELL, config.search.budgets, 1, config.search.limits)
        )
        counts = np.where(rows.closures > 0, 61_643, 0).astype(np.uint64)
        parquet.write(folder, shard, rows._replace(safe_closures=counts), config)
    results(folder)
    return folder


@pytest.fixture
def planted(sound: Path, tmp_path: Path) -> Callable[[int, Change], Path]:
    """Writes the result once more, without a summary, with the rows of one shard changed."""

    def written(number: int, change: Change) -> Path:
        folder = tmp_path / "planted"
        shutil.copytree(sound, folder)
        (folder / "summary.json").unlink()
        config = configuration.load(folder / "config.toml")
        shard = SHARDS[number]
        parquet.write(folder, shard, change(parquet.read(folder, shard)), config)
        return folder

    return written


def everything(folder: Path) -> Audit:
    return audit(folder, 20, 1, 1_000_000)


def test_a_sound_result(sound: Path) -> None:
    done = everything(sound)
    assert (done.status, done.exhausted, done.sampled, done.solved_again, done.replayed) == (0, 1, 19, 19, 19)
    assert "2 of 2" in done.published
    assert str(sound / "summary.json") in done.published
    assert done.lines()[-1] == "no contradiction"


def test_what_a_sample_misses(sound: Path) -> None:
    report = audit(sound, 4, 7, 1_000).as_json()
    assert (report["sampled"], report["solved_again"], report["seed"]) == (4, 4, 7)
    assert report["misses_one"] == pytest.approx(15 / 19)
    assert report["most_wrong"] == 14  # 19 * 3 / 4
    assert (report["exhausted"], report["too_large"]) == (0, [PROVED])
    assert report["contradiction"] is None
    report = audit(sound, 0, 7, 83_239).as_json()
    assert (report["misses_one"], report["most_wrong"], report["exhausted"]) == (1, 19, 1)


def solved_at(rows: Rows, index: int, verdict: int, moves: int, closure: int) -> Rows:
    """Rows in which one deal has another verdict; without solutions, for they would have to fit."""
    verdicts, lengths, closures = rows.verdicts.copy(), rows.moves.copy(), rows.closures.copy()
    verdicts[index], lengths[index], closures[index] = verdict, moves, closure
    safe = rows.safe_closures.copy()
    safe[index] = closure
    solutions = rows.solutions
    if verdict == UNSOLVABLE:
        begin = int(rows.moves[:index].sum())
        solutions = np.delete(solutions, slice(begin, begin + int(rows.moves[index])))
    return rows._replace(verdicts=verdicts, moves=lengths, closures=closures, safe_closures=safe, solutions=solutions)


@pytest.mark.parametrize("closure", [500, 50_000])
def test_a_solved_deal_marked_unsolvable(planted: Callable[[int, Change], Path], closure: int, capsys: Read) -> None:
    folder = planted(0, lambda rows: solved_at(rows, 4, UNSOLVABLE, 0, closure))
    with pytest.raises(
        Contradiction, match=rf"deal 11975: stored as unsolvable with {closure:,} positions, but .* more"
    ):
        everything(folder)
    assert main(["audit", str(folder), "--json"]) == 1
    assert "deal 11975" in json.loads(capsys.readouterr().out)["contradiction"]


def test_an_unsolvable_deal_marked_solved(planted: Callable[[int, Change], Path]) -> None:
    index = PROVED - SHARDS[1].first

    def change(rows: Rows) -> Rows:
        changed = solved_at(rows, index, SOLVED, 52, 0)
        return changed._replace(solutions=np.insert(rows.solutions, int(rows.moves[:index].sum()), np.full(52, 0x08)))

    folder = planted(1, change)
    with pytest.raises(Contradiction, match=r"deal 11982: its stored solution of 52 moves is wrong: move 5 is against"):
        everything(folder)
    (folder / "config.toml").write_text(CONFIG.replace("true", "false"))
    config = configuration.load(folder / "config.toml")
    for shard in SHARDS:
        parquet.write(folder, shard, parquet.read(folder, shard)._replace(solutions=np.empty(0, np.uint8)), config)
    with pytest.raises(Contradiction, match=r"deal 11982: stored as solved, .* all of its 83,239 positions"):
        everything(folder)


def test_solutions_of_another_length(planted: Callable[[int, Change], Path]) -> None:
    folder = planted(0, lambda rows: rows)
    path = folder / "deals" / SHARDS[0].name
    table = pq.read_table(path)
    column = table.column_names.index("moves")
    pq.write_table(table.set_column(column, "moves", pc.add(table["moves"], pa.scalar(1, pa.uint16()))), path)
    with pytest.raises(parquet.Corrupt, match="a solution that isn't as long as its moves say"):
        everything(folder)


@pytest.mark.parametrize(("wrong", "said"), [(83_238, "finds more"), (83_240, "ends with 83,239")])
def test_a_wrong_count(planted: Callable[[int, Change], Path], wrong: int, said: str) -> None:
    folder = planted(1, lambda rows: rows._replace(closures=np.where(rows.closures, wrong, 0).astype(np.uint64)))
    with pytest.raises(Contradiction, match=f"deal 11982: stored as unsolvable with {wrong:,} positions, .*{said}"):
        everything(folder)


@pytest.mark.parametrize(("wrong", "said"), [(61_642, "finds more"), (61_644, "ends with 61,643")])
def test_a_wrong_count_with_safe_autoplay(planted: Callable[[int, Change], Path], wrong: int, said: str) -> None:
    def change(rows: Rows) -> Rows:
        counts = np.where(rows.safe_closures, wrong, 0).astype(np.uint64)
        return rows._replace(closures=np.zeros_like(counts), safe_closures=counts)

    with pytest.raises(Contradiction, match=f"deal 11982.*{wrong:,} positions with safe autoplay.*{said}"):
        everything(planted(1, change))


def test_a_deal_proved_with_safe_autoplay_only(planted: Callable[[int, Change], Path]) -> None:
    folder = planted(1, lambda rows: rows._replace(closures=np.zeros_like(rows.closures)))
    done = everything(folder)
    assert (done.exhausted, done.safe_only, done.too_large) == (1, [PROVED], [])
    assert any("safe autoplay only" in line and str(PROVED) in line for line in done.lines())
    assert audit(folder, 0, 1, 61_642).too_large == [PROVED]
    assert audit(folder, 0, 1, 61_643).safe_only == [PROVED]
    found = verify(folder)
    assert found.as_json()["grades"] == {"plain": 0, "safe autoplay only": 1}
    assert any(str(PROVED) in line for line in found.lines())
    assert results(folder).summary["unsolvable_deals"][0]["grade"] == "safe autoplay only"


def test_schema_1_is_audited(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    shutil.copytree(sound, folder)
    (folder / "summary.json").unlink()
    as_schema_1(folder)
    done = everything(folder)
    assert (done.exhausted, done.safe_only, done.replayed) == (1, [], 19)


def test_a_corrupted_solution(planted: Callable[[int, Change], Path]) -> None:
    def change(rows: Rows) -> Rows:
        solutions = rows.solutions.copy()
        solutions[int(rows.moves[:6].sum()) + 40] = 0xFF
        return rows._replace(solutions=solutions)

    with pytest.raises(
        Contradiction, match=r"deal 11977: its stored solution of \d+ moves is wrong: move 41 is against"
    ):
        everything(planted(0, change))


def test_a_solution_that_is_too_short(planted: Callable[[int, Change], Path]) -> None:
    def change(rows: Rows) -> Rows:
        moves = rows.moves.copy()
        moves[3] = 51
        ends = solution_ends(rows)
        return rows._replace(moves=moves, solutions=np.delete(rows.solutions, np.arange(ends[3] + 51, ends[4])))

    with pytest.raises(parquet.Corrupt, match="deal 11974: 51 moves"):
        everything(planted(0, change))


def test_a_shard_that_is_not_the_published_one(sound: Path, planted: Callable[[int, Change], Path]) -> None:
    folder = planted(0, lambda rows: rows._replace(positions=rows.positions + 1))
    everything(folder)
    with pytest.raises(Contradiction, match=rf"{SHARDS[0].name} is not the published shard: its SHA-256 is "):
        audit(folder, 0, 1, 1_000_000, sound / "summary.json")
    shutil.copy(sound / "summary.json", folder)
    with pytest.raises(Contradiction, match="is not the published shard"):
        everything(folder)


def test_the_projects_summary_goes_before_the_folders_own(
    sound: Path, planted: Callable[[int, Change], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = planted(0, lambda rows: rows._replace(positions=rows.positions + 1))
    results(folder)
    everything(folder)
    (tmp_path / "results" / "published").mkdir(parents=True)
    shutil.copy(sound / "summary.json", tmp_path / "results" / "published" / "audited.json")
    monkeypatch.setattr(against_summary, "PROJECT", tmp_path)
    with pytest.raises(Contradiction, match="is not the published shard"):
        everything(folder)


def test_a_summary_of_other_kernels(sound: Path, tmp_path: Path) -> None:
    summary = json.loads((sound / "summary.json").read_text())
    path = tmp_path / "summary.json"
    path.write_text(json.dumps(summary | {"kernels": "0123456789abcdef", "sha256": {}}))
    assert "not compared" in audit(sound, 0, 1, 1_000_000, path).published
    (row,) = summary["unsolvable_deals"]
    path.write_text(json.dumps(summary | {"kernels": "0", "unsolvable_deals": [row | {"closure": 83_240}]}))
    with pytest.raises(Contradiction, match=r"deal 11982: stored as unsolvable with 83,239 positions .*with 83,240"):
        audit(sound, 0, 1, 1_000_000, path)
    path.write_text(json.dumps(summary | {"kernels": "0", "unsolvable_deals": [row, row | {"deal": 11_990}]}))
    with pytest.raises(Contradiction, match="deal 11990: stored not as unsolvable"):
        audit(sound, 0, 1, 1_000_000, path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "is no summary of a result"),
        ("[1]", "is no summary of a result"),
        ("{", "is no summary of a result"),
        ("[" * 100_000, "is no summary of a result"),
        ({"sha256": []}, "is no summary of a result"),
        ({"kernels": None}, "is no summary of a result"),
        ({"range": 1}, "is no summary of a result"),
        ({"rules": "freecell"}, "is no summary of a result"),
        ({"unsolvable_deals": None}, "is no summary of a result"),
        ({"unsolvable_deals": [11982]}, "is no summary of a result"),
        ({"unsolvable_deals": [{"deal": [11982], "closure": 83_239}]}, "is no summary of a result"),
        ({"unsolvable_deals": [{"deal": 11982, "closure": "83239"}]}, "is no summary of a result"),
        (None, "can't read the summary"),
        ({"range": [1, 2]}, r"is a summary of deals 1\.\.2, .* is of deals 11971\.\.11990"),
    ],
)
def test_summaries_that_do_not_do(sound: Path, tmp_path: Path, content: object, said: str) -> None:
    path = tmp_path / "summary.json"
    if isinstance(content, dict):
        content = json.dumps(json.loads((sound / "summary.json").read_text()) | content)
    if isinstance(content, str):
        path.write_text(content)
    with pytest.raises(UsageError, match=said):
        audit(sound, 0, 1, 1_000_000, path)


def test_a_part_of_a_result(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "part"
    shutil.copytree(sound, folder)
    (folder / "deals" / SHARDS[1].name).unlink()
    assert "1 of 2" in everything(folder).published


def test_a_deal_that_is_not_solved_is_not_audited(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert solve_again([11_982, 11_983], FREECELL, [50_000]) == (1, [11_982])
    monkeypatch.setattr(auditing, "solve_again", lambda drawn, rules: (len(drawn) - 1, drawn[:1]))
    done = everything(sound)
    assert done.not_solved == [11_971]
    assert any("4,000,000" in line and "(11971)" in line for line in done.lines())


def test_a_draw_is_fair_and_repeatable() -> None:
    solved = [5, 0, 20, 1]
    for sample in (0, 3, 26, 1_000):
        drawn = draw(solved, sample, 1)
        assert [part.tolist() for part in draw(solved, sample, 1)] == [part.tolist() for part in drawn]
        assert sum(map(len, drawn)) == min(sample, 26)
        for count, part in zip(solved, drawn, strict=True):
            assert sorted(set(part.tolist())) == part.tolist()
            assert all(0 <= index < count for index in part)
    times = np.zeros(26)
    for seed in range(2_000):
        drawn = draw(solved, 13, seed)
        times[np.concatenate([part + start for part, start in zip(drawn, (0, 5, 5, 25), strict=True)])] += 1
    assert 900 < times.min() < times.max() < 1_100
