"""The dealer for the three bands of deal numbers.

The deck lies in the order of card numbers, AC first. `state = state * 214013 + 2531011` (of which only the low 32 bits
ever matter) gives a number `r` for each of 52 draws; the card at `r % cards_left` is dealt, the last card of the deck
moves into the hole, and the deck is one shorter. Card `i` of the deal goes to column `i % 8`.

    deal number         first state     r
    1 .. 2^31-1         n               (state >> 16) & 0x7fff
    2^31 .. 2^32-1      n               (state >> 16) & 0x7fff | 0x8000
    2^32 .. 2^33-1      n - 2^32        ((state >> 16) & 0xffff) + 1        (17 bits: up to 65,536)

Only 1..1,000,000 were ever Microsoft's; from 2^31 on it is the extension of FreeCell Pro. At 2^33 the boards would
begin to repeat: n and n - 2^32 would give the same one.

Source: Freecell Solver's `gen_ms_boards__rand.h` and `range_solvers_gen_ms_boards.h`, restated; Rosetta Code, "Deal
cards for FreeCell". Before 4.12.1 Freecell Solver itself dealt wrong boards from 2^31 on: 32-bit signed arithmetic.
"""

import numpy as np

from kernels.cards import CARDS
from kernels.jit import inlined, njit

FIRST_DEAL = 1
LAST_DEAL = 2**33 - 1

_SECOND_BAND = np.uint64(1 << 31)
_THIRD_BAND = np.uint64(1 << 32)
_FACTOR = np.uint64(214013)
_SUMMAND = np.uint64(2531011)
_WORD = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(0xFFFF)
_16 = np.uint64(16)
_ONE = np.uint64(1)
_DECK = np.arange(CARDS, dtype=np.uint8)


@inlined
def drawn(state, number):
    """The number that a state gives in the band of `number`."""
    high = (state >> _16) & _HALF
    if number >= _THIRD_BAND:
        return high + _ONE
    if number >= _SECOND_BAND:
        return high | np.uint64(0x8000)
    return high & np.uint64(0x7FFF)


@njit
def deal_into(boards, numbers):
    """Deal each number into its row of `boards`."""
    deck = _DECK.copy()
    for i in range(len(numbers)):
        number = numbers[i]
        state = number & _WORD
        deck[:] = _DECK
        for dealt in range(CARDS):
            left = np.uint64(CARDS) - np.uint64(dealt)
            state = (state * _FACTOR + _SUMMAND) & _WORD
            index = drawn(state, number) % left
            boards[i, dealt] = deck[index]
            deck[index] = deck[left - _ONE]


def check_range(first: int, last: int) -> None:
    """Refuse deal numbers that are not dealt.

    Raises
    ------
    ValueError
        Unless FIRST_DEAL <= first and last <= LAST_DEAL.
    """
    for number in (first, last):
        if not FIRST_DEAL <= number <= LAST_DEAL:
            raise ValueError(f"there is no deal {number}: deal numbers go from {FIRST_DEAL} to {LAST_DEAL} (2^33 - 1)")


def deal_numbers(numbers: np.ndarray) -> np.ndarray:
    """Deal a list of deals that need not be neighbours.

    Parameters
    ----------
    numbers : (n,) uint64
        Deal numbers.

    Returns
    -------
    (n, 52) uint8
        Cards in dealing order, a row a deal.

    Raises
    ------
    ValueError
        For a number outside FIRST_DEAL..LAST_DEAL.
    """
    numbers = np.asarray(numbers)
    if len(numbers):
        check_range(int(numbers.min()), int(numbers.max()))
    boards = np.empty((len(numbers), CARDS), np.uint8)
    deal_into(boards, numbers.astype(np.uint64))
    return boards


def deal_block(first: int, count: int) -> np.ndarray:
    """Deal `count` deals from `first` on; the block may cross from one band into the next.

    Returns
    -------
    (count, 52) uint8
        Cards in dealing order, a row a deal.

    Raises
    ------
    ValueError
        For a number outside FIRST_DEAL..LAST_DEAL.
    """
    check_range(first, first + count - 1)
    return deal_numbers(np.arange(first, first + count, dtype=np.uint64))


def deal_one(number: int) -> np.ndarray:
    """Deal one deal: (52,) uint8, cards in dealing order.

    Raises
    ------
    ValueError
        For a number outside FIRST_DEAL..LAST_DEAL.
    """
    return deal_block(number, 1)[0]
