"""Bits of a word, the digest of the sources, and the folder for compiled kernels."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import jit
from tests.conftest import ROOT
from tests.kernels import probes


@settings(deadline=None)
@given(st.integers(1, 2**64 - 1))
def test_bits_of_a_word(mask):
    assert probes.bit_counts(np.uint64(mask)) == (
        mask.bit_count(),
        (mask & -mask).bit_length() - 1,
        mask.bit_length() - 1,
    )


def test_the_digest_follows_every_source(tmp_path, monkeypatch):
    copy = shutil.copytree(
        Path(jit.__file__).parent, tmp_path / "kernels", ignore=shutil.ignore_patterns("__pycache__")
    )
    digest = jit.source_digest()
    monkeypatch.setattr(jit, "__file__", str(copy / "jit.py"))
    assert jit.source_digest() == digest
    seen = {digest}
    for path in sorted(copy.rglob("*.py")):
        path.write_text(path.read_text() + "\n")
        seen.add(jit.source_digest())
    (copy / "rules.py").rename(copy / "laws.py")
    seen.add(jit.source_digest())
    assert len(seen) == len(list(copy.rglob("*.py"))) + 2


def test_the_cache_is_kept_where_the_setting_says(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv(jit.CACHE_SETTING, str(tmp_path / "named"))
    assert jit.cache_home() == tmp_path / "named"
    monkeypatch.delenv(jit.CACHE_SETTING)
    assert jit.cache_home() == tmp_path / "xdg" / "freecell-census"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert jit.cache_home() == Path.home() / ".cache" / "freecell-census"


def import_with_cache(folder):
    """A fresh interpreter that opens the cache in a folder."""
    environment = {**os.environ, jit.CACHE_SETTING: str(folder)}
    command = [sys.executable, "-c", "import kernels.jit as jit; print(jit.CACHE_FOLDER)"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_folder_that_cannot_be_written_is_an_error_that_names_the_setting(tmp_path):
    (tmp_path / "file").touch()
    done = import_with_cache(tmp_path / "file" / "below")
    assert done.returncode != 0
    message = done.stderr.splitlines()[-1]
    assert message.startswith("kernels.jit.CacheError: ")
    assert str(tmp_path / "file" / "below") in message
    assert jit.CACHE_SETTING in message


def test_the_newest_caches_are_kept_and_other_folders_left_alone(tmp_path):
    for age in range(8):
        old = tmp_path / f"{age:016x}"
        old.mkdir()
        os.utime(old, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / "my-great-project").mkdir()
    done = import_with_cache(tmp_path)
    kept = {f"{age:016x}" for age in range(jit.KEPT_CACHES - 1)}
    assert {path.name for path in tmp_path.iterdir()} == kept | {"my-great-project", Path(done.stdout.strip()).name}
