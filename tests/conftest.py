"""What tests of several modules share."""

import hashlib
from pathlib import Path

import pytest

SMALL = """\
name = "small"
[range]
first = 11_001
last = 13_000
[search]
quick = [60, 400]
deep = [4_000, 40_000]
closure = 1_000_000
[store]
shard = 200
[verify]
known = "results/known/unsolvable-10m.txt"
"""
"""A census of seconds that holds deal 11982, with budgets that give both deep attempts something to do."""

ROOT = Path(__file__).parent.parent


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The file of a small configuration."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of each shard in a folder."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.parquet"))}
