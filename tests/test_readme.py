"""The README: its Python runs, its links lead somewhere, and it stays short."""

import re
from pathlib import Path

import pytest

from pipeline.cli import main
from tests.conftest import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
READMES = [path for path in ROOT.glob("*/**/README.md") if ".venv" not in path.parts] + [ROOT / "README.md"]


def test_at_most_150_lines() -> None:
    assert len(TEXT.splitlines()) <= 150


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results/known").symlink_to(ROOT / "results" / "known")
    assert main(["run", "smoke", "--workers", "1"]) == 0
    (block,) = re.findall(r"```python\n(from pipeline.*?)```", TEXT, flags=re.DOTALL)  # test_readers has the other one
    exec(compile(block, "README.md", "exec"), {})


@pytest.mark.parametrize("readme", READMES, ids=lambda path: str(path.relative_to(ROOT)))
def test_its_links_lead_somewhere(readme: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", readme.read_text(encoding="utf-8")):
        assert (readme.parent / target).exists(), target
