"""What another program must get of an unsolvable deal: the board, the rules in words, and counts."""

from typing import NamedTuple

from kernels.dealing import deal_one
from kernels.proof.closure import exhaust
from pipeline.config import Game
from pipeline.deals.notation import board_columns
from pipeline.errors import Contradiction

IN_SUIT = "every card that can go there"
OTHER_COLOUR = (
    "a card of rank r (ace 1) if both foundations of the other colour have r-1 cards or more, or if they have r-2 or "
    "more and the other one of its own colour r-3 or more"
)
"""What is sent home by safe autoplay (`kernels.moves`)."""


class Certificate(NamedTuple):
    """An unsolvable deal.

    Attributes
    ----------
    deal : int
    board : list of str
        A line a column, its bottom card first.
    positions : int
        What single-card moves reach, the first position included; the order of columns and cells doesn't count.
    positions_autoplay : int
        The same, each position taken after everything that is safe has gone home.
    most_home : int
        The greatest number of cards that are home in any of them.
    """

    deal: int
    board: list[str]
    positions: int
    positions_autoplay: int
    most_home: int

    def as_text(self) -> str:
        """Lines for a person; those of the board are what Freecell Solver reads."""
        lines = [
            f"# deal {self.deal}: {self.positions} positions without autoplay, "
            f"{self.positions_autoplay} with safe autoplay, at most {self.most_home} cards home",
            *self.board,
        ]
        return "\n".join(lines) + "\n"


def certified(deal: int, closure: int, game: Game) -> Certificate:
    """Exhaust an unsolvable deal again, for both counts.

    Parameters
    ----------
    closure : int
        Positions that the result says; no exhaustion holds more.

    Raises
    ------
    Contradiction
        If an exhaustion doesn't end, or has another count.
    """
    board, rules = deal_one(deal), game.kernel_rules()
    count = exhaust(board, rules, closure)
    if not (count.ended and count.safe_ended and count.positions == closure):
        raise Contradiction(f"deal {deal}: stored as unsolvable with {closure:,} positions, the exhaustion has others")
    columns = board_columns(board).splitlines()
    return Certificate(deal, columns, count.positions, count.safe_positions, count.most_home)


def rules_in_words(game: Game) -> list[str]:
    """The rules that the counts are by, in paragraphs."""
    suits, safe = ("of the same suit", IN_SUIT) if game.game == "bakers" else ("of the other colour", OTHER_COLOUR)
    return [
        f"Eight columns as dealt, {game.cells} cells, four foundations. A column is a line, its bottom card first.",
        "One card moves at a time, the top card of a column or a card in a cell: home, onto the next lower card of its "
        "suit (first the ace), and never back; onto the top card of a column that is one rank higher and "
        f"{suits}; into an empty column; or, from a column, into a free cell.",
        "Counted are all positions that such moves reach, the deal included, until no new one is left; none of them "
        "has all 52 cards home. Positions that differ only in the order of columns or cells are one.",
        f"With safe autoplay, a position is counted after these have gone home, again and again: {safe}.",
    ]
