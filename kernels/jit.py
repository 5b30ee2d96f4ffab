"""The decorators of kernels, and the folder that compiled code is kept in.

Numba stamps a cached kernel by its own file only: after an edit to another file that the kernel calls into, it
would quietly go on with the old code. So the cache folder is named by a digest of every file in `kernels`, of
Numba's version, of the flags that change the code and of the processor that it is for.

What is in the folder is run as it is. So it has to belong to the user, and each file stands behind its own digest:
a file that a power cut left empty or half written counts as missing, and its kernel is compiled anew.
"""

import contextlib
import hashlib
import os
import pickle
import shutil
import stat
from pathlib import Path

import numba
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic

from kernels.lanes import LANES, call, is_lanes

CACHE_SETTING = "FREECELL_CENSUS_CACHE"
"""Environment variable that names another folder for compiled kernels."""

KEPT_CACHES = 6

TAG, TAGGED = "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# compiled kernels of freecell-census\n"
"""A file in each cache folder: backups pass such a folder over, and this module knows its own by it."""


class CacheError(OSError):
    """The folder for compiled kernels can't be used."""


APART = "optimal"
"""The one folder of kernels that no result is made by: short solutions are for a person with a board in hand."""


def source_digest() -> str:
    """Digest of the source files that decide results: 16 hexadecimal digits, kept with each result."""
    return _digest(apart=False)


