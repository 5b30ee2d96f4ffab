"""Whole commands in processes of their own, as tests of several modules run them."""

import subprocess
import sys
from typing import NamedTuple

from tests.conftest import ROOT

GUARD = 300
"""Seconds after which a run counts as hanging."""


def command(*arguments: object, module: str = "pipeline") -> subprocess.CompletedProcess[str]:
    """Run the command line in a process group of its own."""
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=GUARD,
        start_new_session=True,
    )


def sabotaged(fault: str, number: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    return command(fault, number, "run", *arguments, module="tests.pipeline.saboteur")


class Undisturbed(NamedTuple):
    """What a run with one worker comes to when nothing happens to it."""

    status: int
    shards: dict[str, str]


HOLD = """
import sys
from pathlib import Path
from pipeline.config import load
from pipeline.store.folder import owned
with owned(Path(sys.argv[2]), load(Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.read()
"""
"""Holds the lock of a folder until standard input ends; arguments: configuration, folder."""
