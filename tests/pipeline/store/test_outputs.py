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
from pipeline.store.outputs import allowed, text_kind
from tests.conftest import ROOT, Make

SHARD = "deals/deals-0000011801-0000011850.parquet"
KEPT = ("config.toml", "run.jsonl", "run.lock", "summary.json", "deals-0000000005-0000000008.parquet", SHARD)

NOTE = text_kind("a note", b"note")
"""Any kind, where the kind doesn't matter."""

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
        allowed(store / "known.txt", NOTE, [store / "known.txt"])
    allowed(store / "note.txt", NOTE, [store / "known.txt"])


def test_links_are_followed_where_somebody_named_them(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "there")
    assert allowed(tmp_path / "link", NOTE) == tmp_path / "there"
    (tmp_path / "run").symlink_to(folder / "run.lock")
    with pytest.raises(UsageError, match="for files of a run alone"):
        allowed(tmp_path / "run", NOTE)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    with pytest.raises(UsageError, match="leads back to itself"):
        allowed(tmp_path / "self", NOTE)


def test_links_in_a_folder_are_not_followed(make: Make, tmp_path: Path) -> None:
    folder, victim = make(), tmp_path / "victim"
    victim.write_text("precious")
    (folder / "report.html").symlink_to(victim)
    (folder / "summary.json").symlink_to(victim)
    report([folder])
    results(folder)
    assert victim.read_text() == "precious"
    assert (folder / "summary.json").read_text().startswith("{")


@pytest.mark.parametrize("where", [Path, as_store])
def test_a_command_replaces_only_files_of_its_own_kind(
    make: Make, tmp_path: Path, where: Callable[[Path], Place]
) -> None:
    folder = make()
    (tmp_path / "files").mkdir()
    there = where(tmp_path / "files")
    for name, call in COMMANDS.items():
        for _ in range(2):  # the second time, over the first
            call(folder, there / name)
    written = {name: (tmp_path / "files" / name).read_bytes() for name in COMMANDS}
    for name, call in COMMANDS.items():
        (tmp_path / "files" / "text").write_text("# range 1 10\n")
        for other in (*(other for other in COMMANDS if other != name), "text"):
            with pytest.raises(UsageError, match=f"{other} is there and is not a"):
                call(folder, there / other)
        (tmp_path / "files" / "text").write_bytes(b"")
        call(folder, there / "text")
    assert {name: (tmp_path / "files" / name).read_bytes() for name in COMMANDS} == written


def test_names_in_a_run_s_folder_replace_only_their_kind(make: Make) -> None:
    folder = make()
    for name, call in (("report.html", lambda: report([folder])), ("summary.json", lambda: results(folder))):
        (folder / name).write_text("a letter")
        with pytest.raises(UsageError, match=f"{name} is there and is not a"):
            call()
        (folder / name).unlink()
        call()
        call()


def test_what_is_free_to_take(folder: Path, tmp_path: Path) -> None:
    for out in (folder / "report.html", tmp_path / "config.toml", tmp_path / "new.parquet"):
        assert allowed(out, NOTE) == out
    with pytest.raises(UsageError, match="there is no folder"):
        allowed(tmp_path / "none" / "new.parquet", NOTE)
