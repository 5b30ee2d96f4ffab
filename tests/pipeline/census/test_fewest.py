"""The fewest cells: made in one go or in several, and in every command that reads a result."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kernels.contradiction import Contradiction
from pipeline.census.run import run
from pipeline.census.status import status
from pipeline.cli import main
from pipeline.config import Game, load, with_fewest_cells
from pipeline.errors import UsageError
from pipeline.evidence.audit import audit
from pipeline.evidence.diff import diff
from pipeline.evidence.summary import results
from pipeline.evidence.verify import verify
from pipeline.report.report import report
from pipeline.shards import shards
from pipeline.store import parquet
from pipeline.store.result import open_result
from tests.conftest import FEWEST, digests

NEEDED = {11_979: 2, 11_980: 3, 11_981: 2, 11_982: 5, 11_983: 1, 11_984: 2}
Read = pytest.CaptureFixture[str]


def altered(folder: Path, **columns: int) -> Path:
    """A result in which the second deal has other figures."""
    config = load(folder / "config.toml")
    shard = shards(config)[0]
    rows = parquet.read(folder, shard)
    for name, value in columns.items():
        column = getattr(rows, name).copy()
        column[1] = value
        rows = rows._replace(**{name: column})
    parquet.write(folder, shard, rows, config)
    return folder


def test_the_rows(fewest: Path) -> None:
    rows = {row["deal"]: row for row in open_result(fewest).table().to_pylist()}
    assert {deal: row["cells"] for deal, row in rows.items()} == NEEDED
    assert (rows[11_982]["closure"], rows[11_982]["closure_safe"]) == (None, 61_643)
    assert (rows[11_980]["closure"], rows[11_980]["closure_safe"]) == (740, 724)
    assert pq.read_table(fewest / "deals").column_names[-2:] == ["cells", "solution"]


def test_made_in_several_runs(fewest: Path, tmp_path: Path, capsys: Read) -> None:
    """With fewer deep attempts at first, under the name of a census that knows nothing of the fewest cells."""
    path, out = tmp_path / "parts.toml", tmp_path / "out"
    text = FEWEST.replace("few-fewest", "few").replace("fewest = true\n", "")
    path.write_text(text.replace("deep = [20_000, 50_000]", "deep = []").replace("800, 3_000", "800, 1_500"))
    assert main(["fewest-cells", str(path), "--out", str(out), "--workers", "1"]) == 3
    assert "fewest" not in capsys.readouterr().err  # nothing was stopped
    path.write_text(text)
    with pytest.raises(UsageError, match=r"search\.quick"):
        run(path, out, workers=1, fewest=True)
    path.write_text(text.replace("800, 3_000", "800, 1_500").replace("[20_000", "[3_000, 20_000"))
    done = run(path, out, workers=1, fewest=True)
    assert (done.status, done.counts.solved) == (0, 6)
    assert digests(out).keys() == digests(fewest).keys()
    assert diff(out, fewest).status == 0


def test_name_and_rules_of_the_census(tmp_path: Path) -> None:
    path = tmp_path / "few.toml"
    path.write_text(FEWEST)
    config = load(path)
    assert with_fewest_cells(config) == config
    path.write_text(FEWEST.replace("few-fewest", "few").replace("fewest = true\n", ""))
    assert with_fewest_cells(load(path)) == config
    assert str(config.rules) == "FreeCell with at most 5 cells"
    assert config.rules != Game("freecell", 5)


def test_status_and_verify(fewest: Path) -> None:
    assert status(fewest).complete
    found = verify(fewest)
    assert (found.status, found.as_json()["cells"]) == (0, {0: 0, 1: 1, 2: 3, 3: 1, 4: 0, 5: 1})
    assert found.as_json()["grades"] == {"plain": 5, "safe autoplay only": 1}
    assert "2 (3 deals)" in found.lines()[1]
    assert found.lines()[2].endswith(": 0 (6 deals), 1 (5 deals), 2 (2 deals), 3 (1 deal), 4 (1 deal), 5 (0 deals)")


@pytest.mark.parametrize(("column", "value"), [("cells", 6), ("safe_closures", 0)])
def test_rows_that_no_run_writes(fewest: Path, column: str, value: int) -> None:
    with pytest.raises(parquet.Corrupt):
        verify(altered(fewest, **{column: value}))


def test_the_audit_derives_each_proof_with_its_own_cells(fewest: Path) -> None:
    done = audit(fewest)
    assert (done.proofs, done.exhausted, done.safe_only) == (6, 6, [11_982])
    assert (done.solved_again, done.replayed) == (6, 6)


@pytest.mark.parametrize("columns", [{"closures": 741}, {"cells": 2}])
def test_the_audit_notices(fewest: Path, columns: dict[str, int]) -> None:
    with pytest.raises(Contradiction, match="11980"):
        audit(altered(fewest, **columns))


def test_other_cells_contradict(fewest: Path, tmp_path: Path) -> None:
    before = tmp_path / "before.parquet"
    pq.write_table(pq.read_table(fewest / "deals"), before)
    out = tmp_path / "out.parquet"
    found = diff(before, altered(fewest, cells=4), out=out)
    assert (found.status, found.as_json()["contradictions"]) == (1, 1)
    assert found.as_json()["first"]["contradictions"][0]["cells"] == [3, 4]
    (row,) = pq.read_table(out).to_pylist()
    assert (row["deal"], row["kind"], row["cells_a"], row["cells_b"]) == (11_980, "contradiction", 3, 4)


def test_summary(fewest: Path) -> None:
    summary = json.loads(Path(str(results(fewest).path)).read_text())
    assert summary["rules"] == {"game": "freecell", "cells": 5, "fewest": True}
    assert summary["fewest_cells"] == {"0": 0, "1": 1, "2": 3, "3": 1, "4": 0, "5": 1}
    assert summary["proofs"] == {"plain": 5, "safe autoplay only": 1}
    assert summary["largest"]["closure_safe"] == 61_643
    assert str(audit(fewest).published).startswith("2 of 2")


def test_report(fewest: Path, make: object, tmp_path: Path) -> None:
    page = Path(str(report([fewest], out=tmp_path / "page.html").path)).read_text()
    assert "few-fewest: census of FreeCell with at most 5 cells" in page
    assert "Deals by the fewest cells that solve them" in page
