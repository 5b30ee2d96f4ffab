"""What a run says when something is wrong with its folder, its deals or its memory; and that it goes on afterwards."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from pipeline.store.folder import written
from tests.conftest import ROOT, SMALL, digests
from tests.pipeline import doubles
from tests.pipeline.commands import GUARD, command, sabotaged


def test_full_disk(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    stopped = sabotaged("no_room", 3, small, "--out", out, "--workers", 1)
    assert stopped.returncode == 3
    assert f"stopped: can't write to {out}: File too large\nto go on: freecell-census run {small}" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert len(digests(out)) == 2
    assert not list(out.glob(".*"))


def test_folder_that_vanishes(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    stopped = sabotaged("no_folder", 3, small, "--out", out, "--workers", 1)
    assert stopped.returncode == 2
    assert stopped.stderr.endswith(f"freecell-census: can't write to {out}: No such file or directory\n")
    assert not out.exists()


def test_no_place_for_a_folder(small: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for out, why in (
        (tmp_path / "file", " is no folder: take another --out"),
        (tmp_path / "file" / "out", ": Not a directory"),
    ):
        refused = command("run", small, "--out", out)
        assert (refused.returncode, refused.stderr) == (2, f"freecell-census: {out}{why}\n")


def test_deal_that_kills_its_worker_each_time(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    stopped = sabotaged("killer", 0, small, "--out", out, "--workers", 2)
    assert stopped.returncode == 3
    assert f"these deals killed their worker each time, or found no memory: {doubles.KILLER}\n" in stopped.stderr
    assert json.loads((out / "run.jsonl").read_text().splitlines()[-1])["killers"] == [doubles.KILLER]
    assert [shard.first for shard in written(out)] == [11_801, 11_851, *range(11_951, 12_200, 50)]
    again = command("run", small, "--out", out, "--workers", 2)
    assert again.returncode == 0, again.stderr
    assert len(written(out)) == 8


def test_deals_without_memory(small: Path, tmp_path: Path) -> None:
    """Fifty million positions need more address space than the run gets; the quick pass fits."""
    small.write_text(SMALL.replace("deep = [4_000, 100_000]", "deep = [50_000_000]"))
    words = [sys.executable, "-m", "pipeline", "run", small, "--out", tmp_path / "out", "--workers", "1"]
    limited = subprocess.run(
        ["sh", "-c", 'ulimit -v 6000000; exec "$@"', "sh", *map(str, words)],
        cwd=ROOT, capture_output=True, text=True, timeout=GUARD,
    )  # fmt: skip
    assert limited.returncode == 3
    summary = json.loads((tmp_path / "out" / "run.jsonl").read_text().splitlines()[-1])
    assert summary["undecided"] == len(summary["killers"]) > 0
    assert f"found no memory: {', '.join(map(str, sorted(summary['killers'])))}\n" in limited.stderr
    assert len(written(tmp_path / "out")) == 8


def test_shard_of_a_newer_schema(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    sabotaged("kill_parent", 2, small, "--out", out, "--workers", 1)
    path = next((out / "deals").glob("*.parquet"))
    table = pq.read_table(path)
    newer = {**table.schema.metadata, b"freecell_census.schema": b"3"}
    pq.write_table(table.replace_schema_metadata(newer), path)
    for arguments in (("run", small, "--out", out), ("status", out), ("verify", out)):
        refused = command(*arguments)
        assert refused.returncode == 2
        assert f"{path} has schema 3" in refused.stderr


def test_flipped_bit(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command("run", small, "--out", out, "--workers", 2)
    sound = digests(out)
    path = sorted((out / "deals").glob("*.parquet"))[2]
    broken = bytearray(path.read_bytes())
    broken[200] ^= 16
    path.write_bytes(broken)
    refused = command("verify", out)
    assert refused.returncode == 2
    assert f"{path} is corrupt (" in refused.stderr
    assert "remove it, and the run makes it again" in refused.stderr
    path.unlink()
    assert command("run", small, "--out", out, "--workers", 2).returncode == 0
    assert digests(out) == sound


HARD = """\
name = "hard"
[range]
first = 2_150_424_561
last = 2_150_424_561
[search]
quick = [200, 201, 202]
deep = [50_000_000]
"""
"""A deal whose one deep attempt and exhaustion take about a minute."""


@pytest.mark.long
@pytest.mark.parametrize("engine", ["local", "dask"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_in_the_middle_of_a_kernel(tmp_path: Path, engine: str, number: signal.Signals, status: int) -> None:
    (tmp_path / "hard.toml").write_text(HARD)
    words = ["run", tmp_path / "hard.toml", "--out", tmp_path / "out", "--engine", engine, "--workers", "1", "--json"]
    run = subprocess.Popen(
        [sys.executable, "-m", "pipeline", *map(str, words)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert run.stderr is not None
    while "attempt 4" not in (line := run.stderr.readline()):
        assert line, "ended too early"
    doubles.wait_until(lambda: bool(in_kernel(run)))
    workers = in_kernel(run)
    os.killpg(run.pid, number)
    said, _ = run.communicate(timeout=GUARD)
    assert run.returncode == status
    assert json.loads(said)["undecided"] == 1  # it would be unsolvable if the kernel had come to its end
    assert not any(worker.is_running() for worker in workers)


def in_kernel(run: subprocess.Popen[str]) -> list[psutil.Process]:
    """The processes of a run that have worked for longer than a start takes."""
    return [child for child in psutil.Process(run.pid).children(recursive=True) if child.cpu_times().user > 4]


def test_time_is_up(small: Path, tmp_path: Path) -> None:
    stopped = command("run", small, "--out", tmp_path / "out", "--max-time", "0s")
    assert stopped.returncode == 3
    assert "stopped: time is up\nto go on: freecell-census run" in stopped.stderr
