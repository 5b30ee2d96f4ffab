"""The one @njit decorator, and the folder that compiled code is kept in.

Numba stamps a cached kernel by its own file only: after an edit to another file that the kernel calls into, it
would quietly go on with the old code. So the cache folder is named by a digest of every file in `kernels`, of
Numba's version and of the flags that change the code.
"""

import contextlib
import hashlib
import os
import re
import shutil
from pathlib import Path

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

CACHE_SETTING = "FREECELL_CENSUS_CACHE"
"""Environment variable that names another folder for compiled kernels."""

KEPT_CACHES = 6


class CacheError(OSError):
    """The folder for compiled kernels can't be written."""


def source_digest() -> str:
    """Digest of every source file in `kernels`: 16 hexadecimal digits, kept with each result."""
    digest = hashlib.sha256()
    home = Path(__file__).parent
    for path in sorted(home.rglob("*.py")):
        digest.update(path.relative_to(home).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_home() -> Path:
    """Folder that holds one cache folder for each state of the sources."""
    if named := os.environ.get(CACHE_SETTING):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "freecell-census"


def _cache_folder() -> Path:
    flags = f"{numba.__version__} boundscheck={numba.config.BOUNDSCHECK} opt={numba.config.OPT}"
    key = hashlib.sha256(f"{source_digest()} {flags}".encode()).hexdigest()[:16]
    return cache_home() / key


def _drop_old(kept: Path) -> None:
    """Drop all but the newest few cache folders; only folders named like ours, the place may be shared."""
    aged = []
    for path in kept.parent.iterdir():
        if path != kept and re.fullmatch(r"[0-9a-f]{16}", path.name):
            with contextlib.suppress(FileNotFoundError):  # another process may be dropping it, too
                aged.append((path.stat().st_mtime, path))
    for _, path in sorted(aged, reverse=True)[KEPT_CACHES - 1 :]:
        shutil.rmtree(path, ignore_errors=True)


def _open_cache() -> Path:
    """Make the cache folder, drop all but the newest few, and point Numba at it."""
    folder = _cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
        os.utime(folder)
    except OSError as error:
        raise CacheError(
            f"can't keep compiled kernels in {folder} ({error.strerror}); "
            f"set {CACHE_SETTING} to a folder that can be written"
        ) from error
    _drop_old(folder)
    numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return folder


CACHE_FOLDER = _open_cache()

njit = numba.njit(cache=True, error_model="numpy")
"""For kernels that allocate: compiled once for each state of the sources, no test for division by zero."""

kernel = numba.njit(cache=True, error_model="numpy", _nrt=False)
"""For kernels that work in arrays they are given: without reference counts, which cost the search 40 % of its time."""

threaded = numba.njit(cache=True, error_model="numpy", _nrt=False, nogil=True)
"""For kernels that several threads of one process run at a time, each in arrays of its own."""

inlined = numba.njit(forceinline=True, error_model="numpy", _nrt=False)
"""For small functions called by kernels: LLVM is told to inline them always; they can't allocate either."""


@intrinsic
def popcount(typingctx, mask):
    """Number of bits set in a uint64, as uint64: one instruction."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def lowest(typingctx, mask):
    """Number of the lowest bit set in a uint64 that isn't zero, as uint64: one instruction."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), codegen


@intrinsic
def highest(typingctx, mask):
    """Number of the highest bit set in a uint64 that isn't zero, as uint64: two instructions."""

    def codegen(context, builder, signature, args):
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.uint64(types.uint64), codegen


@intrinsic
def prefetch(typingctx, array, index):
    """Ask for the memory of a flat index into an array, so that it is there when it is needed: one instruction."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        address = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [address, number(1), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.uint64), codegen
