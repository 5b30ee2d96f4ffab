"""Fixtures of the pipeline's tests."""

import pytest

from tests.conftest import SMALL, digests
from tests.pipeline.commands import Undisturbed, command


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """The run that all others are compared with."""
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "small.toml").write_text(SMALL)
    done = command("run", folder / "small.toml", "--out", folder / "out", "--workers", 1)
    assert done.returncode in (0, 3), done.stderr  # 3: budgets this small may leave a deal undecided
    assert len(digests(folder / "out")) == 8
    return Undisturbed(done.returncode, digests(folder / "out"))
