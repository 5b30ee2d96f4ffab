"""The dealer for the three bands of deal numbers.

The deck lies in the order of card numbers, AC first. `state = state * 214013 + 2531011` (of which only the low 32 bits
ever matter) gives a number `r` for each of 52 draws; the card at `r % cards_left` is dealt, the last card of the deck
moves into the hole, and the deck is one shorter. Card `i` of the deal goes to column `i % 8`.

    deal number         first state     r
    1 .. 2^31-1         n               (state >> 16) & 0x7fff
    2^31 .. 2^32-1      n               ((state >> 16) & 0x7fff) | 0x8000
    2^32 .. 2^33-1      n - 2^32        ((state >> 16) & 0xffff) + 1        (up to 65,536: 17 bits)

Only 1..1,000,000 were ever Microsoft's; from 2^31 on it is the extension of FreeCell Pro. At 2^33 the boards would
begin to repeat: n and n - 2^32 would give the same one.

Source: Freecell Solver's `gen_ms_boards__rand.h` and `range_solvers_gen_ms_boards.h`, restated; Rosetta Code, "Deal
cards for FreeCell". Before 4.12.1 Freecell Solver itself dealt wrong boards from 2^31 on: 32-bit signed arithmetic.

Deals are dealt in tiles of 64, in two steps: first all indices of a tile, draw by draw, a vector of deals at a time;
then the cards, four decks at a time.
"""

import numpy as np

from kernels.cards import CARDS
from kernels.jit import inlined, njit
from kernels.words import U0

FIRST_DEAL = 1
LAST_DEAL = 2**33 - 1

TILE = 64
# One deck at a time, each draw would wait until the hole of the draw before is filled.
DECKS = 4

_SECOND_BAND = np.uint64(1 << 31)
_THIRD_BAND = np.uint64(1 << 32)
_FACTOR = np.uint32(214013)
_SUMMAND = np.uint32(2531011)
_16 = np.uint32(16)
_FRACTION_BITS = np.uint32(26)
_FRACTION = np.uint32((1 << 26) - 1)
# By the number of cards left: 2^26 / left, rounded up.
_RECIPROCALS = np.array([0, *(-(-(1 << 26) // left) for left in range(1, CARDS + 1))], np.uint32)
_DECK = np.arange(CARDS, dtype=np.uint8)


@inlined
def remainder(r, left):
    """`r % left` for r up to 2^17 and up to 52 cards left, in 32-bit products that a vector unit has.

    The fraction of `r / left`, in 26 bits, times `left`: exact because 26 bits are more than 17 and those of 52
    together (Lemire, Kaser & Kurz, "Faster remainder by direct computation", 2019).
    """
    fraction = np.uint32(r * _RECIPROCALS[left]) & _FRACTION
    return np.uint32(fraction * left) >> _FRACTION_BITS


@inlined
def seed(numbers, start, states, kept, added):
    """First states of a tile; its bands, written as `r = ((state >> 16) & kept) + added`."""
    for lane in range(np.uint64(TILE)):
        number = numbers[start + lane]
        states[lane] = np.uint32(number)
        third = number >= _THIRD_BAND
        second = number >= _SECOND_BAND
        kept[lane] = np.uint32(0xFFFF if third else 0x7FFF)
        added[lane] = np.uint32(1 if third else 0x8000 if second else 0)


@inlined
def draw(states, kept, added, indices):
    """All draws of a tile: the place in the deck by draw and deal."""
    for dealt in range(np.uint64(CARDS)):
        left = np.uint32(np.uint64(CARDS) - dealt)
        for lane in range(np.uint64(TILE)):
            state = np.uint32(states[lane] * _FACTOR + _SUMMAND)
            states[lane] = state
            r = np.uint32(((state >> _16) & kept[lane]) + added[lane])
            indices[dealt, lane] = np.uint8(remainder(r, left))


@inlined
def hand_out(boards, start, indices, decks):
    """Deal the cards of a tile from its indices."""
    last = np.uint64(CARDS - 1)
    for lane in range(U0, np.uint64(TILE), np.uint64(DECKS)):
        for deck in range(np.uint64(DECKS)):
            for card in range(np.uint64(CARDS)):
                decks[deck, card] = _DECK[card]
        for dealt in range(np.uint64(CARDS)):
            for deck in range(np.uint64(DECKS)):
                index = np.uint64(indices[dealt, lane + deck])
                boards[start + lane + deck, dealt] = decks[deck, index]
                decks[deck, index] = decks[deck, last - dealt]


@njit
def deal_tiles(boards, numbers):
    """Deal each number into its row of `boards`: whole tiles only."""
    states = np.zeros(TILE, np.uint32)
    kept = np.zeros(TILE, np.uint32)
    added = np.zeros(TILE, np.uint32)
    indices = np.zeros((CARDS, TILE), np.uint8)
    decks = np.zeros((DECKS, CARDS), np.uint8)
    for start in range(U0, np.uint64(len(numbers)), np.uint64(TILE)):
        seed(numbers, start, states, kept, added)
        draw(states, kept, added, indices)
        hand_out(boards, start, indices, decks)


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
    whole_tiles = np.full(-(-len(numbers) // TILE) * TILE, FIRST_DEAL, np.uint64)
    whole_tiles[: len(numbers)] = numbers
    boards = np.empty((len(whole_tiles), CARDS), np.uint8)
    deal_tiles(boards, whole_tiles)
    return boards[: len(numbers)]


def deal_block(first: int, count: int) -> np.ndarray:
    """Deal `count` deals (at least one) from `first` on; the block may cross from one band into the next.

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
