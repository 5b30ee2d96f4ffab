"""Card numbers, masks of cards, names of ranks and suits.

A card is `rank * 4 + suit`: rank 0 = ace .. 12 = king, suits in the order C D H S (AC 0, AD 1, AH 2, AS 3, 2C 4 ..
KS 51). A set of cards is a mask of 52 bits; its nibble `r` holds the four cards of rank `r`:

      bit 51 ......................... 7    6    5    4    3    2    1    0
          KS ......................... 2S   2H   2D   2C   AS   AH   AD   AC

Suits 0 and 3 are black, 1 and 2 red. The numbering is Microsoft's (see `kernels/dealing.py`).
"""

import numpy as np

RANKS = "A23456789TJQK"
SUITS = "CDHS"
CARDS = 52
SUIT_SIZE = 13

TALLEST = 7 + SUIT_SIZE - 1
"""Cards in the highest column there can be: seven as dealt, the last of them a king, and a run down to an ace."""

ALL = np.uint64((1 << 52) - 1)
BLACK = np.uint64(0x9999999999999)
RED = np.uint64(0x6666666666666)
CLUBS = np.uint64(0x1111111111111)
DIAMONDS = np.uint64(0x2222222222222)


def name(card: int) -> str:
    """Name of a card: 0 -> "AC", 51 -> "KS"."""
    return RANKS[card // 4] + SUITS[card % 4]
