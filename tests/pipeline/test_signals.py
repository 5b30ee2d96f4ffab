"""Requests to stop, where the main thread can't answer."""

import signal
import subprocess
import sys
import threading

import pytest

from pipeline.signals import ENDING, Stop
from tests.conftest import ROOT

HELD = """
import os, sys, time
from pipeline.signals import Stop
with Stop(patience=0.2):
    os.kill(os.getpid(), int(sys.argv[1]))
    while True:
        time.sleep(1)
"""


@pytest.mark.parametrize("number", ENDING)
def test_what_does_not_come_to_its_end_is_ended(number: signal.Signals) -> None:
    done = subprocess.run([sys.executable, "-c", HELD, str(int(number))], cwd=ROOT, capture_output=True, timeout=60)
    assert done.returncode == 128 + number


def test_nothing_stays_behind() -> None:
    before = threading.active_count()
    with Stop(patience=60) as stop:
        signal.raise_signal(signal.SIGTERM)
        assert stop.at_once
    for thread in threading.enumerate():
        if thread.daemon and thread.name.endswith("(_end_after)"):
            thread.join(timeout=30)
    assert threading.active_count() == before
    assert signal.set_wakeup_fd(-1) == -1


def test_nohup_stays() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Stop() as stop:
        signal.raise_signal(signal.SIGHUP)
        assert not stop.requested
    signal.signal(signal.SIGHUP, before)
