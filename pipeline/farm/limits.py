"""What this machine, or its batch system, grants a process: its own limits, and those of its control groups.

Batch systems and containers limit one of the groups that a process is in. A group is a folder, of version 2
(`/sys/fs/cgroup/JOB`) or version 1 (`/sys/fs/cgroup/memory/JOB`). In a container, the path that the process is told
may not exist there; then the limit stands in the root of what does.
"""

import math
import os
import resource
from collections.abc import Iterator
from pathlib import Path

from pipeline.farm.protocol import Room

NAMED, ROOT = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def groups(controller: str, named: Path = NAMED, root: Path = ROOT) -> list[Path]:
    """The control groups that this process is in, of both versions, each from its own up to the root."""
    try:
        lines = [line.split(":", 2) for line in named.read_text().splitlines()]
    except OSError:
        lines = []
    homes = {root: ""}
    for number, controllers, path in lines:
        if number == "0":
            homes[root] = path
        elif controller in controllers.split(","):
            homes[root / controller] = path
    found = []
    for home, path in homes.items():
        group = home / path.strip("/")
        found += [group, *(above for above in group.parents if above.is_relative_to(home))]
    return found


def free_memory(named: Path = NAMED, root: Path = ROOT) -> int:
    """Bytes of memory that this process and its children may still take."""
    free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        free = int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):  # not Linux
        pass
    return int(min([free, *map(_room_in, groups("memory", named, root))]))


def room_here(each: int, workers: int) -> Room:
    """How many of the workers on this machine may take so many bytes of memory each: at least one."""
    free = free_memory()
    return Room(max(1, min(workers, free // each)), f"{free / 1e9:.1f} GB are free")


def processors(named: Path = NAMED, root: Path = ROOT) -> int:
    """Cores that this process may use: those that it is bound to, or fewer where its time is limited."""
    return max(1, math.ceil(min([len(os.sched_getaffinity(0)), *map(_cores_of, groups("cpu", named, root))])))


def limits_of_processes() -> str:
    """The limits that may keep a process or a thread from being started, in words."""
    said = []
    for name, flag in (("NPROC", "u"), ("AS", "v"), ("NOFILE", "n")):
        limit = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0]
        if limit != resource.RLIM_INFINITY:
            said.append(f"`ulimit -{flag}` is {limit // 1024 if name == 'AS' else limit}")
    for group in groups("pids"):
        said += [f"{group}/pids.max is {most}" for most in _numbers(group / "pids.max")]
    return ", ".join(said) or "no limit is set here"


def _room_in(group: Path) -> float:
    """Bytes of memory that a control group still has; infinite without a limit."""
    for most, used in (("max", "current"), ("limit_in_bytes", "usage_in_bytes")):
        for limit, taken in zip(_numbers(group / f"memory.{most}"), _numbers(group / f"memory.{used}"), strict=False):
            return limit - taken
    return math.inf


def _cores_of(group: Path) -> float:
    """Cores whose time a control group has; infinite without a limit."""
    quota, period = list(_numbers(group / "cpu.max")), []
    if not quota:
        quota, period = list(_numbers(group / "cpu.cfs_quota_us")), list(_numbers(group / "cpu.cfs_period_us"))
    match quota + period:
        case [time, each] if time > 0 and each > 0:
            return time / each
    return math.inf


def _numbers(file: Path) -> Iterator[int]:
    """The numbers that a file of a control group holds; none where there is no limit ("max"), or no such file."""
    try:
        yield from [int(word) for word in file.read_text().split()]
    except (OSError, ValueError):
        return
