"""One large exhaustion by all cores of this machine: in memory or, where that is too small, in a mapped file.

What it has come to is kept now and then, whole or not at all, in one file: a line of JSON, then the records that wait
in the layer under way, in the next one, and in the one after that; then what the walk through a large class has come
to, if one is under way: the positions on its stacks, and its table. The same call goes on from there.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from kernels.dealing import deal_one
from kernels.jit import source_digest
from kernels.layout import layout_of
from kernels.proof.classes import sizes_of, slot_type
from kernels.proof.closure import Closure, exhaust_on, path_through_layers
from kernels.proof.crew import Begun
from kernels.proof.layers import Layered, Layers, Standing, Waiting, first_waiting
from kernels.proof.planes import PLANES, facts_from, facts_of
from kernels.proof.shelf import CHUNK, Shelf, new_shelf
from kernels.rules import Rules
from pipeline.atomic import replacing
from pipeline.farm.limits import free_memory
from pipeline.farm.worker import ALONE
from pipeline.places import Place
from pipeline.progress import counted

Answer = TypeVar("Answer")

UNDER_WAY, KEPT = "under-way", "standing"
KEEP_EVERY = 60.0
"""Seconds at least between two times that the standing is kept."""

HEADER = 1024
"""Bytes of the line of JSON."""

A_RECORD = PLANES * 8
CHUNK_BYTES = int(CHUNK) * A_RECORD
BLOCK = 1 << 20
"""Records read at a time."""

OF_MEMORY, OF_DISK = 0.4, 0.5
"""What the positions that wait may take of the memory that is free, and of the disk. The rest is for tables, and for
what is kept."""

SPOKEN_EVERY = 30.0


def prove_large(
    deal: int,
    rules: Rules,
    plain: int,
    safe: int,
    threads: int,
    out: Place | None,
    asked_to_stop: Callable[[], bool],
) -> Closure:
    """Exhaust a deal layer by layer; go on where it was stopped. Says what it may take before it begins.

    Parameters
    ----------
    deal : int
    rules : Rules
    plain, safe : int
        Positions that the plain exhaustion, and the one with safe autoplay, may have.
    threads : int
    out : Path or Remote, optional
        Folder of the results; what the walk has come to is kept in there, and is gone when it has ended. Without a
        folder, and on a store, nothing is kept.
    asked_to_stop : callable
        Asked several times a second.

    Raises
    ------
    Stopped
        If `asked_to_stop` said so.
    MemoryError
        If neither memory nor disk hold the positions that wait.
    OSError
        If `out` can't be written.
    """
    print(
        f"deal {deal}: an exhaustion of more than {ALONE:,} positions, by {counted(threads, 'thread')}; "
        f"up to {free_memory() * OF_MEMORY / 1e9:.1f} GB of memory for positions that wait, then disk",
        file=sys.stderr,
    )
    kept = out / UNDER_WAY / f"{deal}" if isinstance(out, Path) else None
    with _folder(kept) as folder:
        closure = _with_room(
            deal, folder, lambda shelf: _walk(deal, rules, plain, safe, threads, folder, shelf, asked_to_stop)
        )
        if closure.won:
            print(f"deal {deal}: a won position was met; walks once more, for the moves to it", file=sys.stderr)
            path = _with_room(deal, folder, lambda shelf: _path(deal, rules, threads, folder, shelf, asked_to_stop))
            closure = closure._replace(path=path)
    if kept:
        shutil.rmtree(kept, ignore_errors=True)
        with suppress(OSError):  # others are under way
            kept.parent.rmdir()
    return closure


def _with_room(deal: int, folder: Path, walk: Callable[[Shelf], Answer]) -> Answer:
    """What a walk comes to with a shelf in memory or, where that is too small, in a file."""
    try:
        return walk(new_shelf(int(free_memory() * OF_MEMORY) // CHUNK_BYTES))
    except MemoryError:
        print(f"deal {deal}: memory is too small, goes on with a file in {folder}", file=sys.stderr)
    return walk(_mapped(folder))


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is None:
        with tempfile.TemporaryDirectory(prefix="freecell-census-") as folder:
            yield Path(folder)
    else:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept


class _Clock:
    """When to speak, and when to keep what a walk has come to: at least a minute apart, and a twentieth of the time."""

    def __init__(self) -> None:
        self._spoken = self._kept = time.monotonic()
        self._keep_every = KEEP_EVERY

    @property
    def is_time_to_speak(self) -> bool:
        return time.monotonic() - self._spoken >= SPOKEN_EVERY

    @property
    def is_time_to_keep(self) -> bool:
        return time.monotonic() - self._kept >= self._keep_every

    def spoke(self) -> None:
        self._spoken = time.monotonic()

    def kept(self, began: float) -> None:
        self._kept = time.monotonic()
        self._keep_every = max(KEEP_EVERY, 20 * (self._kept - began))


def _walk(
    deal: int,
    rules: Rules,
    plain: int,
    safe: int,
    threads: int,
    folder: Path,
    shelf: Shelf,
    asked_to_stop: Callable[[], bool],
) -> Closure:
    facts, planes = facts_of(deal_one(deal), rules.cells, rules.in_suit)
    about = {"deal": deal, **rules._asdict(), "plain": plain, "kernels": source_digest()}
    standing, waiting, begun = _read(folder / KEPT, about) or (Standing(), first_waiting(planes), None)
    layers, clock = Layers(facts, standing, waiting, shelf, threads, begun), _Clock()

    def asked() -> bool:
        if clock.is_time_to_speak:
            clock.spoke()
            found, settled = layers.so_far
            print(f"deal {deal}: {settled:,} positions with safe autoplay, {found:,} in all", file=sys.stderr)
        return asked_to_stop()

    def tell(layered: Layered) -> None:
        if clock.is_time_to_keep and not layers.is_done:
            began = time.monotonic()
            try:
                _write(folder / KEPT, about, layers)
            except OSError as error:  # a disk that is full now may have room in a while
                said = error.strerror or error
                print(f"deal {deal}: goes on, but what it has come to can't be kept: {said}", file=sys.stderr)
            clock.kept(began)

    return exhaust_on(layers, plain, safe, asked, tell, lambda: clock.is_time_to_keep)


def _path(
    deal: int, rules: Rules, threads: int, folder: Path, shelf: Shelf, asked_to_stop: Callable[[], bool]
) -> bytes:
    """The moves to the won position that a walk met."""
    layout = layout_of(deal_one(deal))
    facts, planes = facts_from(layout, rules.cells, rules.in_suit)
    layers = Layers(facts, Standing(), first_waiting(planes), shelf, threads)
    path: bytes = path_through_layers(layers, layout, rules, partial(_in_a_file, folder), asked_to_stop)
    return path


def _in_a_file(folder: Path, blocks: Iterable[npt.NDArray[np.uint64]]) -> Callable[[], npt.NDArray[np.uint64]]:
    """Keep the records of a layer in a file without a name."""
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  # it is gone with the last reference
    try:
        for records in blocks:
            file.write(records.data)
        file.flush()
    except OSError as error:
        raise MemoryError(f"no room in {folder} for the records of its layers ({error.strerror})") from error

    def recall() -> npt.NDArray[np.uint64]:
        file.seek(0)
        return np.fromfile(file, np.uint64).reshape(-1, PLANES)

    return recall


def _write(path: Path, about: dict[str, Any], layers: Layers) -> None:
    """Keep what a walk has come to."""
    with replacing(path) as file:
        file.write(b" " * HEADER)
        counts, begun = [], layers.begun
        for layer in range(3):
            counts.append(0)
            for records in layers.waiting(layer):
                file.write(records.data)
                counts[layer] += len(records)
        said = {**about, **layers.standing()._asdict(), "waiting": counts}
        if begun:
            for array in (begun.waiting, begun.put_off, begun.slots):
                file.write(array.data)
            said["class"] = [*begun[:5], *map(len, begun[5:])]
        file.seek(0)
        file.write(json.dumps(said).ljust(HEADER - 1).encode() + b"\n")


def _read(path: Path, about: dict[str, Any]) -> tuple[Standing, Waiting, Begun | None] | None:
    """What was kept of this walk; None where there is nothing, or it is of another one."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        said = json.loads(file.read(HEADER))
        if any(said[key] != value for key, value in about.items()):
            return None
        under_way, following, last = said["waiting"]
        begun = None
        if "class" in said:
            (joints, there), phase, found, settled, most_home, slots, waiting, put_off = said["class"]
            file.seek(HEADER + (under_way + following + last) * A_RECORD)
            stacks = [np.fromfile(file, np.uint64, count * PLANES).reshape(-1, PLANES) for count in (waiting, put_off)]
            table = np.fromfile(file, slot_type(sum(sizes_of(joints, there)), slots), slots)
            begun = Begun((joints, there), phase, found, settled, most_home, table, *stacks)
    blocks = (
        _blocks(path, 0, under_way),
        _blocks(path, under_way, following),
        _blocks(path, under_way + following, last),
    )
    return Standing(*(said[key] for key in Standing._fields)), blocks, begun


def _blocks(path: Path, skipped: int, count: int) -> Iterator[npt.NDArray[np.uint64]]:
    for start in range(skipped, skipped + count, BLOCK):
        records = min(BLOCK, skipped + count - start)
        offset = HEADER + start * A_RECORD
        yield np.fromfile(path, np.uint64, records * PLANES, offset=offset).reshape(-1, PLANES)


def _mapped(folder: Path) -> Shelf:
    """A shelf in a file that is gone with the process. Its disk is reserved: a page that found none would end that."""
    chunks = int(shutil.disk_usage(folder).free * OF_DISK) // CHUNK_BYTES
    with tempfile.TemporaryFile(dir=folder) as file:
        try:
            os.posix_fallocate(file.fileno(), 0, chunks * CHUNK_BYTES)
        except OSError as error:
            raise MemoryError(f"no room for a file in {folder} ({error.strerror})") from error
        mapped = np.memmap(file, np.uint64, "r+", shape=(chunks, int(CHUNK), PLANES))
    return new_shelf(chunks, np.asarray(mapped).view(np.ndarray))
