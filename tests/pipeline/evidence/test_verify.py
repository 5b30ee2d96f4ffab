"""Verification, status and the summary, over result sets that need no search."""

import json
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from pipeline import config as configuration
from pipeline.census.status import status
from pipeline.errors import UsageError
from pipeline.evidence.summary import results
from pipeline.evidence.verify import verify
from pipeline.shards import Shard, shard_of
from pipeline.store import parquet
from pipeline.store.folder import kept_config
from pipeline.store.rows import UNDECIDED
from tests.conftest import Make, rows_of

FIRST = 11_801
LISTED = "# range 1 12100\n11982\n"

Read = pytest.CaptureFixture[str]


@pytest.fixture
def known(tmp_path: Path) -> Path:
    path = tmp_path / "known.txt"
    path.write_text(LISTED)
    return path


def test_as_the_list_says(make: Make, known: Path) -> None:
    found = verify(make(), known=known)
    assert found.status == 0
    first, second = found.lines()
    assert all(word in first for word in ("8 shards", "399 solved", "1 unsolvable", "0 undecided"))
    assert f"{FIRST}..12100" in second
    assert f"{known}: 1 of 1" in second


def test_a_list_about_another_game(make: Make, known: Path) -> None:
    known.write_text("# cells 3\n" + LISTED)
    with pytest.raises(UsageError, match=r"FreeCell with 3 cells.*FreeCell with 4 cells"):
        verify(make(), known=known)
    known.write_text("# cells 4\n" + LISTED)
    assert verify(make(name="again"), known=known).as_json()["known"]["names_game"]


def test_a_list_that_names_no_game_says_so(make: Make, known: Path) -> None:
    found = verify(make(), known=known)
    assert not found.as_json()["known"]["names_game"]
    assert "names no game" in found.lines()[1]


def test_a_path_may_be_a_text(make: Make, known: Path) -> None:
    assert verify(str(make()), known=str(known)).status == 0


def test_deal_missing(make: Make, known: Path) -> None:
    known.write_text(LISTED + "12000\n")
    found = verify(make(), known=known)
    assert found.status == 1
    assert "12000" in found.lines()[-1]
    assert (found.as_json()["known"]["listed"], found.as_json()["known"]["found"]) == (2, 1)


def test_deal_extra(make: Make, known: Path) -> None:
    found = verify(make({11982, 11990, 12150}), known=known)
    assert found.status == 1
    assert found.as_json()["known"]["extra"] == [11990]  # the list says nothing of 12150
    assert found.as_json()["known"]["missing"] == []


