"""A certificate: what another program needs to check an unsolvable deal. It has the board, the rules and the counts."""

from typing import NamedTuple

from kernels.contradiction import Contradiction
from kernels.dealing import deal_one
from kernels.proof.closure import exhaust
from pipeline.config import Game
from pipeline.deals.notation import board_columns
from pipeline.store.rows import Proof

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
    grade : str
        "plain", or "safe autoplay only" where the plain exhaustion was too large to end.
    positions : int or None
        What single-card moves reach, the first position included; the order of columns and cells doesn't count. None
        where the plain exhaustion did not end.
    positions_autoplay : int
        As many, each position taken after everything that is safe has gone home.
    most_home : int
        The greatest number of cards that are home in any of them.
    """

    deal: int
    board: list[str]
    grade: str
    positions: int | None
    positions_autoplay: int
    most_home: int

    def as_text(self) -> str:
        """Lines for a person. Freecell Solver reads those of the board."""
        plain = "too many" if self.positions is None else self.positions
        lines = [
            f"# deal {self.deal}: {plain} positions without autoplay, "
            f"{self.positions_autoplay} with safe autoplay, at most {self.most_home} cards home; grade: {self.grade}",
            *self.board,
        ]
        return "\n".join(lines) + "\n"


def certified(deal: int, proof: Proof, game: Game) -> Certificate:
    """Exhaust an unsolvable deal again, up to the counts in the result.

    Parameters
    ----------
    proof : Proof
        The counts in the result; an exhaustion stops above them.

    Raises
    ------
    Contradiction
        If an exhaustion doesn't end, or has another count.
    """
    board, rules = deal_one(deal), game.kernel_rules()
    count = exhaust(board, rules, proof.plain, proof.safe or proof.plain)
    plain_agrees = not proof.plain or (count.ended and count.positions == proof.plain)
    safe_agrees = count.safe_ended and proof.safe in (0, count.safe_positions)
    if not plain_agrees or not safe_agrees:
        raise Contradiction(f"deal {deal}: stored as unsolvable by {proof}, the exhaustion has {count}")
    columns = board_columns(board).splitlines()
    return Certificate(deal, columns, proof.grade, proof.plain or None, count.safe_positions, count.most_home)


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
