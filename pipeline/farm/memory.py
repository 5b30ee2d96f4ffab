"""How much memory this machine, or the batch system on it, still grants."""

import math
import os
from pathlib import Path

from pipeline.farm.protocol import Room


def room_here(each: int, workers: int) -> Room:
    """How many of the workers on this machine may take so many bytes each: at least one."""
    free = free_memory()
    return Room(max(1, min(workers, free // each)), f"{free / 1e9:.1f} GB are free")


def free_memory() -> int:
    """Bytes of memory that this process and its children may still take."""
    free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        free = int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):  # another system
        pass
    return int(min([free, *map(room_in, groups(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")))]))


def groups(named: Path, root: Path) -> list[Path]:
    """The control groups that this process is in, from its own up to the root: batch systems limit one of them."""
    try:
        own = next(line[3:].strip("/") for line in named.read_text().splitlines() if line.startswith("0::"))
    except (OSError, StopIteration):
        own = ""
    group = root / own
    return [group, *(above for above in group.parents if above.is_relative_to(root))]


def room_in(group: Path) -> float:
    """Bytes of memory that a control group still has; infinite without a limit."""
    try:
        limit, used = (int((group / f"memory.{name}").read_text()) for name in ("max", "current"))
    except (OSError, ValueError):  # no such group from here, or no limit ("max")
        return math.inf
    return limit - used
