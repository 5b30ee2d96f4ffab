"""What the farm costs: that both sides decide the same deals, and what is refused. No test looks at a time."""

import json
import signal
from pathlib import Path

import numpy as np
import psutil
import pytest

from pipeline.cli import main
from pipeline.shards import Task
from pipeline.speed import farm_cost as module
from pipeline.speed import rates
from pipeline.speed.farm_cost import decide_all

Read = pytest.CaptureFixture[str]
CONFIG = 'name = "few"\n[range]\nfirst = 1\nlast = 60\n[rules]\ncells = {cells}\n[store]\nshard = 30\n'


@pytest.fixture
def few(tmp_path: Path) -> Path:
    path = tmp_path / "few.toml"
    path.write_text(CONFIG.format(cells=4))
    return path


def test_a_turn_is_a_run_and_bare_processes(few: Path, capsys: Read) -> None:
    assert main(["bench", "--farm", str(few), "--turns", "1"]) == 0
    said = capsys.readouterr()
    assert "few by" in said.out
    assert "the farm costs" in said.out
    assert "turn 1: farm" in said.err


def test_json(few: Path, capsys: Read) -> None:
    assert main(["bench", "--farm", str(few), "--turns", "2", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert len(report["farm_seconds"]) == len(report["bare_seconds"]) == 2
    assert report["cost"] == pytest.approx(np.median(report["farm_seconds"]) / np.median(report["bare_seconds"]) - 1)


def test_bare_processes_share_the_range(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(module, "seconds_of", lambda given, fine: commands.extend(given) or 1.0)
    module.timed_bare(module.load(few), 7)
    calls = [command[1].split("decide_all")[-1] for command in commands]
    parts = [tuple(map(int, call.strip("()").split(", "))) for call in calls]
    assert [deal for first, last in parts for deal in range(first, last + 1)] == list(range(1, 61))


def test_a_bare_process_makes_both_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    quick: list[Task] = []
    deep: list[int] = []
    monkeypatch.setattr(rates, "TURN", 10)
    monkeypatch.setattr(module, "quick_pass", quick.append)
    monkeypatch.setattr(module, "undecided", lambda task, rows: [task.first])
    monkeypatch.setattr(module, "deep_pass", deep.append)
    decide_all(5, 29)
    assert quick == [Task(5, 8), Task(13, 8), Task(21, 9)]
    assert deep == [5, 13, 21]


def test_other_rules_are_refused(few: Path, capsys: Read) -> None:
    few.write_text(CONFIG.format(cells=3))
    assert main(["bench", "--farm", str(few)]) == 2
    assert "the standard rules and budgets" in capsys.readouterr().err


def test_a_range_is_refused(few: Path, capsys: Read) -> None:
    assert main(["bench", "--farm", str(few), "--range", "1:20"]) == 2
    assert "--farm and --range" in capsys.readouterr().err


FAILS = ["-c", "import sys; print('before\\ngone', file=sys.stderr); sys.exit(3)"]


def test_a_process_that_fails_is_named() -> None:
    with pytest.raises(module.UsageError, match="status 3: gone"):
        module.seconds_of([FAILS], fine=(0,))


def test_a_run_may_leave_deals_undecided() -> None:
    assert module.seconds_of([FAILS], fine=(0, 3)) > 0


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_an_interruption_leaves_no_process(monkeypatch: pytest.MonkeyPatch, end: type[BaseException]) -> None:
    def interrupted(self: object) -> None:
        raise end

    monkeypatch.setattr(module.subprocess.Popen, "communicate", interrupted)
    with pytest.raises(end):
        module.seconds_of([["-c", "import time; time.sleep(600)"]] * 2, fine=(0,))
    children = psutil.Process().children()
    assert not [child for child in children if "time.sleep(600)" in " ".join(child.cmdline())]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_handlers_of_signals_are_restored(number: signal.Signals, status: int) -> None:
    before = signal.getsignal(number)
    with module.exiting_on_signals():
        with pytest.raises(SystemExit) as ended:
            signal.raise_signal(number)
        assert ended.value.code == status
    assert signal.getsignal(number) is before


def test_a_configuration_that_is_not_there(tmp_path: Path, capsys: Read) -> None:
    assert main(["bench", "--farm", str(tmp_path / "none.toml")]) == 2
    assert "none.toml" in capsys.readouterr().err
