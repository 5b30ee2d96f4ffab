"""Comparison of results: folders, single files and lists, that overlap in full, in part or not at all."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.dealing import LAST_DEAL
from pipeline.cli import main
from pipeline.config import load
from pipeline.errors import UsageError
from pipeline.evidence import diff_sides, tables
from pipeline.evidence.chunks import Chunk
from pipeline.evidence.diff import SHOWN, Tally, aligned, diff, differences
from pipeline.store import parquet
from pipeline.store.folder import written
from tests.conftest import ROOT, Make, as_schema_1

FIRST, LAST = 11_801, 12_200

Read = pytest.CaptureFixture[str]


def as_one_file(folder: Path, path: Path, **changes: Any) -> Path:
    """A result as one Parquet file: without some deals, with the cells of others exchanged."""
    table = pa.concat_tables([pq.read_table(part) for part in sorted((folder / "deals").glob("*.parquet"))])
    rows = [row for row in table.to_pylist() if row["deal"] not in changes.get("without", ())]
    for row in rows:
        row.update(changes.get("exchange", {}).get(row["deal"], {}))
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    return path


def said(a: Path, b: Path, status: int, **options: Any) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(json.dumps(diff(a, str(b), **options).as_json()))
    assert report["status"] == status
    return report


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    path = tmp_path / "known.txt"
    path.write_text(f"# range {FIRST} {LAST}\n11982\n")
    return path


def test_equal(make: Make, listed: Path, tmp_path: Path) -> None:
    folder = make()
    file = as_one_file(folder, tmp_path / "one.parquet")
    for a, b, figures in ((folder, folder, True), (folder, file, True), (file, listed, False), (listed, listed, False)):
        report = said(a, b, 0, figures=figures)
        assert report["compared"] == 400
        assert not any(report["first"].values())


LOST = """
import os, signal, sys
from pipeline import cli
from {room} import {module}

def losing(*arguments):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("no pandas") from None

