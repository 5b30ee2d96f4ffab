"""One rule for all commands: what somebody wants written takes the place of no input and of no file of a run."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from pipeline.deals.deal import deal_range_to_parquet
from pipeline.errors import UsageError
from pipeline.evidence.diff import diff
from pipeline.evidence.summary import results
from pipeline.places import Place, Remote
from pipeline.report.report import report
from pipeline.store.outputs import allowed
from tests.conftest import ROOT, Make

SHARD = "deals/deals-0000011801-0000011850.parquet"
KEPT = ("config.toml", "run.jsonl", "run.lock", "summary.json", "deals-0000000005-0000000008.parquet", SHARD)

COMMANDS: dict[str, Callable[[Place, Place], object]] = {
    "deal": lambda folder, out: deal_range_to_parquet(1, 9, out),
    "diff": lambda folder, out: diff(folder, folder, out=out),
    "report": lambda folder, out: report([folder], out=out),
    "results": lambda folder, out: results(folder, out),
}


def as_store(folder: Path) -> Remote:
    """A local folder as if it lay in a store."""
    return Remote("store://bucket/run", folder.name, SubTreeFileSystem(str(folder.parent), LocalFileSystem()))


@pytest.fixture
def folder(make: Make) -> Path:
    """A run with all files that one may have."""
    folder = make()
    for name in ("run.jsonl", "run.lock", "summary.json"):
        (folder / name).write_text("")
    return folder


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("where", [Path, as_store])
def test_no_command_writes_over_a_file_of_a_run(folder: Path, name: str, where: Callable[[Path], Place]) -> None:
    there = where(folder)
    for kept in KEPT:
        out = there
        for part in kept.split("/"):
            out /= part
        before = (folder / kept).read_bytes() if (folder / kept).exists() else None
        with pytest.raises(UsageError, match="for files of a run alone"):
            COMMANDS[name](there, out)
        assert ((folder / kept).read_bytes() if (folder / kept).exists() else None) == before


def test_no_command_writes_over_a_file_that_it_reads(make: Make, tmp_path: Path) -> None:
    folder = make()
    known = tmp_path / "known.txt"
    known.write_bytes((ROOT / "results/known/unsolvable-10m.txt").read_bytes())
    config = folder / "config.toml"
    config.write_text(config.read_text().replace("results/known/unsolvable-10m.txt", str(known)))
    link = tmp_path / "link"
    link.symlink_to(known)
    for out in (known, link):
        with pytest.raises(UsageError, match="is what the command reads"):
            report([folder], out=out)
        with pytest.raises(UsageError, match="is what the command reads"):
            diff(folder, known, out=out)
    store = as_store(tmp_path)
    with pytest.raises(UsageError, match="is what the command reads"):
        allowed(store / "known.txt", [store / "known.txt"])
    allowed(store / "known.txt", [store / "other.txt"])


def test_links_are_followed_where_somebody_named_them(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "there")
    assert allowed(tmp_path / "link") == tmp_path / "there"
    (tmp_path / "run").symlink_to(folder / "run.lock")
    with pytest.raises(UsageError, match="for files of a run alone"):
        allowed(tmp_path / "run")
    (tmp_path / "self").symlink_to(tmp_path / "self")
    with pytest.raises(UsageError, match="leads back to itself"):
        allowed(tmp_path / "self")


def test_links_in_a_folder_are_not_followed(make: Make, tmp_path: Path) -> None:
    folder, victim = make(), tmp_path / "victim"
    victim.write_text("precious")
    (folder / "report.html").symlink_to(victim)
    (folder / "summary.json").symlink_to(victim)
    report([folder])
    results(folder)
    assert victim.read_text() == "precious"
    assert (folder / "summary.json").read_text().startswith("{")


def test_what_is_free_to_take(folder: Path, tmp_path: Path) -> None:
    for out in (folder / "report.html", tmp_path / "config.toml", tmp_path / "new.parquet"):
        assert allowed(out) == out
    with pytest.raises(UsageError, match="there is no folder"):
        allowed(tmp_path / "none" / "new.parquet")
