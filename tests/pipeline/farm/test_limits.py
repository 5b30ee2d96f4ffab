"""What a run may take of a machine, by its control groups of either version."""

from pathlib import Path

import pytest

from pipeline.farm.limits import free_memory, groups, limits_of_processes, processors


def group(folder: Path, **files: object) -> None:
    """A control group, as the system shows it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("_", ".", 1)).write_text(f"{content}\n")


@pytest.fixture
def named(tmp_path: Path) -> Path:
    (file := tmp_path / "named").write_text("4:memory:/job/step\n3:cpu,cpuacct:/job\n0::/job/step\n")
    return file


def test_groups_of_both_versions(named: Path, tmp_path: Path) -> None:
    assert groups("memory", named, tmp_path) == [
        *(tmp_path / name for name in ("job/step", "job", "")),
        *(tmp_path / "memory" / name for name in ("job/step", "job", "")),
    ]
    assert groups("cpu", named, tmp_path)[3:] == [tmp_path / "cpu/job", tmp_path / "cpu"]


@pytest.mark.parametrize("text", ["", "0::/\n", "4:memory:/elsewhere\n"])
def test_no_group_of_our_own(text: str, tmp_path: Path) -> None:
    (named := tmp_path / "named").write_text(text)
    free = free_memory(tmp_path / "none", tmp_path / "cgroup")
    assert free > 2**20
    assert groups("pids", named, tmp_path) == [tmp_path]
    assert groups("pids", tmp_path / "none", tmp_path) == [tmp_path]


def test_memory_of_the_tightest_group(named: Path, tmp_path: Path) -> None:
    group(tmp_path / "job/step", memory_max="max", memory_current=100)
    group(tmp_path / "job", memory_max=5_000, memory_current=2_000)
    group(tmp_path, memory_max=9_000, memory_current=2_500)
    assert free_memory(named, tmp_path) == 3_000
    group(tmp_path / "memory/job", memory_limit_in_bytes=2_000, memory_usage_in_bytes=500)
    group(tmp_path / "memory", memory_limit_in_bytes=2**63 - 4096, memory_usage_in_bytes=2_500)
    assert free_memory(named, tmp_path) == 1_500


def test_processors_of_a_quota(named: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(16)))
    assert processors(named, tmp_path) == 16
    group(tmp_path / "job", cpu_max="max 100000")
    assert processors(named, tmp_path) == 16
    group(tmp_path / "job", cpu_max="350000 100000")
    assert processors(named, tmp_path) == 4
    group(tmp_path / "cpu/job", cpu_cfs_quota_us=-1, cpu_cfs_period_us=100_000)
    assert processors(named, tmp_path) == 4
    group(tmp_path / "cpu/job", cpu_cfs_quota_us=50_000, cpu_cfs_period_us=100_000)
    assert processors(named, tmp_path) == 1


def test_limits_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda which: (13, 13))
    assert "`ulimit -u` is 13" in limits_of_processes()