{module}.{function} = losing
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("room", "module", "function"), [("pipeline.evidence", "diff", "aligned"), ("pipeline.deals", "deal", "_tables")]
)
def test_a_library_may_lose_ctrl_c(listed: Path, tmp_path: Path, room: str, module: str, function: str) -> None:
    words = ["diff", listed, listed] if module == "diff" else ["deal", "--range", "1:9"]
    script = LOST.format(room=room, module=module, function=function)
    command = [sys.executable, "-c", script, *words, "--out", tmp_path / "out.parquet"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["known.txt"]


def test_three_planted_changes(make: Make, tmp_path: Path) -> None:
    folder, out = make({11_982, 12_000}), tmp_path / "out.parquet"
    exchange = {11_982: {"verdict": "solved", "closure": None, "moves": 80}, 12_000: {"closure": 83_238}}
    file = as_one_file(folder, tmp_path / "one.parquet", exchange=exchange, without={11_900})
    report = said(folder, file, 1, figures=True, out=out)
    assert report["first"] == {
        "contradictions": [
            {"deal": 11_982, "a": "unsolvable", "b": "solved", "moves": [None, 80], "closure": [83_239, None]}
        ],
        "changed": [],
        "only_a": [[11_900, 11_900]],
        "only_b": [],
        "figures": [{"deal": 12_000, "a": "unsolvable", "b": "unsolvable", "closure": [83_239, 83_238]}],
    }
    assert report["figures"] == {"deals": 1, "positions": 0, "moves": 0, "closure": 1, "closure_safe": 0, "attempt": 0}
    rows = pq.read_table(out).sort_by("deal").to_pylist()
    assert [(row["deal"], row["kind"], row["verdict_a"], row["verdict_b"]) for row in rows] == [
        (11_900, "only in A", "solved", None),
        (11_982, "contradiction", "unsolvable", "solved"),
        (12_000, "figures", "unsolvable", "unsolvable"),
    ]
    assert [(row["closure_a"], row["closure_b"]) for row in rows] == [(None, None), (83_239, None), (83_239, 83_238)]
    text = "\n".join(diff(folder, file, figures=True).lines())
    assert "11982: unsolvable | solved, moves - | 80, closure 83,239 | -" in text
    assert text.index("CONTRADICTIONS") < text.index("11982: unsolvable | solved") < text.index("only in A")
    assert "399 deals compared: differences as above" in text


def test_other_deals_do_not_make_those_of_both_sides_differ(make: Make, tmp_path: Path) -> None:
    folder = make()
    file = as_one_file(folder, tmp_path / "one.parquet", without={11_900})
    found = diff(folder, file, figures=True)
    assert (found.status, found.tally.compared) == (1, 399)
    assert "equal verdicts and figures" in found.lines()[-1]


def test_the_grade_of_a_proof_is_named_where_it_differs(make: Make, tmp_path: Path) -> None:
    folder = make()
    file = as_one_file(folder, tmp_path / "one.parquet", exchange={11_982: {"closure": None}})
    found = diff(folder, file, figures=True)
    (row,) = found.as_json()["first"]["figures"]
    assert row["grade"] == ["plain", "safe autoplay only"]
    assert any("safe autoplay only" in line for line in found.lines())


def test_a_result_of_schema_1_has_no_counts_with_safe_autoplay(make: Make) -> None:
    new, old = make(name="new"), as_schema_1(make(name="old"))
    assert said(new, old, 0, figures=True)["figures"] == {
        "deals": 0,
        **dict.fromkeys(["positions", "moves", "closure", "attempt"], 0),
    }


def test_figures_only_when_asked_for(make: Make, tmp_path: Path) -> None:
    folder = make()
    file = as_one_file(folder, tmp_path / "one.parquet", exchange={11_801: {"positions": 51}, 11_802: {"moves": 91}})
    assert said(folder, file, 0)["figures"] is None
    assert said(folder, file, 1, figures=True)["figures"]["deals"] == 2


def test_undecided_is_a_change_and_no_contradiction(make: Make, listed: Path) -> None:
    report = said(make(set(), {11_982, 12_001}), listed, 1)
    assert (report["contradictions"], report["changed"]) == (0, 2)
    assert report["first"]["changed"][0] == {"deal": 11_982, "a": "undecided", "b": "unsolvable"}


def test_ranges_that_overlap_in_part(make: Make, tmp_path: Path) -> None:
    low, high = make(which=slice(0, 5), name="low"), make(which=slice(3, None), name="high")
    report = said(low, high, 1)
    assert (report["compared"], report["only_a"], report["only_b"]) == (100, 150, 150)
    assert report["first"]["only_a"] == [[FIRST, 11_950]]
    assert report["first"]["only_b"] == [[12_051, LAST]]
    apart = make(which=slice(0, 1), name="apart")
    assert said(apart, high, 1)["compared"] == 0
    many = tmp_path / "many.txt"
    many.write_text("".join(f"# range {deal} {deal}\n" for deal in range(11_802, 11_900, 2)))
    assert said(low, many, 1)["only_a"] == 250 - 49
    assert len(report["first"]["only_a"]) <= SHOWN


def test_a_list_says_what_it_covers(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "windows.txt"
    path.write_text("# range 11961 12000\n# range 11901 11980\n# range 12100 12300\n11982\n12250\n")
    report = said(make(), path, 1)
    assert report["compared"] == 100 + 101
    assert (report["contradictions"], report["only_b"]) == (0, 100)
    assert report["first"]["only_a"] == [[FIRST, 11_900], [12_001, 12_099]]


def test_chunks_of_any_size(make: Make, listed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (diff_sides, tables):
        monkeypatch.setattr(module, "CHUNK", 7)
    folder = make()
    file = as_one_file(folder, tmp_path / "one.parquet")
    for a, b in ((folder, file), (listed, file), (file, file)):
        assert diff(str(a), str(b)).status == 0


def test_a_list_of_the_whole_range_costs_no_rows_where_the_other_side_has_none(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "all.txt"
    path.write_text(f"# range 1 {LAST_DEAL}\n11982\n8589934000\n")
    folder = make({11_982, 12_000})
    for a, b, only in ((folder, path, "only_b"), (path, folder, "only_a")):
        report = said(a, b, 1)
        assert (report["compared"], report["contradictions"], report[only]) == (400, 1, LAST_DEAL - 400)
        assert report["first"][only] == [[1, FIRST - 1], [LAST + 1, LAST_DEAL]]


def test_figures_where_a_side_ends_first(make: Make) -> None:
    whole, short = make(name="whole"), make(which=slice(0, 5), name="short")
    for a, b, only in ((whole, short, "only_a"), (short, whole, "only_b")):
        report = said(a, b, 1, figures=True)
        assert (report["compared"], report[only], report["figures"]["deals"]) == (250, 150, 0)


@settings(deadline=None, max_examples=200)
@given(
    *(st.dictionaries(st.integers(1, 30), st.integers(0, 2)) for _ in range(2)),
    *(st.integers(1, 9) for _ in range(2)),
)
def test_the_plain_way(a: dict[int, int], b: dict[int, int], size_a: int, size_b: int) -> None:
    def chunks(rows: dict[int, int], size: int) -> Any:
        deals = sorted(rows)
        for start in range(0, len(deals), size):
            part = deals[start : start + size]
            yield Chunk(np.array(part, np.uint64), np.array([rows[deal] for deal in part], np.uint8), {})

    tally = Tally(())
    for pair in aligned(chunks(a, size_a), chunks(b, size_b)):
        for found in differences(*pair, tally):
            tally.add(found)
    common = a.keys() & b.keys()
    assert tally.compared == len(common)
    others = [deal for deal in common if a[deal] != b[deal]]
    contradictions = [deal for deal in others if a[deal] and b[deal]]
    assert tally.counts == [
        len(contradictions),
        len(others) - len(contradictions),
        len(a.keys() - common),
        len(b.keys() - common),
        0,
    ]
    assert [row["deal"] for row in tally.as_json()["first"]["contradictions"]] == sorted(contradictions)[:SHOWN]


def test_files_that_are_no_side(make: Make, listed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ANY_ORDER", 0)  # as with a large file, which has to be in order
    folder, path = str(make()), tmp_path / "other.parquet"
    good = pq.read_table(as_one_file(Path(folder), path))
    bare = good.select(["deal", "verdict"])
    won = pc.replace_substring(good["verdict"].cast(pa.string()), "solved", "won")
    shuffled = good.take([1, 0, *range(2, len(good))])
    twice = pa.concat_tables([good, good])
    fractions = pa.array(np.arange(len(good)) + 0.5)
    for table, complaint in (
        (good.drop_columns(["deal"]), "it has no column deal"),
        (good.set_column(1, "verdict", won), "'won' is no verdict"),
        (shuffled, "deal 11801 comes after deal 11802: sort it"),
        (twice, "deal 11801 comes after deal 12200"),
        (good.set_column(0, "deal", fractions), "deal holds no whole numbers"),
        (good.set_column(0, "deal", pc.add(good["deal"], pa.scalar(2**33, pa.uint64()))), "8589946393 is no deal"),
        (good.append_column("deal", good["deal"]), "more than one column deal"),
        (pa.table({"row": pa.array(bare.to_pylist())}), "it has no column deal and no column verdict"),
    ):
        pq.write_table(table, path)
        with pytest.raises(UsageError, match=complaint):
            diff(folder, str(path))
    pq.write_table(bare, path)
    assert diff(folder, str(path)).status == 0
    with pytest.raises(UsageError, match=r"other\.parquet has no figures"):
        diff(folder, str(path), figures=True)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(UsageError, match="no Parquet file"):
        diff(folder, str(path))
    with pytest.raises(UsageError, match="none is not the folder of a run"):
        diff(folder, "none")


def test_a_shard_that_was_cut_short_is_named_with_what_to_do(make: Make, listed: Path) -> None:
    folder = make()
    shard = sorted((folder / "deals").iterdir())[2]
    shard.write_bytes(shard.read_bytes()[:-100])
    with pytest.raises(UsageError, match=f"{shard} is corrupt.*remove it"):
        diff(folder, listed)
    with pytest.raises(UsageError, match=f"{shard} is no Parquet file.*copied"):
        diff(shard, listed)


def test_deals_that_a_run_has_not_come_to_are_counted(make: Make, listed: Path) -> None:
    found = diff(make(which=slice(3)), listed)
    assert found.lines()[0].endswith("150 deals; 250 of its census are not there yet")
    assert found.lines()[1].endswith("deals")
    assert (found.as_json()["missing_a"], found.as_json()["missing_b"]) == (250, 0)


def test_rules_that_are_no_text(make: Make, tmp_path: Path) -> None:
    folder = make()
    path = as_one_file(folder, tmp_path / "other.parquet")
    pq.write_table(pq.read_table(path).replace_schema_metadata({b"freecell_census.rules": b"\xff"}), path)
    with pytest.raises(UsageError, match="different games"):
        diff(str(folder), str(path))


def test_out_takes_the_place_of_nothing_that_is_compared(make: Make, listed: Path, tmp_path: Path) -> None:
    folder = make()
    file = as_one_file(folder, tmp_path / "one.parquet")
    link = tmp_path / "link"
    link.symlink_to(file)
    for out in (file, link, listed, folder / "config.toml", *(folder / "deals").glob("*.parquet")):
        before = out.read_bytes()
        with pytest.raises(UsageError, match="take another name"):
            diff(str(file), str(listed), out=out)
        assert out.read_bytes() == before


def test_different_games(make: Make, listed: Path) -> None:
    folder = make()
    config = folder / "config.toml"
    config.write_text(config.read_text().replace("cells = 4", "cells = 5"))
    for shard in written(folder):
        parquet.write(folder, shard, parquet.read(folder, shard), load(config))
    with pytest.raises(UsageError, match="different games"):
        diff(str(folder), str(listed))


def test_nothing_is_left_of_an_out_that_failed(make: Make, tmp_path: Path) -> None:
    folder, out = make(), tmp_path / "out.parquet"
    broken = sorted((folder / "deals").glob("*.parquet"))[3]
    content = bytearray(broken.read_bytes())
    content[60] ^= 1
    broken.write_bytes(content)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UsageError, match="corrupt"):
        diff(str(folder), str(folder), out=out)
    assert sorted(tmp_path.iterdir()) == before


def test_the_command(make: Make, listed: Path, tmp_path: Path, capsys: Read) -> None:
    folder = str(make({11_990}))
    assert main(["diff", folder, str(listed), "--out", str(tmp_path / "out.parquet")]) == 1
    heard = capsys.readouterr().out
    assert "CONTRADICTIONS, solved on one side and unsolvable on the other: 2 deals" in heard
    assert "  11982: solved | unsolvable\n  11990: unsolvable | solved\n" in heard
    assert pq.read_table(tmp_path / "out.parquet")["verdict_a"].to_pylist() == ["solved", "unsolvable"]
    assert main(["diff", folder, "none"]) == 2
