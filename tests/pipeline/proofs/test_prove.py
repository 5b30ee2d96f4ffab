"""The command `prove`: counts, files, going on, and deals that are no proofs."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from kernels.dealing import deal_one
from kernels.referee import replay_block
from kernels.rules import FREECELL, rules_of
from pipeline.cli import main
from pipeline.errors import UsageError
from pipeline.farm.engines import Workers
from pipeline.proofs import prove as module
from pipeline.proofs import table
from pipeline.proofs.large import UNDER_WAY
from pipeline.proofs.prove import prove
from tests.conftest import ROOT

COUNTS = {11_982: (83_239, 61_643), 146_692: (19_418, 8_603), 512_118: (46_460, 22_482), 781_948: (7_736, 4_381)}
ONE = Workers(number=1)
Read = pytest.CaptureFixture[str]


def words(*deals: int) -> list[str]:
    return [str(deal) for deal in deals]


def test_counts_of_known_deals() -> None:
    proved = prove(words(*COUNTS), workers=ONE)
    assert proved.status == 0
    rows = proved.as_json()["proofs"]
    assert {row["deal"]: (row["closure"], row["closure_safe"]) for row in rows} == COUNTS
    assert all(row["verdict"] == "unsolvable" and row["solution"] is None for row in rows)


def test_a_solvable_deal_comes_with_moves_that_the_referee_takes() -> None:
    proved = prove(words(1, 11_982), workers=ONE)
    assert proved.status == 1
    assert next(iter(proved.lines())).startswith("SOLVABLE: deal 1,")
    moves = np.frombuffer(proved.proofs.solutions[0], np.uint8)
    assert replay_block(deal_one(1)[None], FREECELL, np.array([len(moves)], np.uint16), moves).tolist() == [0]


def test_other_rules() -> None:
    proved = prove(words(11_982), rules=rules_of("freecell", 5), workers=ONE)
    assert proved.status == 1
    assert prove(words(1), rules=rules_of("bakers", 0), workers=ONE).status == 0


@pytest.mark.parametrize("plain", [0, 50_000])
def test_the_grade_with_safe_autoplay_only(tmp_path: Path, plain: int) -> None:
    proved = prove(words(11_982, 781_948), tmp_path / "out", plain=plain, workers=ONE)
    by_deal = {row["deal"]: row for row in proved.as_json()["proofs"]}
    assert by_deal[11_982]["closure"] is None
    assert by_deal[781_948]["closure"] == (7_736 if plain else None)
    assert [by_deal[deal]["closure_safe"] for deal in (11_982, 781_948)] == [61_643, 4_381]
    assert f"11982: more than {plain:,} positions, 61,643 with safe autoplay" in next(iter(proved.lines()))
    assert proved.as_json()["safe_only"] == (1 if plain else 2)
    assert proved.status == 0


def test_files_of_proofs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "A_FILE", 3)
    out = tmp_path / "out"
    proved = prove(words(*COUNTS), out, workers=ONE)
    names = [path.name for path in sorted((out / "deals").iterdir())]
    assert names == ["proofs-0000011982-0000512118.parquet", "proofs-0000781948-0000781948.parquet"]
    rows = pq.read_table(out / "deals").to_pylist()
    assert {row["deal"]: (row["closure"], row["closure_safe"]) for row in rows} == COUNTS
    again = prove(words(*COUNTS), out, workers=ONE)
    assert again.as_json() == proved.as_json()


def test_every_stage_comes_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small, middle and large exhaustions, each for some of the deals."""
    expected = prove(words(*COUNTS), workers=ONE).as_json()["proofs"]
    monkeypatch.setattr(module, "SMALL", 10_000)
    monkeypatch.setattr(module, "ALONE", 40_000)
    for out in (None, tmp_path / "out"):
        rows = prove(words(*COUNTS), out, workers=ONE).as_json()["proofs"]
        assert [{**row, "budget": 0} for row in rows] == [{**row, "budget": 0} for row in expected]
    assert not (tmp_path / "out" / UNDER_WAY).exists()


def test_a_folder_of_other_proofs(tmp_path: Path) -> None:
    out = tmp_path / "out"
    prove(words(781_948), out, workers=ONE)
    with pytest.raises(UsageError, match="list"):
        prove(words(146_692), out, workers=ONE)
    with pytest.raises(UsageError, match="plain"):
        prove(words(781_948), out, plain=5, workers=ONE)


def test_a_damaged_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    prove(words(781_948), out, workers=ONE)
    path = next((out / "deals").iterdir())
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(UsageError, match=path.name):
        prove(words(781_948), out, workers=ONE)


def test_the_command(capsys: Read) -> None:
    assert main(["prove", "781948", "--workers", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plain"] == 1
    for closure in (-1, 2**40 + 1, 10**20):
        assert main(["prove", "781948", "--closure", str(closure)]) == 2
        assert f"--closure {closure}: from 0 to {2**40}" in capsys.readouterr().err


SLOWED = """
import sys, time
from pipeline import cli
from pipeline.proofs import large, prove
large.KEEP_EVERY = 0.0
prove.SMALL = prove.ALONE = 1_000
write = large._write
def slowed(*arguments):
    write(*arguments)
    time.sleep(0.05)
large._write = slowed
sys.exit(cli.main(sys.argv[1:]))
"""


def written(kept: Path) -> dict[Path, int]:
    """When the standing of each large exhaustion was last kept."""
    times = {}
    for path in kept.glob("*/standing"):
        with suppress(FileNotFoundError):  # that walk has just ended
            times[path] = path.stat().st_mtime_ns
    return times


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killed_in_the_middle_of_large_proofs(tmp_path: Path, number: signal.Signals) -> None:
    """Whatever ends it, the same command goes on and comes to the same counts."""
    out = tmp_path / "out"
    command = [sys.executable, "-c", SLOWED, "prove", "11982", "512118", "--workers", "1", "--out", str(out)]
    for _ in range(4):
        kept = out / UNDER_WAY
        before = written(kept)
        run = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while written(kept) == before and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        run.send_signal(number)
        run.wait(60)
        assert run.returncode in (0, -number, 128 + number)
    done = subprocess.run([*command, "--json"], cwd=ROOT, capture_output=True, text=True, check=False)
    rows = json.loads(done.stdout)["proofs"]
    assert done.returncode == 0
    assert [(row["closure"], row["closure_safe"]) for row in rows] == [COUNTS[11_982], COUNTS[512_118]]
    assert os.listdir(out / "deals") == ["proofs-0000011982-0000512118.parquet"]
