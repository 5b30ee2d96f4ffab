"""Freecell Solver as Debian packages it: what the speed of a census is measured against."""

import resource
import shutil
import subprocess

PROGRAM = "freecell-solver-range-parallel-solve"
HOW_TO_GET_IT = f"{PROGRAM} is not installed, so there is nothing to compare with: apt install freecell-solver-bin"


def installed() -> bool:
    """Whether the program is there."""
    return shutil.which(PROGRAM) is not None


def seconds(first: int, last: int) -> float | None:
    """Processor time that it takes for a range of deals, its start included; None where it refuses the range."""
    step = last - first + 1  # the reporting interval: report once, at the end
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [PROGRAM, str(first), str(last), str(step), "-l", "lg"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
