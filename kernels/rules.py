"""What varies between games: the number of cells, and how columns build.

FreeCell builds down in alternate colours; Baker's Game, the older form, builds down in suit. Everything else is common.
"""

from typing import NamedTuple

MOST_CELLS = 8
GAMES = ("freecell", "bakers")


class Rules(NamedTuple):
    """The rules as kernels take them.

    Attributes
    ----------
    cells : int
        Number of cells, 0..8.
    in_suit : bool
        True: a card goes onto the next higher card of its own suit (Baker's Game). False: onto one of the other
        colour (FreeCell).
    """

    cells: int
    in_suit: bool


def rules_of(game: str, cells: int) -> Rules:
    """Rules of a game by name.

    Raises
    ------
    ValueError
        For an unknown game, or a number of cells outside 0..8.
    """
    if game not in GAMES:
        raise ValueError(f"unknown game {game!r}: one of {', '.join(GAMES)}")
    if not 0 <= cells <= MOST_CELLS:
        raise ValueError(f"{cells} cells: a number from 0 to {MOST_CELLS} is allowed")
    return Rules(int(cells), game == "bakers")


FREECELL = rules_of("freecell", 4)
