"""The queue of the search: buckets by value, last in first out, with a bitmap that finds the lowest.

A child waits as one word and one link to the next child of its bucket:

      63                32 31       18 17        4 3  0
     +--------------------+-----------+-----------+----+
     |  parent            |   gap     |   move    |  0 |      gap: points / 4, at most 2^14 - 1
     +--------------------+-----------+-----------+----+
"""

from typing import NamedTuple

import numpy as np

from kernels.jit import highest, inlined, lowest, prefetch
from kernels.words import U0, U1, U4, U6, U15, U16, U18, U32, U63

BUCKETS = 2048
SHIFT = 5
"""A bucket holds the values of 32 points, up to those that are far away."""

START = 1536
"""Bucket of the first position's value: most of the way leads down from it."""

FAR = 1792
"""From this bucket on they widen, 16 to each factor of two. If the last one held all values from 2,047 on, a search
that has nothing better would take from it what came last, and dive: such solutions had over 100,000 moves."""

MOST_GAP = (1 << 14) - 1

_14_BITS = np.uint64((1 << 14) - 1)
_FAR = np.uint64(FAR)
_END = np.uint64(BUCKETS // 64)


class Queue(NamedTuple):
    """Buckets and children.

    Attributes
    ----------
    heads : (2048,) uint32
        First child of a bucket, 0 where it is empty.
    filled : (33,) uint64
        A bit for each bucket that isn't empty; a last word that is never 0 ends every scan.
    low : (1,) uint64
        No bucket below 64 times this is filled.
    links : (capacity,) uint32
        Next child of the same bucket, 0 after the last.
    children : (capacity,) uint64
        Child words; number 0 is never used.
    """

    heads: np.ndarray
    filled: np.ndarray
    low: np.ndarray
    links: np.ndarray
    children: np.ndarray


def empty_queue(capacity: int) -> Queue:
    """A queue that may take `capacity` children in all."""
    return Queue(
        np.zeros(BUCKETS, np.uint32),
        np.zeros(BUCKETS // 64 + 1, np.uint64),
        np.zeros(1, np.uint64),
        np.empty(capacity, np.uint32),
        np.empty(capacity, np.uint64),
    )


@inlined
def child_word(parent, gap, move):
    """A child as one word; `gap` in points."""
    return (parent << U32) | (np.uint64(min(gap >> 2, MOST_GAP)) << U18) | (move << U4)


@inlined
def parent_of(child):
    """Number of the expanded position that a child comes from."""
    return child >> U32


@inlined
def gap_of(child):
    """Points that the child was estimated worse than its best sibling."""
    return np.int64((child >> U18) & _14_BITS) << 2


@inlined
def move_of(child):
    """The move that makes the child."""
    return (child >> U4) & _14_BITS


@inlined
def bucket_of(points):
    """Bucket of a value, given in points above that of the first position."""
    bucket = np.uint64(max((points >> SHIFT) + START, 0))
    if bucket < _FAR:
        return bucket
    beyond = bucket - _FAR + U16
    halvings = highest(beyond) - U4
    return min(_FAR + (halvings << U4) + ((beyond >> halvings) & U15), np.uint64(BUCKETS - 1))


@inlined
def push(queue, bucket, number, child):
    """Put child `number` into a bucket; `lower` has to be told of the lowest bucket afterwards."""
    queue.children[number] = child
    queue.links[number] = queue.heads[bucket]
    queue.heads[bucket] = np.uint32(number)
    queue.filled[bucket >> U6] |= U1 << (bucket & U63)


@inlined
def lower(queue, bucket):
    """Note that children went into buckets from this one on."""
    queue.low[0] = min(queue.low[0], bucket >> U6)


@inlined
def expect(queue, number):
    """Say that a child may be popped soon: a long queue lies in slow memory."""
    prefetch(queue.children, number)
    prefetch(queue.links, number)


@inlined
def pop(queue):
    """Take the latest child of the lowest bucket; its number, 0 where no child waits."""
    word = queue.low[0]
    while queue.filled[word] == U0:
        word += U1
    queue.low[0] = word
    if word == _END:
        return U0
    bits = queue.filled[word]
    bucket = (word << U6) | lowest(bits)
    number = np.uint64(queue.heads[bucket])
    link = queue.links[number]
    queue.heads[bucket] = link
    expect(queue, np.uint64(link))
    if link == 0:
        queue.filled[word] = bits & (bits - U1)
    return number


@inlined
def clear(queue):
    """Make the queue empty."""
    queue.heads[:] = 0
    queue.filled[:] = U0
    queue.filled[_END] = U1
    queue.low[0] = _END
