"""How fast a run goes on, from its folder alone."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pipeline.census.status import LastRun, going_rate, last_run, status
from pipeline.config import load
from pipeline.places import Remote
from pipeline.shards import WHOLE, Part, shards
from pipeline.store.folder import kept_config
from tests.conftest import ROOT, Make
from tests.pipeline.commands import HOLD

NOON = 1_796_000_000
"""Some second since 1970."""


def log(
    folder: Path, *events: tuple[float, str] | tuple[float, str, int], part: Part = WHOLE, pid: int = 4_711
) -> None:
    """Write a log: seconds after noon, what happened, and the number of a shard."""
    planned = shards(kept_config(folder))
    with (folder / "run.jsonl").open("a") as file:
        for after, event, *which in events:
            line: dict[str, Any] = {"time": datetime.fromtimestamp(NOON + after, UTC).isoformat(), "event": event}
            if event == "start":
                line |= {"pid": pid, "host": "far", "part": str(part)}
            for number in which:
                line |= {"first": planned[number].first, "last": planned[number].last, "undecided": 0}
            file.write(json.dumps(line) + "\n")


def told(folder: Path) -> dict[str, Any]:
    outcome = status(folder)
    assert outcome.status in (0, 3)
    return outcome.as_json()


def test_pauses_and_starting_up_do_not_count(make: Make) -> None:
    folder = make(which=slice(5))
    log(folder, (0, "start"), (90, "shard", 0), (91, "shard", 1), (92, "stop"))
    log(folder, (9_000, "start"), (9_060, "shard", 2), (9_070, "shard", 3), (9_080, "shard", 4))
    said = told(folder)
    assert said["deals_per_second"] == 100 / 20
    assert said["seconds_left"] == 150 / 5
    assert said["active"] is False
    (run,) = said["runs"]
    assert (run["process"], run["host"], run["left"]) == (4_711, "far", 150)
    assert (run["began"], run["last_shard"]) == (NOON + 9_000, NOON + 9_080)
    assert status(folder).status == 3
    assert "no run is active; the last one's 5 deals/s, 30 s left" in "\n".join(status(folder).lines())


def test_a_single_shard_counts_from_the_start(make: Make) -> None:
    folder = make(which=slice(3))
    log(folder, (0, "start"), (5, "shard", 0), (6, "shard", 1), (100, "start"), (110, "shard", 2))
    assert told(folder)["deals_per_second"] == 50 / 10


def test_what_the_deep_pass_writes_again_does_not_count(make: Make) -> None:
    folder = make(which=slice(4))
    log(folder, (0, "start"), (10, "shard", 0), (20, "shard", 1), (21, "again", 0), (22, "again", 1))
    assert told(folder)["deals_per_second"] == 50 / 10


def test_no_shard_of_the_last_run(make: Make) -> None:
    folder = make(which=slice(2))
    log(folder, (0, "start"), (10, "shard", 0), (20, "shard", 1), (30, "stop"), (40, "start"))
    said = told(folder)
    assert said["deals_per_second"] is said["seconds_left"] is None
    assert status(folder).status == 3
    assert "no run is active" in "\n".join(status(folder).lines())


def test_no_log_and_a_log_cut_short(make: Make) -> None:
    folder = make(which=slice(4))
    assert told(folder)["deals_per_second"] is None
    log(folder, (0, "start"), (10, "shard", 0), (20, "shard", 1))
    with (folder / "run.jsonl").open("a") as file:
        file.write('{"time": "2026-11-')
    assert told(folder)["deals_per_second"] == 5


def test_only_the_deep_pass_is_left(make: Make) -> None:
    folder = make(undecided={12_000})
    log(folder, (0, "start"), (10, "shard", 0), (20, "shard", 1))
    assert told(folder)["seconds_left"] is None
    assert status(folder).status == 3
    assert "the undecided are left for the deep pass; no run is active" in "\n".join(status(folder).lines())


def test_a_run_that_goes_on(make: Make, small: Path) -> None:
    folder = make(which=slice(5))
    log(folder, (0, "start"), (10, "shard", 3), (20, "shard", 4))
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(small), str(folder)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert told(folder)["active"] is True
        said = status(folder).lines()
        assert said[1].startswith(f"starting in {folder}: process {holder.pid} on ")
        assert said[2] == "5 deals/s, 30 s left"
        log(folder, (30, "start"), pid=holder.pid)
        assert status(folder).lines()[1].startswith(f"running in {folder}: process {holder.pid} on far, begun 20")
        holder.communicate("")
    assert told(folder)["active"] is False


def test_parts(make: Make) -> None:
    one = make(which=slice(0, 3, 2), name="whole/part-1-of-2")
    other = make(which=slice(1, 8, 2), name="whole/part-2-of-2")
    log(one, (0, "start"), (10, "shard", 0), (20, "shard", 2), part=Part(1, 2))
    log(other, (0, "start"), (10, "shard", 1), (14, "shard", 3), part=Part(2, 2))
    said = told(one.parent)
    assert [run["left"] for run in said["runs"]] == [100, 0]
    assert said["done"] == 300
    assert status(other).status == 3
    assert "the other deals are those of other parts" in "\n".join(status(other).lines())
    assert told(other)["seconds_left"] is None


def a_run(active: bool | None, rate: float | None, left: int = 10, began: float = 0) -> LastRun:
    return LastRun("x", active, 1, "far", began, None, rate, left)


@pytest.mark.parametrize(
    ("runs", "rate"),
    [
        ([], None),
        ([a_run(True, None)], None),
        ([a_run(True, 5), a_run(None, 6), a_run(False, 100)], 11),
        ([a_run(True, 5), a_run(True, 6, left=0)], 5),
        ([a_run(False, 5, began=7), a_run(False, 6, began=3)], 5),
    ],
)
def test_the_rate_is_that_of_all_runs_that_go_on(runs: list[LastRun], rate: float | None) -> None:
    assert going_rate(runs) == rate


def in_store(times: dict[str, float], files: dict[str, bytes]) -> Remote:
    """A folder of a store: when its objects were put, and what is in some of them."""

    class Store(Remote):
        def times(self) -> dict[str, float]:
            return {name: time for name, time in times.items() if name.startswith("deals-") == (self.name == "deals")}

        def is_dir(self) -> bool:
            return True

        def is_file(self) -> bool:
            return self.name in files

        def read_bytes(self) -> bytes:
            return files[self.name]

        def __truediv__(self, name: str) -> "Store":
            return Store(f"{self.url}/{name}", f"{self.path}/{name}", None)

    return Store("s3://bucket/a", "bucket/a", None)


@pytest.mark.parametrize(("ended", "active"), [(False, None), (True, False)])
def test_a_store_by_its_own_clock(small: Path, ended: bool, active: bool | None) -> None:
    config = load(small)
    names = [shard.name for shard in shards(config)]
    before = {names[0]: 1.0, names[1]: 2.0}
    times = before | {"config.toml": 1_000.0, names[2]: 1_010.0, names[4]: 1_030.0, names[3]: 1_020.0}
    when = "2026-11-30T00:00:00+00:00"
    lines = [{"time": when, "event": "start", "pid": 8, "host": "far"}, {"time": when, "event": "stop"}][: 1 + ended]
    log = "".join(json.dumps(line) + "\n" for line in lines)
    run = last_run(config, in_store(times, {"run.jsonl": log.encode()}))
    assert run == LastRun("s3://bucket/a", active, 8, "far", 1_000.0, 1_030.0, 100 / 20, 150)
