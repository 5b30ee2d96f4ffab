"""Whole runs on a small range: faults at chosen moments, and always the same bytes in the end."""

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from pipeline import shards
from pipeline.census.run import run
from pipeline.config import load
from pipeline.shards import Shard, Task
from pipeline.signals import Stop
from pipeline.store import parquet
from pipeline.store.folder import written
from tests.conftest import ROOT, SMALL, digests
from tests.pipeline.commands import HOLD, Undisturbed, command, sabotaged


def test_two_workers(small: Path, tmp_path: Path, undisturbed: Undisturbed) -> None:
    done = command("run", small, "--out", tmp_path / "out", "--workers", 2, "--json")
    assert done.returncode == undisturbed.status, done.stderr
    assert digests(tmp_path / "out") == undisturbed.shards
    summary = json.loads(done.stdout)
    assert (summary["deals"], summary["unsolvable"]) == (400, 1)
    assert summary["complete"]


STATUS = {
    "kill_parent": -9,
    "torn": -9,
    "interrupt": 130,
    "interrupt_twice": 130,
    "terminate": 143,
    "terminate_group": 143,
    "no_room": 3,
}

BEGIN, QUICK, DEEP = 1, 4, 10
"""Shards written when the fault comes: of the eight, and then again in the deep pass."""

MOMENTS = [
    ("kill_parent", QUICK),
    ("kill_parent", DEEP),
    ("torn", DEEP),
    ("interrupt", QUICK),
    ("interrupt", DEEP),
    ("interrupt_twice", QUICK),
    ("terminate", DEEP),
    ("terminate_group", QUICK),
    ("no_room", QUICK),
    ("no_room", DEEP),
]


@pytest.mark.parametrize(
    ("fault", "number"),
    MOMENTS
    + [
        pytest.param(fault, number, marks=pytest.mark.long)
        for fault, number in product(STATUS, (BEGIN, QUICK, DEEP))
        if (fault, number) not in MOMENTS
    ],
)
def test_stopped_and_gone_on_with(
    small: Path, tmp_path: Path, undisturbed: Undisturbed, fault: str, number: int
) -> None:
    out = tmp_path / "out"
    stopped = sabotaged(fault, number, small, "--out", out, "--workers", 2)
    status = STATUS[fault]
    assert stopped.returncode == status, stopped.stderr
    for shard in written(out):
        parquet.read(out, shard)
    if status > 0:
        assert f"to go on: freecell-census run {small} --out {out}" in stopped.stderr
    resumed = command("run", small, "--out", out, "--workers", 2)
    assert resumed.returncode == undisturbed.status, resumed.stderr
    assert digests(out) == undisturbed.shards
    assert not list(out.glob(".*"))


def test_what_is_written_is_not_done_again(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    sabotaged("kill_parent", 4, small, "--out", out, "--workers", 1)
    before = {path.name: path.stat().st_ino for path in (out / "deals").glob("*.parquet")}
    assert len(before) == 3
    command("run", small, "--out", out, "--workers", 1, "--max-time", "0s")
    assert {path.name: path.stat().st_ino for path in (out / "deals").glob("*.parquet")} == before


@pytest.mark.parametrize("number", [QUICK, DEEP])
def test_killed_worker(small: Path, tmp_path: Path, undisturbed: Undisturbed, number: int) -> None:
    done = sabotaged("kill_worker", number, small, "--out", tmp_path / "out", "--workers", 2)
    assert done.returncode == undisturbed.status, done.stderr
    assert digests(tmp_path / "out") == undisturbed.shards


def test_a_shard_is_completed_when_time_is_up(
    small: Path, tmp_path: Path, undisturbed: Undisturbed, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Shard] = []
    tasks = Shard.tasks

    def tasks_of(shard: Shard) -> Iterator[Task]:
        begun.append(shard)
        return tasks(shard)

    monkeypatch.setattr(shards, "TASK", 10)
    monkeypatch.setattr(Shard, "tasks", tasks_of)
    monkeypatch.setattr(Stop, "time_up", property(lambda stop: len(begun) == 2))
    out = tmp_path / "out"
    assert run(small, out, workers=1).status == 3
    assert digests(out).keys() == set(sorted(undisturbed.shards)[:2])


def test_appended_attempts_end_as_a_fresh_run(small: Path, tmp_path: Path, undisturbed: Undisturbed) -> None:
    out = tmp_path / "out"
    small.write_text(SMALL.replace("deep = [4_000, 100_000]", "deep = []"))
    first = command("run", small, "--out", out)
    assert first.returncode == 3, first.stderr
    small.write_text(SMALL)
    assert command("run", small, "--out", out).returncode == undisturbed.status
    assert digests(out) == undisturbed.shards


def test_an_appended_attempt_that_tries_an_exhaustion(small: Path, tmp_path: Path) -> None:
    """The fifth does, and proves deal 11982; those after it go on with what else is left over."""
    budgets = SMALL.replace("quick = [60, 400]", "quick = [10, 11, 12, 13]").replace("= 1_000_000", "= 90_000")
    budgets = budgets.replace("first = 11_801", "first = 11_951").replace("last = 12_200", "last = 12_000")
    fresh, out = tmp_path / "fresh", tmp_path / "out"
    small.write_text(budgets.replace("deep = [4_000, 100_000]", "deep = [14, 15, 100_000]"))
    assert command("run", small, "--out", fresh).returncode == 0
    for deep, status in (("[]", 3), ("[14]", 3), ("[14, 15, 100_000]", 0)):
        small.write_text(budgets.replace("deep = [4_000, 100_000]", f"deep = {deep}"))
        assert command("run", small, "--out", out).returncode == status
    assert digests(out) == digests(fresh)
    (shard,) = (shard for shard in written(out) if shard.first <= 11_982 <= shard.last)
    rows = parquet.read(out, shard)
    assert (rows.attempts[11_982 - shard.first], rows.closures[11_982 - shard.first]) == (5, 83_239)


def test_another_configuration_is_refused(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command("run", small, "--out", out, "--max-time", "0s")
    small.write_text(SMALL.replace("shard = 50", "shard = 30").replace("quick = [60, 400]", "quick = [60, 500]"))
    refused = command("run", small, "--out", out)
    assert refused.returncode == 2
    assert "another configuration (search.quick, store.shard)" in refused.stderr


def test_shards_of_other_kernels_are_refused(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    sabotaged("kill_parent", 2, small, "--out", out, "--workers", 1)
    config = load(small)
    shard = written(out)[0]
    rows = parquet.read(out, shard)
    monkeypatch.setattr(parquet, "source_digest", lambda: "0123456789abcdef")
    parquet.write(out, shard, rows, config)
    refused = command("run", small, "--out", out)
    assert refused.returncode == 2
    assert "kernels 0123456789abcdef there" in refused.stderr


def test_second_run_names_the_process_that_holds_the_folder(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(small), str(out)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        refused = command("run", small, "--out", out)
        assert refused.returncode == 2
        assert f"process {holder.pid} is running in {out}" in refused.stderr
        holder.communicate("")


def test_truncated_shard_stops_the_run(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    sabotaged("kill_parent", 3, small, "--out", out, "--workers", 1)
    path = sorted((out / "deals").glob("*.parquet"))[0]
    path.write_bytes(path.read_bytes()[:-100])
    refused = command("run", small, "--out", out)
    assert refused.returncode == 2
    assert f"{path} is corrupt" in refused.stderr
