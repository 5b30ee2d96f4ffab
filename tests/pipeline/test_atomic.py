"""Files that are there whole or not at all."""

import errno
import os
import signal
import stat
import subprocess
import sys

import pytest

from pipeline.atomic import remove_leftovers, replacing
from pipeline.signals import Stop
from tests.conftest import ROOT


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_whole(tmp_path):
    with replacing(tmp_path / "a") as file:
        file.write(b"new")
        assert "a" not in names(tmp_path)
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"new"


def test_the_old_file_outlives_a_failure(tmp_path):
    (tmp_path / "a").write_bytes(b"old")

    def interrupted():
        with replacing(tmp_path / "a") as file:
            file.write(b"ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


ENDED = """
import os, signal, sys
from pathlib import Path
from pipeline.atomic import replacing
from pipeline.signals import interruptible
with interruptible(), replacing(Path(sys.argv[1])) as file:
    assert len(os.listdir(Path(sys.argv[1]).parent)) == 2
    os.kill(os.getpid(), int(sys.argv[2]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_the_process_leaves_nothing(tmp_path, number):
    (tmp_path / "a").write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", ENDED, tmp_path / "a", str(int(number))], cwd=ROOT, check=False)
    assert done.returncode == -number
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_signal_that_is_listened_to_is_heard(tmp_path):
    with Stop() as stop, replacing(tmp_path / "a"):
        os.kill(os.getpid(), signal.SIGTERM)
    assert stop.signal == signal.SIGTERM
    assert names(tmp_path) == ["a"]
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_link_is_exchanged_and_not_followed(tmp_path):
    (tmp_path / "a").write_bytes(b"precious")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with replacing(tmp_path / "link") as file:
        file.write(b"new")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_bytes() == b"precious"
    (tmp_path / f".b.{os.getpid()}.unfinished").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match=str(tmp_path / "b")), replacing(tmp_path / "b") as file:
        file.write(b"new")
    assert (tmp_path / "a").read_bytes() == b"precious"


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_syncs_no_folders(tmp_path, monkeypatch, number):
    sync = os.fsync

    def refused(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", refused)
    with replacing(tmp_path / "a") as file:
        file.write(b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_full_disk_names_the_file(tmp_path):
    with pytest.raises(OSError, match="No space") as caught, replacing(tmp_path / "a"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert caught.value.filename == str(tmp_path / "a")
    assert names(tmp_path) == []


def test_a_disk_that_may_only_be_read_names_the_file(tmp_path, monkeypatch):
    def refused(path, *arguments, **named):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(os, "open", refused)
    monkeypatch.setattr(os, "unlink", refused)
    with pytest.raises(OSError, match="Read-only") as caught, replacing(tmp_path / "a"):
        pass
    assert caught.value.filename == str(tmp_path / "a")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "none" / "a"):
        pass
    assert caught.value.filename == str(tmp_path / "none" / "a")


@pytest.mark.parametrize("kind", [os.mkdir, os.mkfifo])
def test_only_files_are_replaced(tmp_path, kind):
    kind(tmp_path / "a")
    with pytest.raises(OSError, match="not a file"), replacing(tmp_path / "a"):
        pass
    assert names(tmp_path) == ["a"]


def test_leftovers_of_killed_processes_are_removed_and_nothing_else(tmp_path):
    with replacing(tmp_path / "a"):
        pass
    others = [".movie.unfinished", ".c.4711.unfinished", ".b.unfinished"]
    for name in [".b.4711.unfinished", *others]:
        (tmp_path / name).touch()
    remove_leftovers(tmp_path, lambda name: name == "b")
    assert names(tmp_path) == sorted(["a", *others])
