"""What a run would take, before it."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from pipeline.census import forecast as module
from pipeline.census.forecast import DEALS, SAMPLE, sample
from pipeline.census.passes import TASKS_A_WORKER
from pipeline.cli import main
from pipeline.config import Config, Range, Store, load
from pipeline.shards import Shard, Task, shards
from pipeline.store.folder import missing
from tests.conftest import ROOT, Make

Read = pytest.CaptureFixture[str]


def test_nothing_is_written(small: Path, tmp_path: Path, capsys: Read) -> None:
    assert main(["run", str(small), "--out", str(tmp_path / "out"), "--dry-run", "--json", "--workers", "1"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["shards"], plan["deals"], plan["bytes"], plan["workers"]) == (8, 400, 1_000, 1)
    assert plan["seconds"] == pytest.approx(400 / plan["deals_per_second"])
    assert not (tmp_path / "out").exists()


def test_only_what_is_left(make: Make, small: Path, capsys: Read) -> None:
    folder = make(undecided={11_850, 11_990}, which=slice(5))
    before = sorted(path.name for path in folder.iterdir())
    assert main(["run", str(small), "--out", str(folder), "--dry-run", "--workers", "2"]) == 0
    said = capsys.readouterr().out
    assert f"3 shards to write, 150 deals, about 0.4 kB in {folder}" in said
    assert "by 2 workers that come to" in said
    assert "2 undecided deals there already, left for the deep pass" in said
    assert sorted(path.name for path in folder.iterdir()) == before


def test_nothing_is_left(make: Make, small: Path, capsys: Read) -> None:
    folder = make()
    assert main(["run", str(small), "--out", str(folder), "--dry-run"]) == 0
    assert capsys.readouterr().out == f"no shard to write: all are in {folder}\n"


def test_a_known_list_that_is_not_there(make: Make, small: Path, tmp_path: Path, capsys: Read) -> None:
    (named := tmp_path / "named.toml").write_text(
        small.read_text().replace("results/known/unsolvable-10m.txt", "no/list.txt")
    )
    assert main(["run", str(named), "--out", str(tmp_path / "out"), "--part", "8/8", "--dry-run"]) == 0
    assert "no/list.txt isn't there: `verify` will need another one" in capsys.readouterr().out


def test_one_part(small: Path, tmp_path: Path, capsys: Read) -> None:
    arguments = ["run", str(small), "--out", str(tmp_path / "out"), "--part", "2/7", "--dry-run", "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["shards"] == 1


def test_refused_as_the_run_is(make: Make, small: Path, capsys: Read) -> None:
    folder = make()
    small.write_text(small.read_text().replace("quick = [60, 400]", "quick = [60, 500]"))
    assert main(["run", str(small), "--out", str(folder), "--dry-run"]) == 2
    assert "another configuration (search.quick)" in capsys.readouterr().err


def test_the_sample_is_evenly_taken() -> None:
    config = load(ROOT / "configs/full-2p33.toml")
    tasks = sample(config, shards(config), 2)
    assert len(tasks) == 2 * SAMPLE
    steps = {other.first - task.first for task, other in pairwise(tasks)}
    assert max(steps) - min(steps) <= 1
    assert all(task.count == DEALS for task in tasks)


def test_the_sample_ends_in_time_but_leaves_no_worker_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.0)
    tasks = [Task(first, 1) for first in range(1, 100)]
    assert list(module.in_time(tasks, 3)) == tasks[: 3 * TASKS_A_WORKER]
    monkeypatch.setattr(module, "SECONDS", 1_000.0)
    assert list(module.in_time(tasks, 3)) == tasks


def test_the_sample_stays_in_what_is_to_do(tmp_path: Path) -> None:
    config = Config("any", Range(1, 10_000), store=Store(300))
    (tmp_path / "deals").mkdir()
    (tmp_path / "deals" / Shard(301, 600).name).touch()
    todo = missing(config, tmp_path)
    for task in sample(config, todo, 3):
        assert any(shard.first <= task.first and task.first + task.count - 1 <= shard.last for shard in todo)


def test_full_census_fits() -> None:
    """8.6 billion deals: thousands of files, not millions, and a shard is under a minute of work for one worker."""
    config = load(ROOT / "configs/full-2p33.toml")
    assert len(shards(config)) == 8_590
    assert shards(config)[-1].last == 2**33 - 1
