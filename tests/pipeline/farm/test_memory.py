"""How much memory a run may take."""

import math
from pathlib import Path

import pytest

from pipeline.farm.memory import groups, room_in


def limit(group: Path, most: str, used: int) -> None:
    """A control group, as the system shows it."""
    group.mkdir(parents=True, exist_ok=True)
    (group / "memory.max").write_text(f"{most}\n")
    (group / "memory.current").write_text(f"{used}\n")


def test_the_tightest_group_counts(tmp_path: Path) -> None:
    root = tmp_path / "cgroup"
    limit(root / "job/step", "max", 100)
    limit(root / "job", "5000", 2_000)
    limit(root, "9000", 2_500)
    (named := tmp_path / "named").write_text("4:memory:/elsewhere\n0::/job/step\n")
    assert groups(named, root) == [root / "job/step", root / "job", root]
    assert [room_in(group) for group in groups(named, root)] == [math.inf, 3_000, 6_500]


@pytest.mark.parametrize("text", ["", "0::/\n", "4:memory:/elsewhere\n"])
def test_no_group_of_our_own(tmp_path: Path, text: str) -> None:
    (named := tmp_path / "named").write_text(text)
    assert groups(named, tmp_path / "cgroup") == [tmp_path / "cgroup"]
    assert groups(tmp_path / "none", tmp_path / "cgroup") == [tmp_path / "cgroup"]
    assert room_in(tmp_path / "cgroup") == math.inf
