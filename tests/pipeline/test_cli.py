"""The command line: exit statuses, streams, and messages instead of tracebacks."""

import json
import os
import signal
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from pipeline.census import run
from pipeline.cli import main
from pipeline.deals import solve
from pipeline.environment import unusable_settings
from tests.conftest import ROOT, Make

COMMANDS = ("deal", "solve", "run", "status", "verify", "audit", "diff", "export", "results", "report", "bench")

Read = pytest.CaptureFixture[str]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, capsys: Read) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert f"example:\n  freecell-census {command} " in said
    assert "--json" in said


def test_version(capsys: Read) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"freecell-census {version('freecell-census')}\n"


def test_help_needs_no_kernels() -> None:
    script = (
        "import sys; from pipeline.cli import _parser; _parser(); "
        "print('numba' in sys.modules, 'pyarrow' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


@pytest.mark.parametrize("number", ["0", "-1", "8589934592", "abc", "1.5"])
def test_numbers_that_are_no_deals(number: str, capsys: Read) -> None:
    for command in ("deal", "solve"):
        assert main([command, number]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert number in said.err
        assert "8589934591" in said.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["deal"], "either a deal number, or --range"),
        (["deal", "1", "--range", "1:2"], "either a deal number, or --range"),
        (["deal", "--range", "1:2"], "either a deal number, or --range"),
        (["solve"], "either a deal number, or --board"),
        (["solve", "1", "--cells", "9"], "9 cells: a number from 0 to 8"),
        (["solve", "1", "--game", "spider"], "unknown game 'spider'"),
        (["solve", "1", "--budget", "0"], "--budget 0: from 1 to"),
        (["solve", "1", "--budget", "4294967296"], "--budget 4294967296: from 1 to 268435452"),
        (["solve", "--board", "none.txt"], "none.txt: No such file"),
        (["run", "none.toml"], "can't read the configuration none.toml"),
        (["run", "configs/smoke.toml", "--workers", "0"], "--workers 0: from 1 to"),
        (["run", "configs/smoke.toml", "--max-time", "8"], "--max-time 8: a number with its unit"),
        (["run", "configs/smoke.toml", "--max-time", "9" * 5_000 + "h"], "a number with its unit"),
        (["status", "none"], "none is not the folder of a run"),
        (["verify", "none"], "none is not the folder of a run"),
        (["export", "none", "--verdict", "solved"], "none is not the folder of a run"),
        (["audit", "none"], "none is not the folder of a run"),
        (["audit", "none", "--sample", "-1"], "--sample -1: at least 0"),
        (["audit", "none", "--limit", "0"], "--limit 0: at least 1"),
        (["diff", "none", "none"], "none is not the folder of a run"),
        (["diff", "s3://[none", "none"], "s3://[none is no URL"),
        (["results", "none"], "none is not the folder of a run"),
        (["report", "none"], "none is not the folder of a run"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, capsys: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert main(arguments) == 2
    heard = capsys.readouterr()
    assert heard.out == ""
    assert heard.err.startswith("freecell-census: ")
    assert said in heard.err


def test_an_option_of_another_command_is_refused_with_the_usage_of_this_one(capsys: Read) -> None:
    with pytest.raises(SystemExit) as left:
        main(["run", "smoke", "--cells", "3"])
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert "usage: freecell-census run" in said
    assert "--cells 3" in said


@pytest.mark.parametrize("arguments", [[], ["dael"], ["export", "x", "--verdict", "won"], ["run"]])
def test_arguments_that_do_not_parse(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2


def test_contradiction_is_exit_status_1(monkeypatch: pytest.MonkeyPatch, capsys: Read, small: Path) -> None:
    from kernels.contradiction import Contradiction

    def disagreeing(*arguments: object) -> int:
        raise Contradiction("deal 7 (AC ..): both findings")

    monkeypatch.setattr(run, "run", disagreeing)
    assert main(["run", str(small)]) == 1
    assert "CONTRADICTION: deal 7 (AC ..): both findings" in capsys.readouterr().err


def test_contradiction_in_solve_is_not_taken_for_unsolvable(monkeypatch: pytest.MonkeyPatch, capsys: Read) -> None:
    from kernels.contradiction import Contradiction

    def disagreeing(*arguments: object) -> int:
        raise Contradiction("deal 7 (AC ..): both findings")

    monkeypatch.setattr(solve, "solve_deal", disagreeing)
    assert main(["solve", "7"]) == 2
    assert "CONTRADICTION: deal 7 (AC ..): both findings" in capsys.readouterr().err


def test_commands_over_a_result(make: Make, capsys: Read) -> None:
    folder = str(make())
    assert main(["status", folder, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["complete"]
    assert main(["verify", folder, "--known", str(ROOT / "results/known/unsolvable-10m.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["known"]["found"] == 1
    assert main(["export", folder, "--verdict", "unsolvable"]) == 0
    assert capsys.readouterr().out == "11982\n"


def test_closed_pipe_is_quiet(make: Make) -> None:
    command = [sys.executable, "-m", "pipeline", "export", str(make()), "--verdict", "solved"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as exporting:
        assert exporting.stdout is not None
        assert exporting.stderr is not None
        exporting.stdout.close()
        assert exporting.stderr.read() == ""
    assert exporting.returncode == 141


def broken(*arguments: object) -> int:
    raise ZeroDivisionError("in deal \x1b[31m7" + "7" * 100_000)


def test_unforeseen_error_has_a_status_of_its_own(monkeypatch: pytest.MonkeyPatch, capsys: Read) -> None:
    monkeypatch.setattr(solve, "solve_deal", broken)
    assert main(["solve", "7"]) == 70
    said = capsys.readouterr().err
    assert said.startswith("freecell-census: unforeseen ZeroDivisionError in test_cli.py:")
    assert "FREECELL_CENSUS_TRACEBACK" in said
    assert "\x1b" not in said
    assert said.count("\n") == 1
    assert len(said) < 3_000
    monkeypatch.setenv("FREECELL_CENSUS_TRACEBACK", "1")
    assert main(["solve", "7"]) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_board_has_an_end(tmp_path: Path, capsys: Read) -> None:
    with (tmp_path / "zeros").open("wb") as file:
        file.truncate(2**33)
    assert main(["solve", "--board", str(tmp_path / "zeros")]) == 2
    assert "longer than 100,000 bytes" in capsys.readouterr().err


FOREIGN = {
    "TQDM_MININTERVAL": "x",
    "NUMBA_DISABLE_JIT": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}


@pytest.mark.parametrize("setting", FOREIGN)
def test_settings_of_other_programs_do_no_harm(setting: str, make: Make, tmp_path: Path) -> None:
    settings = {**os.environ, setting: FOREIGN[setting]}
    words = ["report", str(make()), "--out", str(tmp_path / "page.html")]
    done = subprocess.run(
        [sys.executable, "-m", "pipeline", *words], cwd=ROOT, env=settings, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_another_module_named_kernels_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").touch()
    script = "import sys; from pipeline.cli import main; sys.path.insert(0, sys.argv[1]); sys.exit(main(['deal', '1']))"
    done = subprocess.run([sys.executable, "-c", script, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert str(tmp_path / "kernels.py") in done.stderr
    assert "PYTHONPATH" in done.stderr


@pytest.mark.parametrize(
    "setting",
    ["NUMBA_NUM_THREADS=0", "NUMBA_NUM_THREADS=-3", "NUMBA_CPU_FEATURES=avx2", "NUMBA_CPU_FEATURES=+avx,avx2"],
)
def test_settings_that_numba_cannot_begin_with(setting: str, capsys: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*setting.split("="))
    assert main(["deal", "1"]) == 2
    said = capsys.readouterr()
    assert (said.out, setting in said.err, "unset" in said.err) == ("", True, True)


@pytest.mark.parametrize("setting", ["NUMBA_NUM_THREADS=", "NUMBA_CPU_FEATURES=", "NUMBA_CPU_FEATURES=+avx,-avx2"])
def test_settings_that_numba_can_begin_with(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*setting.split("="))
    assert unusable_settings() is None


AT_IMPORT = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path, target=None):
        if name == os.environ["AT"]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""
"""Sends SIGINT when a module is about to be imported."""


@pytest.mark.parametrize("module", ["pipeline.cli", "argparse", "numba"])
def test_ctrl_c_while_modules_are_imported(tmp_path: Path, module: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(AT_IMPORT)
    settings = {**os.environ, "PYTHONPATH": str(tmp_path), "AT": module}
    words = [sys.executable, "-m", "pipeline", "deal", "1"]
    done = subprocess.run(words, cwd=ROOT, env=settings, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_ctrl_c_is_not_held_back_by_a_store_that_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"s3://key:secret@bucket/x?endpoint_override=127.0.0.1%3A{server.getsockname()[1]}&scheme=http&region=x"
        with subprocess.Popen([sys.executable, "-m", "pipeline", "status", url], cwd=ROOT) as asking:
            server.accept()  # the request is on its way, and is never answered
            asking.send_signal(signal.SIGINT)
            assert asking.wait(timeout=60) == -signal.SIGINT