def _digest(apart: bool) -> str:
    """Digest of the source files in `kernels`, with those in the folder apart or without."""
    digest = hashlib.sha256()
    home = Path(__file__).parent
    for path in sorted(home.rglob("*.py")):
        name = path.relative_to(home)
        if apart or name.parts[0] != APART:
            digest.update(name.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_home() -> Path:
    """Folder that holds one cache folder for each state of the sources."""
    try:
        if named := os.environ.get(CACHE_SETTING):
            return Path(named).expanduser()
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "freecell-census"
    except RuntimeError as error:  # a user without an entry in passwd and without HOME, as in containers
        raise CacheError(
            f"this user has no home folder: set {CACHE_SETTING} to a folder for compiled kernels"
        ) from error


def _cache_folder() -> Path:
    processor = (
        numba.config.CPU_NAME or binding.get_host_cpu_name(),
        numba.config.CPU_FEATURES or binding.get_host_cpu_features().flatten(),
    )
    flags = f"{numba.__version__} boundscheck={numba.config.BOUNDSCHECK} opt={numba.config.OPT} {processor}"
    key = hashlib.sha256(f"{_digest(apart=True)} {flags}".encode()).hexdigest()[:16]
    return cache_home() / f"kernels-{key}"


def _refuse_foreign(folder: Path) -> None:
    """Refuse a cache that another user could have put code into."""
    for path in (folder.parent, folder, *folder.rglob("*")):
        with contextlib.suppress(FileNotFoundError):  # another process has just renamed the folder
            found = path.stat()
            shared = path in (folder.parent, folder) and found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX
            if shared or found.st_uid not in (0, os.geteuid()):
                raise CacheError(
                    f"{path} {'may be written by' if shared else 'belongs to'} other users, and this program would run "
                    f"the code in it: remove it, or set {CACHE_SETTING} to a folder of your own"
                )


def _drop_old(kept: Path) -> None:
    """Drop all but the newest few cache folders that this module has made; the place may be shared."""
    aged = []
    for path in kept.parent.glob("kernels-*"):
        with contextlib.suppress(OSError):  # another process may be dropping it, too
            if path != kept and not path.is_symlink() and (path / TAG).read_text(encoding="utf-8") == TAGGED:
                aged.append((path.stat().st_mtime, path))
    for _, path in sorted(aged, reverse=True)[KEPT_CACHES - 1 :]:
        shutil.rmtree(path, ignore_errors=True)


def _unusable(folder: Path, error: OSError) -> CacheError:
    return CacheError(
        f"can't keep compiled kernels in {folder} ({error.strerror}); "
        f"set {CACHE_SETTING} to a folder that can be written and has room"
    )


def _open_cache() -> Path:
    """Make the cache folder, drop all but the newest few, and point Numba at it."""
    folder = _cache_folder()
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.write_text(TAGGED, encoding="utf-8")
        probe.replace(folder / TAG)
        os.utime(folder)
    except OSError as error:
        raise _unusable(folder, error) from error
    _refuse_foreign(folder)
    _drop_old(folder)
    numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return folder


class _SealedFile(IndexDataCacheFile):
    """The files that Numba keeps a kernel in, each behind a digest of its content."""

    def _load_index(self):
        try:
            stamp, entries = pickle.loads(self._unsealed(self._index_path))
        except FileNotFoundError:
            return {}
        return entries if stamp == self._source_stamp else {}

    def _save_index(self, overloads):
        self._seal(self._index_path, (self._source_stamp, overloads))

    def _load_data(self, name):
        return pickle.loads(self._unsealed(self._data_path(name)))

    def _save_data(self, name, data):
        self._seal(self._data_path(name), data)

    def _unsealed(self, path):
        sealed = Path(path).read_bytes()
        if hashlib.sha256(sealed[32:]).digest() != sealed[:32]:
            raise FileNotFoundError(path)
        return sealed[32:]

    def _seal(self, path, entry):
        content = self._dump(entry)
        try:
            with self._open_for_write(path) as file:
                file.write(hashlib.sha256(content).digest() + content)
        except OSError as error:
            raise _unusable(CACHE_FOLDER, error) from error


class _SealedCache(FunctionCache):
    """Numba's cache of one kernel, over sealed files."""

    def __init__(self, function):
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SealedFile(self._cache_path, self._impl.filename_base, stamp)


def _cached(**flags):
    """A decorator that compiles a kernel with some flags and keeps what was compiled."""

    def decorate(function):
        dispatcher = numba.njit(error_model="numpy", **flags)(function)
        dispatcher._cache = _SealedCache(function)
        return dispatcher

    return decorate


CACHE_FOLDER = _open_cache()

numba.config.DISABLE_JIT = 0  # kernels only work compiled: NUMBA_DISABLE_JIT must not apply to them

njit = _cached()
"""For kernels that allocate: compiled once for each state of the sources, no test for division by zero."""

kernel = _cached(_nrt=False)
"""For kernels that work in arrays they are given: without reference counts, which cost the search 40 % of its time."""

threaded = _cached(_nrt=False, nogil=True)
"""For kernels that several threads of one process run at a time, each in arrays of its own."""

inlined = numba.njit(forceinline=True, error_model="numpy", _nrt=False)
"""For small functions called by kernels: LLVM is told to inline them always; they can't allocate either."""


@intrinsic
def popcount(typingctx, mask):
    """Number of bits set in a uint64, as uint64, or in each of eight lanes: one instruction."""
    kind = mask if is_lanes(mask) else types.uint64

    def codegen(context, builder, signature, args):
        if is_lanes(kind):
            return call(builder, "llvm.ctpop.v8i64", args[0].type, args[0])
        return builder.ctpop(args[0])

    return kind(kind), codegen


@intrinsic
def lowest(typingctx, mask):
    """Number of the lowest bit set in a uint64 that isn't zero, as uint64: one instruction."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), codegen


def _in_lanes(word):
    return ir.Constant(ir.VectorType(ir.IntType(64), LANES), [word] * LANES)


_2_52 = 0x433 << 52
"""The double 2^52: a word below that, put into its lower bits, is added to it."""

_EXPONENT = 0x7FF << 52


def _doubles_of(number):
    return ir.Constant(ir.VectorType(ir.DoubleType(), LANES), [number] * LANES)


def _as_doubles(builder, words):
    """Lanes below 2^52 as floating-point numbers, exactly: the exponent of each says which its highest bit is.

    Without AVX-512, counting the zeros above it takes some thirty instructions for four lanes.

      63       52 51                           0
     +-----------+------------------------------+
     |   0x433   |             word             |      as a double: 2^52 + word
     +-----------+------------------------------+
    """
    subtrahend = _doubles_of(2.0**52)
    large = builder.bitcast(builder.or_(words, _in_lanes(_2_52)), subtrahend.type)
    return builder.fsub(large, subtrahend)


@intrinsic
def highest(typingctx, mask):
    """Number of the highest bit set in a uint64, as uint64, or in each of eight lanes below 2^52; none may be zero."""
    kind = mask if is_lanes(mask) else types.uint64

    def codegen(context, builder, signature, args):
        if is_lanes(kind):
            exponents = builder.lshr(builder.bitcast(_as_doubles(builder, args[0]), args[0].type), _in_lanes(52))
            return builder.sub(exponents, _in_lanes(1023))
        return builder.sub(ir.Constant(ir.IntType(64), 63), builder.ctlz(args[0], ir.IntType(1)(1)))

    return kind(kind), codegen


@intrinsic
def highest_alone(typingctx, mask):
    """Of a uint64, or of each of eight lanes below 2^52, only the highest bit that is set; 0 for 0."""
    kind = mask if is_lanes(mask) else types.uint64

    def codegen(context, builder, signature, args):
        if not is_lanes(kind):
            one = args[0].type(1)
            number = builder.sub(args[0].type(63), builder.ctlz(builder.or_(args[0], one), ir.IntType(1)(1)))
            return builder.and_(args[0], builder.shl(one, number))
        # An exponent alone is a power of two: added to 2^52 it stands in the lower bits as the bit that it is there.
        bits, doubles = args[0].type, _as_doubles(builder, args[0])
        exponents = builder.and_(builder.bitcast(doubles, bits), _in_lanes(_EXPONENT))
        large = builder.fadd(builder.bitcast(exponents, doubles.type), _doubles_of(2.0**52))
        return builder.and_(args[0], builder.bitcast(large, bits))

    return kind(kind), codegen


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


@intrinsic
def exchanged(typingctx, array, index, expected, word):
    """What an entry of an array of words was; where that was as expected, it is `word` now. No thread comes between.

    Entries have 64 or 32 bits.
    """

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        kind = context.get_value_type(signature.args[0].dtype)
        before, after = (builder.trunc(word, kind) if kind.width < 64 else word for word in args[2:])
        pair = builder.cmpxchg(builder.gep(data, [args[1]]), before, after, "monotonic", "monotonic")
        was = builder.extract_value(pair, 0)
        return builder.zext(was, args[2].type) if kind.width < 64 else was

    return types.uint64(array, types.uint64, types.uint64, types.uint64), codegen