def test_the_configured_list_is_found_from_anywhere(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make()
    config = kept_config(folder)
    listed = replace(config, verify=replace(config.verify, known="results/known/unsolvable-10m.txt"))
    (folder / "config.toml").write_text(configuration.dump(listed))
    monkeypatch.chdir(tmp_path)
    assert verify(folder).as_json()["known"]["found"] == 1


def test_incomplete(make: Make, known: Path) -> None:
    folder = make(which=slice(0, 2))
    found = verify(folder, known=known)
    assert found.status == 3
    assert found.as_json()["missing_ranges"] == [(11_901, 12_200)]
    assert "11901..12200" in found.lines()[1]


def test_undecided_is_incomplete_not_different(make: Make, known: Path) -> None:
    found = verify(make(set(), {11982}), known=known)
    assert found.status == 3
    assert found.as_json()["known"]["found"] == 0


def test_difference_goes_before_incompleteness(make: Make, known: Path) -> None:
    assert verify(make({11802}, which=slice(0, 2)), known=known).status == 1


def test_a_list_of_many_ranges(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("".join(f"# range {deal} {deal + 1}\n" for deal in range(11_801, 191_801, 3)))
    found = verify(make(), known=path)
    assert (found.status, found.comparison and len(found.comparison.overlap)) == (1, 134)
    assert "and 114 ranges more" in found.lines()[1]


def test_no_overlap(make: Make, known: Path) -> None:
    known.write_text("# range 1 100\n")
    with pytest.raises(UsageError, match=r"covers no deal of 11801\.\.12200"):
        verify(make(), known=known)


def test_corrupt_shard(make: Make, known: Path) -> None:
    folder = make()
    path = sorted((folder / "deals").glob("*.parquet"))[3]
    broken = bytearray(path.read_bytes())
    broken[60] ^= 1
    path.write_bytes(broken)
    with pytest.raises(parquet.Corrupt, match=path.name):
        verify(folder, known=known)


def test_several_folders_are_one_result(make: Make, known: Path) -> None:
    odd, even = make(which=slice(0, None, 2), name="odd"), make(which=slice(1, None, 2), name="even")
    assert verify(odd, known=known).status == 3
    assert verify(odd, even, known=known).status == 0
    with pytest.raises(UsageError, match="hold the same deals"):
        verify(odd, even, make(which=slice(3, 4), name="again"), known=known)


def test_folders_of_different_programs(make: Make, known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = make(which=slice(0, None, 2), name="odd")
    monkeypatch.setattr(parquet, "source_digest", lambda: "0123456789abcdef")
    even = make(which=slice(1, None, 2), name="even")
    with pytest.raises(UsageError, match="by different programs"):
        verify(odd, even, known=known)


def test_shard_of_another_census(make: Make, known: Path) -> None:
    folder = make()
    other = Shard(20_001, 20_050)
    parquet.write(folder, other, rows_of(other.first, other.count, set(), set()), kept_config(folder))
    for look in (lambda: verify(folder, known=known), lambda: status(folder)):
        with pytest.raises(UsageError, match="is no shard of the census 'small'"):
            look()


def test_folder_of_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"not the folder of a run: it has no config\.toml"):
        verify(tmp_path)
    with pytest.raises(UsageError, match="not the folder of a run: nothing is there"):
        verify(tmp_path / "none")


def test_status(make: Make) -> None:
    whole = status(make(name="all"))
    assert (whole.status, whole.deals, whole.done) == (0, 400, 400)
    assert whole.counts == (0, 399, 1)
    assert status(make(undecided={12_000}, name="undecided")).status == 3
    part = status(make(which=slice(3), name="part"))
    assert (part.status, part.as_json()["done"]) == (3, 150)


def test_summary(make: Make) -> None:
    folder = make()
    written = results(folder)
    assert written.lines() == [str(folder / "summary.json")]
    summary = json.loads((folder / "summary.json").read_text())
    (deal,) = summary["unsolvable_deals"]
    assert (deal["deal"], deal["closure"], deal["closure_safe"]) == (11982, 83_239, 61_643)
    assert len(deal["board"]) == 7
    assert summary["command"] == f"freecell-census run {folder}/config.toml --out {folder}"
    assert len(summary["sha256"]) == 8
    assert summary["versions"] == {"freecell-census": version("freecell-census")}  # there is no log
    assert (summary["solved"], summary["unsolvable"], summary["undecided"]) == (399, 1, 0)


def test_a_summary_has_the_versions_of_what_made_the_shards(make: Make) -> None:
    folder = make()
    with (folder / "run.jsonl").open("a") as log:
        for numba in ("0.61.0", "0.62.0"):
            versions = {"python": "3.11.0", "numba": numba}
            log.write(json.dumps({"time": "2026-01-02T03:04:05+00:00", "event": "start", "versions": versions}) + "\n")
    told = results(folder).summary["versions"]
    assert (told["python"], told["numba"]) == ("3.11.0", "0.61.0, 0.62.0")
    assert "numpy" not in told


def test_no_summary_of_an_unfinished_run(make: Make) -> None:
    with pytest.raises(UsageError, match=r"250 deals.* 1 undecided"):
        results(make(undecided={11_850}, which=slice(3)))


def test_a_summary_names_what_no_attempt_decided(make: Make) -> None:
    folder = make(undecided={11_850})
    config = kept_config(folder)
    shard = shard_of(config, 11_850)
    rows = parquet.read(folder, shard)
    tried = np.where(rows.verdicts == UNDECIDED, len(config.search.budgets), rows.attempts).astype(np.uint8)
    parquet.write(folder, shard, rows._replace(attempts=tried), config)
    summary = results(folder).summary
    assert (summary["undecided_deals"], summary["undecided"]) == ([11_850], 1)
    assert summary["exhaustions"] == {"plain": 1_000_000, "safe": 1_000_000}


def test_a_summary_takes_the_place_of_no_file_of_the_run(make: Make, tmp_path: Path) -> None:
    folder = make()
    with pytest.raises(UsageError, match=r"config\.toml"):
        results(folder, folder / "config.toml")
    assert results(str(folder), tmp_path / "small.json").path == tmp_path / "small.json"
