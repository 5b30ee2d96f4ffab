"""From a board to the numbers of the deals that give it, by running the generator backwards.

A board tells each draw's index, so `r % cards_left` for each of the 52 draws (`kernels.dealing` has the rule). While
an even number of cards is left, that gives the lowest bit of `r`, which is bit 16 of the state. The low bits of the
generator never depend on higher ones: the 17 lowest bits of the first state decide all these 26 parities. So the 2^17
possible low ends are tried first, and of 512 boards that no deal gives, one has a low end that fits. Only then are the
high bits tried: 2^14 or 2^15 first states for each low end.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.cards import CARDS
from kernels.dealing import FIRST_DEAL, LAST_DEAL, deal_numbers
from pipeline.deals.notation import Board
from pipeline.errors import UsageError

FACTOR, SUMMAND = np.uint32(214013), np.uint32(2531011)
LOW_BITS = 17
"""Of a state, the lowest bit of `r` included."""

_16, _LOW = np.uint32(16), np.uint32((1 << LOW_BITS) - 1)

States = npt.NDArray[np.uint32]


class Band(NamedTuple):
    """Deal numbers with one rule: `r = ((state >> 16) & kept) + added`, from the first state `number % 2^32` on."""

    first: int
    last: int
    kept: int
    added: int


BANDS = (
    Band(FIRST_DEAL, 2**31 - 1, 0x7FFF, 0),
    Band(2**31, 2**32 - 1, 0x7FFF, 0x8000),
    Band(2**32, LAST_DEAL, 0xFFFF, 1),
)


@dataclass(frozen=True)
class Found:
    """The numbers of all deals that give a board, ascending."""

    deals: list[int]

    @property
    def status(self) -> int:
        """0 where there is one, 1 where there is none."""
        return 0 if self.deals else 1

    def lines(self) -> list[str]:
        """A number a line."""
        return [str(deal) for deal in self.deals] or [f"no deal from {FIRST_DEAL} to {LAST_DEAL} gives this board"]

    def as_json(self) -> dict[str, Any]:
        """The numbers as one object."""
        return {"deals": self.deals}


def find(board: Board) -> Found:
    """The numbers of all deals that give a board, in all three bands.

    Parameters
    ----------
    board : (52,) uint8
        Card numbers in dealing order, each once.

    Raises
    ------
    UsageError
        If some card is not there.
    """
    if sorted(board.tolist()) != list(range(CARDS)):
        raise UsageError("a board has each of the 52 cards once")
    indices = _draws(board)
    numbers = np.array([number for band in BANDS for number in _numbers(indices, band)], np.uint64)
    # The dealer itself has the last word.
    given = (deal_numbers(numbers) == board).all(axis=1)
    return Found(numbers[given].tolist())


def _draws(board: Board) -> list[int]:
    """The place in the deck that each card was drawn from: `r % cards_left`."""
    deck = list(range(CARDS))
    indices = []
    for card in board.tolist():
        index = deck.index(card)
        indices.append(index)
        deck[index] = deck[-1]
        deck.pop()
    return indices


def _numbers(indices: list[int], band: Band) -> list[int]:
    """The deal numbers of a band whose draws have these indices."""
    numbers = []
    base = band.first & ~0xFFFF_FFFF
    high = np.arange((band.last - base) // (1 << LOW_BITS) + 1, dtype=np.uint32) << np.uint32(LOW_BITS)
    for low in _low_ends(indices, band):
        first_states = high | low
        inside = first_states >= np.uint32(band.first - base)
        numbers += [base + state for state in _with_draws(first_states[inside], indices, band).tolist()]
    return sorted(numbers)


def _low_ends(indices: list[int], band: Band) -> States:
    """What the 17 lowest bits of the first state may be, by the parities of the draws alone."""
    low_ends = np.arange(1 << LOW_BITS, dtype=np.uint32)
    states = low_ends.copy()
    for dealt, index in enumerate(indices):
        states = states * FACTOR + SUMMAND
        if (CARDS - dealt) % 2 == 0:
            parity = np.uint32((index - band.added) & 1)
            fitting = (states >> _16) & np.uint32(1) == parity
            low_ends, states = low_ends[fitting], states[fitting]
    return low_ends


def _with_draws(first_states: States, indices: list[int], band: Band) -> States:
    """The first states whose draws all have these indices."""
    states = first_states.copy()
    for dealt, index in enumerate(indices):
        states = states * FACTOR + SUMMAND
        r = ((states >> _16) & np.uint32(band.kept)) + np.uint32(band.added)
        fitting = r % np.uint32(CARDS - dealt) == np.uint32(index)
        first_states, states = first_states[fitting], states[fitting]
    return first_states
