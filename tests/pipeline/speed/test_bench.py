"""The bench: what it prints, and what becomes of a signature that changed. No test looks at a time."""

import json
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.config import Search
from pipeline.speed import bench as module
from pipeline.speed import freecell_solver, one_process, rates, signature
from pipeline.speed.bench import DEALT, Proofs, dealing_from, proofs_of, row, signature_of
from pipeline.speed.rates import Ratio, Speed, speed_over

Read = pytest.CaptureFixture[str]

SPEED = Speed(1, 20, 5, 20, 2_000, 40.0, 8.0, Ratio(5.0, 4.5, 5.5), 0.125, 100.0, 250.0)


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The signature is counted over ten deals, and its file holds the right number."""
    monkeypatch.setattr(signature, "LAST", 10)
    file = tmp_path / "signature.txt"
    file.write_text(f"{speed_over(1, 10, 1, with_rival=False).positions}\n")
    monkeypatch.setattr(signature, "FILE", file)
    return file


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rival isn't there."""
    monkeypatch.setattr(freecell_solver, "installed", lambda: False)


@pytest.fixture
def opposed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rival is there and takes a second each time."""
    monkeypatch.setattr(freecell_solver, "installed", lambda: True)
    monkeypatch.setattr(freecell_solver, "seconds", lambda first, last: 1.0)


@pytest.mark.usefixtures("opposed", "announced")
def test_json(capsys: Read) -> None:
    assert main(["bench", "--range", "1:20", "--turns", "2", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report.keys() == {"deals_per_second", "ranges", "dealing", "proofs", "signature"}
    (line,) = report["ranges"]
    assert line.keys() == set(Speed._fields)
    assert line["ratio"].keys() == set(Ratio._fields)
    assert (line["first"], line["last"], line["turns"], line["deals"]) == (1, 20, 2, 20)
    assert line["rival_deals_per_second"] == 10.0
    assert report["deals_per_second"] == pytest.approx(line["deals_per_second"])
    assert report["signature"]["announced"] == report["signature"]["counted"]


@pytest.mark.usefixtures("alone", "announced")
def test_without_the_rival_our_side_alone(capsys: Read) -> None:
    assert main(["bench", "--range", "1:20"]) == 0
    said = capsys.readouterr()
    assert "apt install freecell-solver-bin" in said.err
    assert "1..20" in said.out
    assert main(["bench", "--range", "1:20", "--json"]) == 0
    (line,) = json.loads(capsys.readouterr().out)["ranges"]
    assert line["ratio"] is None
    assert line["rival_deals_per_second"] is None
    assert line["deals_per_second"] > 0


@pytest.mark.usefixtures("alone")
def test_signature_that_changed(announced: Path, capsys: Read) -> None:
    right = announced.read_text().strip()
    announced.write_text("1234567\n")
    assert main(["bench", "--range", "1:20"]) == 1
    said = capsys.readouterr().out
    assert f"SIGNATURE CHANGED: {int(right):,} positions over 1..10, but 1,234,567 is announced" in said
    assert f"echo {right} > {announced}" in said


@pytest.mark.usefixtures("alone")
def test_signature_that_nobody_announced(announced: Path, capsys: Read) -> None:
    announced.unlink()
    assert main(["bench", "--range", "1:20", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["signature"]["announced"] is None
    assert main(["bench", "--range", "1:20"]) == 1
    assert "none is announced" in capsys.readouterr().out


def test_signature_that_is_no_number(announced: Path, capsys: Read) -> None:
    announced.write_text("12e3\n")
    assert main(["bench", "--range", "1:20"]) == 2
    assert "'12e3' is no signature" in capsys.readouterr().err


@pytest.mark.usefixtures("announced")
def test_signature_comes_out_of_the_measured_range() -> None:
    assert signature_of([SPEED, SPEED._replace(last=10, positions=77)]) == 77
    assert signature_of([SPEED]) == speed_over(1, 10, 3, with_rival=False).positions


@pytest.mark.usefixtures("opposed", "announced")
def test_everything_in_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Read) -> None:
    unsolvable = tmp_path / "unsolvable.txt"
    unsolvable.write_text("# range 1 100000\n11982\n")
    monkeypatch.setattr(module, "UNSOLVABLE_DEALS", unsolvable)
    monkeypatch.setattr(module, "RANGES", ((1, 10), (2**32, 2**32 + 9)))
    monkeypatch.setattr(module, "BLOCKS", 1)
    assert main(["bench", "--turns", "1"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header == module.HEADER
    assert [line.split()[0] for line in lines[:2]] == ["1..10", "4,294,967,296..4,294,967,305"]
    assert [line.split(" on:")[0] for line in lines[2:5]] == [f"dealing from {first:,}" for first in module.BANDS]
    assert lines[5].startswith("proofs: 1 of 1 unsolvable deals, ")
    assert lines[6].startswith("signature: ")
    assert len(lines) == 7


def test_row_below_its_header() -> None:
    line = row(SPEED)
    assert line.split() == ["1..20", "40", "8", "5.00", "(4.50..5.50)", "12.5%", "100.0", "250"]
    assert len(line) == len(module.HEADER)
    assert row(SPEED._replace(rival_deals_per_second=None, ratio=None)).split()[2:4] == ["-", "-"]


def test_deals_per_second_over_all_ranges() -> None:
    faster = SPEED._replace(deals=60, deals_per_second=120.0)
    report = module.Measured([SPEED, faster], [], Proofs(2, 1, 9.0), 5, 5).as_json()
    assert report["deals_per_second"] == 80.0
    assert report["proofs"] == {"deals": 2, "proved": 1, "per_second": 9.0}


def test_proofs_in_both_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_process, "SEARCH", Search(quick=(1_000, 1_001, 1_002), deep=(200_000,), closure=200_000))
    monkeypatch.setattr(module, "timed", lambda work: (work(), 0.75))
    monkeypatch.setattr(rates, "timed", lambda work: (work(), 0.25))
    assert proofs_of([1, 11_982]) == Proofs(2, 1, 2.0)


@pytest.mark.parametrize("first", module.BANDS)
def test_dealing_has_a_speed(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCKS", 1)
    monkeypatch.setattr(module, "timed", lambda work: (work(), 0.5))
    assert dealing_from(first) == (first, 2 * DEALT)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--turns", "0"], "--turns 0: at least 1"),
        (["--range", "1-5"], "'1-5' is no range of deals"),
        (["--range", "0:5"], "8589934591"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, capsys: Read) -> None:
    assert main(["bench", *arguments]) == 2
    assert said in capsys.readouterr().err
