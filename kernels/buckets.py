"""The queue of the search: buckets by value, last in first out, with a bitmap that finds the lowest.

A child waits as one word and one link to the next child of its bucket:

      63                32 31       18 17        4 3  0
     +--------------------+-----------+-----------+----+
     |  parent            |   gap     |   move    |  0 |      gap: points / 4, at most 2^14 - 1
     +--------------------+-----------+-----------+----+
"""

from typing import NamedTuple

import numpy as np

from kernels.jit import inlined, lowest

BUCKETS = 4096
SHIFT = 4
MOST_GAP = (1 << 14) - 1

_0 = np.uint64(0)
_1 = np.uint64(1)
_4 = np.uint64(4)
_6 = np.uint64(6)
_18 = np.uint64(18)
_32 = np.uint64(32)
_63 = np.uint64(63)
_14_BITS = np.uint64((1 << 14) - 1)
_EMPTY = np.uint64(64)


class Queue(NamedTuple):
    """Buckets and children.

    Attributes
    ----------
    heads : (4096,) uint32
        First child of a bucket; only meaningful where the bitmap says that the bucket isn't empty.
    filled : (65,) uint64
        A bit a bucket, and in the last word a bit for each word that isn't zero.
    links : (capacity,) uint32
        Next child of the same bucket, 0 after the last.
    children : (capacity,) uint64
        Child words; number 0 is never used.
    """

    heads: np.ndarray
    filled: np.ndarray
    links: np.ndarray
    children: np.ndarray


def empty_queue(capacity: int) -> Queue:
    """A queue that may take `capacity` children in all."""
    return Queue(
        np.zeros(BUCKETS, np.uint32),
        np.zeros(BUCKETS // 64 + 1, np.uint64),
        np.empty(capacity, np.uint32),
        np.empty(capacity, np.uint64),
    )


@inlined
def child_word(parent, gap, move):
    """A child as one word; `gap` in points."""
    return (parent << _32) | (np.uint64(min(gap >> 2, MOST_GAP)) << _18) | (move << _4)


@inlined
def parent_of(child):
    """Number of the expanded position that a child comes from."""
    return child >> _32


@inlined
def gap_of(child):
    """Points that the child was estimated worse than its best sibling."""
    return np.int64((child >> _18) & _14_BITS) << 2


@inlined
def move_of(child):
    """The move that makes the child."""
    return (child >> _4) & _14_BITS


@inlined
def bucket_of(points):
    """Bucket of a value, given in points above that of the first position."""
    return np.uint64(min(max((points >> SHIFT) + 3072, 0), BUCKETS - 1))


@inlined
def push(queue, bucket, number, child):
    """Put child `number` into a bucket."""
    word = bucket >> _6
    bits = queue.filled[word]
    bit = _1 << (bucket & _63)
    queue.children[number] = child
    queue.links[number] = queue.heads[bucket] if bits & bit else np.uint32(0)
    queue.heads[bucket] = np.uint32(number)
    queue.filled[word] = bits | bit
    queue.filled[_EMPTY] |= _1 << word


@inlined
def is_empty(queue):
    """Whether no child waits."""
    return queue.filled[_EMPTY] == _0


@inlined
def pop(queue):
    """Take the latest child of the lowest bucket; its number."""
    word = lowest(queue.filled[_EMPTY])
    bits = queue.filled[word]
    bucket = (word << _6) | lowest(bits)
    number = np.uint64(queue.heads[bucket])
    link = queue.links[number]
    queue.heads[bucket] = link
    if link == 0:
        bits &= bits - _1
        queue.filled[word] = bits
        if bits == _0:
            queue.filled[_EMPTY] ^= _1 << word
    return number


@inlined
def clear(queue):
    """Make the queue empty."""
    queue.filled[:] = _0
