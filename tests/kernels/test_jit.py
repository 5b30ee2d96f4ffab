"""Bits of a word, the digest of the sources, and the folder for compiled kernels."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
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
    seen, folders = {digest}, {jit._cache_folder()}
    for path in sorted(copy.rglob("*.py")):
        path.write_text(path.read_text() + "\n")
        seen.add(jit.source_digest())
        folders.add(jit._cache_folder())
    (copy / "rules.py").rename(copy / "laws.py")
    seen.add(jit.source_digest())
    sources, apart = len(list(copy.rglob("*.py"))), len(list((copy / jit.APART).rglob("*.py")))
    assert apart > 0
    assert (len(seen), len(folders)) == (sources - apart + 2, sources + 1)


def test_what_the_digest_leaves_out_decides_no_result():
    home = Path(jit.__file__).parent
    for path in home.rglob("*.py"):
        if path.relative_to(home).parts[0] != jit.APART:
            assert f"kernels.{jit.APART}" not in path.read_text(), path


def test_the_cache_is_kept_where_the_setting_says(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv(jit.CACHE_SETTING, str(tmp_path / "named"))
    assert jit.cache_home() == tmp_path / "named"
    monkeypatch.delenv(jit.CACHE_SETTING)
    assert jit.cache_home() == tmp_path / "xdg" / "freecell-census"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert jit.cache_home() == Path.home() / ".cache" / "freecell-census"

    monkeypatch.setenv(jit.CACHE_SETTING, "~/named")
    assert jit.cache_home() == Path.home() / "named"


def test_a_user_without_a_home_is_told_of_the_setting(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    for name in (jit.CACHE_SETTING, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(jit.CacheError, match=jit.CACHE_SETTING):
        jit.cache_home()


KERNEL = "from kernels.jit import kernel\n\n\n@kernel\ndef double(x):\n    return 2 * x\n"

CALL = """
import sys
import kernels.jit as jit
sys.path.insert(0, sys.argv[1])
import counting
counting.double(21)
print(jit.CACHE_FOLDER, sum(counting.double.stats.cache_misses.values()), counting.double(21))
"""


def import_with_cache(folder, script="import kernels.jit as jit; print(jit.CACHE_FOLDER)", *arguments, **settings):
    """A fresh interpreter that opens the cache in a folder."""
    environment = {**os.environ, jit.CACHE_SETTING: str(folder), **settings}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def refusal(folder):
    """What is said of a cache that isn't opened."""
    done = import_with_cache(folder)
    assert done.returncode != 0
    message = done.stderr.splitlines()[-1]
    assert message.startswith("kernels.jit.CacheError: ")
    assert jit.CACHE_SETTING in message
    return message


def test_a_folder_that_cannot_be_written_is_an_error_that_names_the_setting(tmp_path):
    (tmp_path / "file").touch()
    assert str(tmp_path / "file" / "below") in refusal(tmp_path / "file" / "below")


def test_the_newest_caches_are_kept_and_other_folders_left_alone(tmp_path):
    for age in range(8):
        old = tmp_path / f"kernels-{age:016x}"
        old.mkdir()
        (old / jit.TAG).write_text(jit.TAGGED)
        os.utime(old, (1_000_000 - age, 1_000_000 - age))
    others = {"my-great-project", "kernels-0123456789abcdef", "00000000deadbeef"}
    for name in others:
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (1, 1))
    done = import_with_cache(tmp_path)
    kept = {f"kernels-{age:016x}" for age in range(jit.KEPT_CACHES - 1)}
    assert {path.name for path in tmp_path.iterdir()} == kept | others | {Path(done.stdout.strip()).name}


def test_the_folder_is_for_one_kind_of_processor(tmp_path):
    kinds = [{}, {"NUMBA_CPU_NAME": "generic"}, {"NUMBA_CPU_FEATURES": "+sse2"}]
    folders = [import_with_cache(tmp_path, **kind).stdout for kind in kinds]
    assert len(set(folders)) == len(kinds)


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [lambda sound: b"", lambda sound: sound[:-9], lambda sound: bytes(len(sound))])
def test_damaged_files_count_as_missing(suffix, damage, tmp_path):
    (tmp_path / "counting.py").write_text(KERNEL)
    cache = tmp_path / "cache"

    def compiled():
        done = import_with_cache(cache, CALL, str(tmp_path))
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[2] == "42"
        return int(done.stdout.split()[1])

    assert [compiled(), compiled()] == [1, 0]
    files = list(cache.rglob(f"*.{suffix}"))
    assert files
    for path in files:
        path.write_bytes(damage(path.read_bytes()))
    assert [compiled(), compiled()] == [1, 0]


def test_a_cache_that_others_may_write_or_own_is_refused(tmp_path):
    folder = Path(import_with_cache(tmp_path).stdout.strip())
    assert folder.stat().st_mode & 0o777 == 0o700
    for shared in (tmp_path, folder):
        mode = shared.stat().st_mode
        shared.chmod(0o777)
        assert str(shared) in refusal(tmp_path)
        shared.chmod(mode)
    if os.geteuid() == 0:
        (folder / "kernel.nbi").touch()
        for foreign in (folder / "kernel.nbi", folder):
            os.chown(foreign, 12_345, -1)
            assert str(foreign) in refusal(tmp_path)
            os.chown(foreign, 0, -1)
    assert import_with_cache(tmp_path).returncode == 0


def test_kernels_are_compiled_whatever_numba_is_told(tmp_path):
    (tmp_path / "counting.py").write_text(KERNEL)
    done = import_with_cache(tmp_path / "cache", CALL, str(tmp_path), NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
