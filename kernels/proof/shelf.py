"""Positions that wait for their layer: chunks of one large array, filled and read one after another.

    records   chunk 1 +--+--+--+--+     chunk 7 +--+--+--+--+     chunk 4 +--+--+
                      |  |  |  |  | <-- link -- |  |  |  |  | <-- link -- |  |  |  <-- head of a partition
                      +--+--+--+--+             +--+--+--+--+             +--+--+

A record is a position's three planes. Above plane a stand the move that led to it (`around`), and whether it is
reached with safe autoplay as well:

      63       62            52 51                  0
     +--------+----------------+---------------------+
     | safely |   last move    |       plane a       |
     +--------+----------------+---------------------+

Each worker fills chunks of its own, so nothing is shared while a layer is worked on. Chunk 0 is never used: it is the
end of every chain, and counts as full.
"""

import itertools
from typing import NamedTuple

import numpy as np

from kernels.jit import inlined, kernel
from kernels.proof.planes import PLANES
from kernels.proof.table import mixed
from kernels.words import U0, U1, U2, U63, U64

CHUNK = np.uint64(128)
"""Records a chunk: 3 KB."""

MOST_PARTITIONS = 4096

SAFELY = U1 << U63
"""The mark of a position that is reached with safe autoplay."""

FREE, FRESH, FRESH_END = (np.uint64(i) for i in range(3))
"""Entries of `Pen.stock`: chunks in `free`; the first chunk that nobody had yet, and the end of those."""


class Shelf(NamedTuple):
    """All chunks.

    Attributes
    ----------
    records : (chunks, 128, 3) uint64
    link : (chunks,) uint64
        The next chunk of the same chain, 0 at its end.
    filled : (chunks,) uint64
        Records in each chunk.
    """

    records: np.ndarray
    link: np.ndarray
    filled: np.ndarray


class Pen(NamedTuple):
    """What one worker writes records with.

    Attributes
    ----------
    heads : (2, 4096) uint64
        By layers below the present one (less one) and partition, the chunk that is being filled; 0 for none.
    shifts : (2,) uint64
        For both layers, 64 less the bits that number a partition.
    free : (chunks,) uint64
        Chunks that were read and may be filled again.
    stock : (3,) uint64
    """

    heads: np.ndarray
    shifts: np.ndarray
    free: np.ndarray
    stock: np.ndarray


def new_shelf(chunks: int, records: np.ndarray | None = None) -> Shelf:
    """Room for so many chunks, or as many as the system grants; it gives the memory only as it is filled.

    Parameters
    ----------
    chunks : int
    records : (chunks, 128, 3) uint64, optional
        Where they are to lie, a mapped file for example.
    """
    while records is None:
        try:
            records = np.empty((chunks, int(CHUNK), PLANES), np.uint64)
        except MemoryError:  # more than the machine has
            chunks //= 2
    shelf = Shelf(records, np.zeros(chunks, np.uint64), np.zeros(chunks, np.uint64))
    shelf.filled[0] = CHUNK
    return shelf


def new_pens(shelf: Shelf, workers: int) -> list[Pen]:
    """A pen for each worker; the chunks are shared out among them."""
    chunks = len(shelf.link)
    ends = np.linspace(1, chunks, workers + 1).astype(np.uint64)
    shifts = np.full(2, U64)
    return [
        Pen(
            np.zeros((2, MOST_PARTITIONS), np.uint64),
            shifts,
            np.empty(chunks, np.uint64),
            np.array([0, first, end], np.uint64),
        )
        for first, end in itertools.pairwise(ends)
    ]


@inlined
def partition_of(a, b, c, shift):
    """The partition of a position: by what no move inside a layer changes, the joints and the cards home."""
    if shift >= U64:
        return U0
    return mixed(a & b, a | b | c, U0) >> shift


@inlined
def fresh_chunk(pen):
    """A chunk to fill; 0 where there is none left."""
    if pen.stock[FREE] > U0:
        pen.stock[FREE] -= U1
        return pen.free[pen.stock[FREE]]
    if pen.stock[FRESH] < pen.stock[FRESH_END]:
        pen.stock[FRESH] += U1
        return pen.stock[FRESH] - U1
    return U0


@inlined
def shelve(shelf, pen, a, b, c, lower, mark):
    """Write a record for the layer `lower` layers below; False where there is no room.

    `mark` is what stands above plane a.
    """
    layer = lower - U1
    partition = partition_of(a, b, c, pen.shifts[layer])
    chunk = pen.heads[layer, partition]
    if shelf.filled[chunk] == CHUNK:
        chunk = fresh_chunk(pen)
        if chunk == U0:
            return False
        shelf.link[chunk] = pen.heads[layer, partition]
        shelf.filled[chunk] = U0
        pen.heads[layer, partition] = chunk
    place = shelf.filled[chunk]
    shelf.records[chunk, place, U0] = a | mark
    shelf.records[chunk, place, U1] = b
    shelf.records[chunk, place, U2] = c
    shelf.filled[chunk] = place + U1
    return True


@kernel
def give_back(shelf, pen, heads):
    """Make the chunks of some chains free again."""
    for i in range(np.uint64(heads.shape[0])):
        chunk = heads[i]
        while chunk != U0:
            pen.free[pen.stock[FREE]] = chunk
            pen.stock[FREE] += U1
            chunk = shelf.link[chunk]


@kernel
def records_in(shelf, heads):
    """The number of records in some chains."""
    count = U0
    for i in range(np.uint64(heads.shape[0])):
        chunk = heads[i]
        while chunk != U0:
            count += shelf.filled[chunk]
            chunk = shelf.link[chunk]
    return count


def shared_out(pens: list[Pen]) -> None:
    """Give each worker the same number of free chunks."""
    if len(pens) == 1:
        return
    free = np.concatenate([pen.free[: int(pen.stock[FREE])] for pen in pens])
    for pen, part in zip(pens, np.array_split(free, len(pens)), strict=True):
        pen.free[: len(part)] = part
        pen.stock[FREE] = len(part)


def chunks_for(positions: int) -> int:
    """Chunks for a walk of so many positions: as many as records that wait, where each position is met six times."""
    return MOST_PARTITIONS * 4 + positions * 6 // int(CHUNK)
