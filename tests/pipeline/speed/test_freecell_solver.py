"""The rival, played by a script: how it is called, what it costs, and that it may refuse."""

import sys
from pathlib import Path

import pytest

from pipeline.speed import freecell_solver


def play(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """Put a Python script in the rival's place."""
    program = folder / freecell_solver.PROGRAM
    program.write_text(f"#!{sys.executable}\n{script}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_call_and_processor_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    play(monkeypatch, tmp_path, f"import sys; open({str(heard)!r}, 'w').write(' '.join(sys.argv[1:]))")
    seconds = freecell_solver.seconds(2**31, 2**31 + 9)
    assert heard.read_text() == "2147483648 2147483657 10 -l lg"
    assert seconds is not None
    assert seconds > 0


def test_its_output_goes_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    play(monkeypatch, tmp_path, "import sys; print('Started'); print('warning', file=sys.stderr)")
    freecell_solver.seconds(1, 1)
    assert capfd.readouterr() == ("", "")


def test_refusal_has_no_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play(monkeypatch, tmp_path, "raise SystemExit(255)")
    assert freecell_solver.seconds(1, 1) is None


def test_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not freecell_solver.installed()
    play(monkeypatch, tmp_path, "")
    assert freecell_solver.installed()
