"""Eight words as a list of plain integers."""

import operator

WORD = 1 << 64

OPERATORS = {
    operator.and_: lambda x, y: x & y,
    operator.or_: lambda x, y: x | y,
    operator.xor: lambda x, y: x ^ y,
    operator.add: lambda x, y: (x + y) % WORD,
    operator.sub: lambda x, y: (x - y) % WORD,
    operator.mul: lambda x, y: x * y % WORD,
    operator.lshift: lambda x, y: (x << y % 64) % WORD,
    operator.rshift: lambda x, y: x >> y % 64,
}
"""What each operator does with two words; shifts are only tried below 64."""


def signed(word):
    return word - WORD if word >> 63 else word


def low_half(word):
    """The lower 32 bits, with their sign."""
    return (word + (1 << 31)) % (1 << 32) - (1 << 31)


def set_of(truths):
    """A set of lanes as a number."""
    return sum(bool(truth) << lane for lane, truth in enumerate(truths))


def chosen(number):
    """The other way round."""
    return [bool(number >> lane & 1) for lane in range(8)]
