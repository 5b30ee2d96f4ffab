"""Parts of a census: folders of their own, and one result."""

import json
import os
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.config import load
from pipeline.errors import UsageError
from pipeline.shards import WHOLE, Part
from pipeline.store.folder import folder_of, found, held, owned, parts_in
from tests.conftest import ROOT, Make, digests
from tests.pipeline.commands import Undisturbed, command

Read = pytest.CaptureFixture[str]


@pytest.fixture
def halves(make: Make) -> Path:
    """A folder that holds nothing but two complete parts."""
    make(which=slice(0, None, 2), name="whole/part-1-of-2")
    return make(which=slice(1, None, 2), name="whole/part-2-of-2").parent


def test_parts_make_up_the_whole(small: Path, tmp_path: Path, undisturbed: Undisturbed) -> None:
    out = tmp_path / "out"
    for number in (2, 1):
        done = command("run", small, "--out", out, "--part", f"{number}/2", "--json")
        assert done.returncode in (0, 3), done.stderr
        assert json.loads(done.stdout)["complete"]
        assert json.loads(done.stdout)["deals"] == 200
    assert [part.name for part in parts_in(out)] == ["part-1-of-2", "part-2-of-2"]
    assert digests(parts_in(out)[0]) | digests(parts_in(out)[1]) == undisturbed.shards
    stopped = command("run", small, "--out", tmp_path / "other", "--part", "1/3", "--max-time", "0s")
    assert f"to go on: freecell-census run {small} --out {tmp_path / 'other'} --part 1/3" in stopped.stderr


def test_commands_over_parts(halves: Path, make: Make, capsys: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    one = make(name="one")
    for arguments in (["status"], ["verify"], ["export", "--verdict", "unsolvable"], ["export", "--verdict", "solved"]):
        said = []
        for folder in (one, halves):
            assert main([*arguments, str(folder)]) == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1]
    assert main(["diff", str(one), str(halves)]) == 0
    assert main(["results", str(halves)]) == 0
    assert json.loads((halves / "summary.json").read_text())["sha256"] == digests(one)


def test_a_part_alone_is_incomplete(halves: Path, capsys: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["verify", str(halves / "part-2-of-2")]) == 3
    assert "missing: deals 11801..11850" in capsys.readouterr().out
    assert main(["verify", str(halves / "part-2-of-2"), str(halves / "part-1-of-2")]) == 0


def test_deals_in_two_parts(halves: Path, make: Make, capsys: Read) -> None:
    make(which=slice(1), name="whole/part-1-of-9")
    assert main(["status", str(halves)]) == 2
    assert "hold the same deals" in capsys.readouterr().err


def test_a_folder_for_each_part(small: Path, tmp_path: Path) -> None:
    config = load(small)
    assert folder_of(config, None, WHOLE) == Path("results/small")
    assert folder_of(config, None, Part(3, 8)) == Path("results/small/part-3-of-8")
    wide = load(ROOT / "configs/ms-1m.toml")
    assert folder_of(wide, tmp_path / "wide", Part(1, 4)) == tmp_path / "wide/part-1-of-4"
    full = load(ROOT / "configs/full-2p33.toml")
    names = [folder_of(full, tmp_path / "full", Part(number, 100)).name for number in (1, 20, 100)]
    assert names == ["part-001-of-100", "part-020-of-100", "part-100-of-100"]


def test_parts_and_wholes_do_not_mix(halves: Path, make: Make, small: Path) -> None:
    config = load(small)
    assert folder_of(config, halves, Part(1, 2)) == halves / "part-1-of-2"
    for out, part, said in (
        (halves, WHOLE, r"holds parts \(part-1-of-2\): go on with --part"),
        (halves, Part(1, 3), r"holds other parts \(part-1-of-2\)"),
        (halves / "part-1-of-2", Part(2, 2), "with --part, this is the folder that all parts are in"),
        (make(name="one"), Part(1, 2), "holds a run without --part"),
        (None, Part(1, 9), "the census has 8 shards, give N from 1 to 8"),
    ):
        with pytest.raises(UsageError, match=said):
            folder_of(config, out, part)


def test_bad_parts_are_wrong_usage(small: Path, capsys: Read) -> None:
    for part in ("9/8", "0/8", "x"):
        assert main(["run", str(small), "--part", part]) == 2
        assert f"part {part}: K/N is needed, with K from 1 to N" in capsys.readouterr().err


def test_a_part_is_not_begun_while_the_whole_is(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.store.folder.FOR_PARTS", 2)
    config, out = load(small), tmp_path / "out"
    with held(out), pytest.raises(UsageError, match=f"process {os.getpid()} is running in {out}"):
        found(config, out, Part(1, 2))
    assert parts_in(out) == []


def test_the_whole_is_not_begun_where_a_part_came_first(small: Path, tmp_path: Path) -> None:
    config, out = load(small), tmp_path / "out"
    assert found(config, out, Part(1, 2)).is_dir()  # after the run of the whole looked, before it has the lock
    with pytest.raises(UsageError, match="holds parts"), owned(out, config):
        pass
    assert found(config, out, Part(2, 2)) == out / "part-2-of-2"
