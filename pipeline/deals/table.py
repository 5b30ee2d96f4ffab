"""The cards on the table as a player sees them: columns 1 to 8, cells by their letters, a run as one move.

What is played here is noted in the bytes that the referee takes. The referee puts a card into its first free cell, a
player into any; so the table knows where the referee has each card.
"""

from collections.abc import Sequence
from copy import copy

from kernels.cards import CARDS, RANKS, SUITS, name
from kernels.layout import COLUMNS, Layout
from kernels.rules import Rules, rules_of
from pipeline.deals.notation import CELLS
from pipeline.errors import UsageError

HOME = 16
"""A place: 0-7 are the columns, 8-15 the cells."""

IMPOSSIBLE = 0xFF
"""A byte that the referee refuses wherever it stands."""

_TO_CELL, _TO_HOME = 8, 9


def is_red(card: int) -> bool:
    """Whether a card's suit is diamonds or hearts."""
    return card % 4 in (1, 2)


class Table:
    """Cards, and the moves made with them.

    Attributes
    ----------
    columns : list of (list of int)
        The bottom card first.
    cells : list of (int or None)
        As many as the rules have.
    home : list of int
        Number of cards on each foundation.
    moves : bytearray
        What was played, a byte a single-card move, as the referee takes it.
    """

    def __init__(self, layout: Layout, rules: Rules) -> None:
        self.columns = [list(column) for column in layout.columns]
        self.cells = [*layout.cells, *[None] * (rules.cells - len(layout.cells))]
        self.home = list(layout.home)
        self.moves = bytearray()
        self._in_suit = rules.in_suit
        self._referees = list(self.cells)

    def copy(self) -> "Table":
        """The same table, to try something on."""
        other = copy(self)
        other.columns = [list(cards) for cards in self.columns]
        other.cells, other.home, other.moves = list(self.cells), list(self.home), self.moves.copy()
        other._referees = list(self._referees)
        return other

    @property
    def is_won(self) -> bool:
        """Whether all cards are home."""
        return bool(sum(self.home) == CARDS)

    def layout(self) -> Layout:
        """Where the cards lie now."""
        return Layout(tuple(map(tuple, self.columns)), _up_to_the_last(self.cells), tuple(self.home))

    def card(self, place: int) -> int | None:
        """The card that can move from a column or a cell."""
        if place < COLUMNS:
            return self.columns[place][-1] if self.columns[place] else None
        return self.cells[place - COLUMNS] if place - COLUMNS < len(self.cells) else None

    def fits(self, card: int, beneath: int) -> bool:
        """Whether a card may lie on another."""
        if card // 4 + 1 != beneath // 4:
            return False
        return bool(card % 4 == beneath % 4 if self._in_suit else is_red(card) != is_red(beneath))

    def run(self, column: int) -> int:
        """Number of cards on top of a column that fit on each other."""
        cards = self.columns[column]
        length = min(1, len(cards))
        while length < len(cards) and self.fits(cards[-length], cards[-length - 1]):
            length += 1
        return length

    def capacity(self, target: int) -> int:
        """Number of cards that can move to a column as a run."""
        empty = sum(not cards for number, cards in enumerate(self.columns) if number != target)
        return (self.cells.count(None) + 1) << empty

    def is_home_next(self, card: int) -> bool:
        """Whether a card is the next of its suit."""
        return bool(self.home[card % 4] == card // 4)

    def goes_safely(self, card: int, far: bool) -> bool:
        """Whether a card that is next is no longer of use on the table.

        Every card of the other colour that could lie on it is home, or it is an ace or a two. With `far`, such a card
        may also be next itself, if the other suit of this card's colour has come almost as far.
        """
        rank, suit = divmod(card, 4)
        others = min(self.home[other] for other in range(4) if is_red(other) != is_red(suit))
        twin = next(self.home[other] for other in range(4) if is_red(other) == is_red(suit) and other != suit)
        if self._in_suit or rank < 2 or others >= rank:
            return True
        return far and others >= rank - 1 and twin >= rank - 2

    def fault(self, source: int, target: int) -> str | None:
        """Why a single card can't move; None where it can."""
        card = self.card(source)
        for place in (source, target):
            if len(self.cells) <= place - COLUMNS < HOME - COLUMNS:
                return f"there is no cell {CELLS[place - COLUMNS]}: the game has {len(self.cells)}"
        if card is None:
            return f"{named(source)} is {'empty' if source < COLUMNS else 'free'}"
        if target == HOME:
            suit = card % 4
            following = name(4 * self.home[suit] + suit) if self.home[suit] < len(RANKS) else "nothing"
            return None if self.is_home_next(card) else f"{name(card)} can't go home: {following} is next of its suit"
        beneath = self.card(target)
        if target >= COLUMNS and beneath is not None:
            return f"{named(target)} holds {name(beneath)}"
        if source == target:
            return f"{name(card)} is there already"
        if beneath is None or self.fits(card, beneath):
            return None
        return f"{name(card)} doesn't fit on {name(beneath)}"

    def fault_of_run(self, count: int, source: int, target: int) -> str | None:
        """Why several cards can't move as a run; None where they can."""
        if source >= COLUMNS or target >= COLUMNS or source == target:
            return f"{count} cards don't move from {named(source)} to {named(target)} at once"
        if not 1 <= count <= self.run(source):
            return f"the top {count} cards of {named(source)} are no run"
        head = self.columns[source][-count]
        if self.columns[target] and not self.fits(head, self.columns[target][-1]):
            return f"{name(head)} doesn't fit on {name(self.columns[target][-1])}"
        room = self.capacity(target)
        return f"{count} cards are to move, where free cells and empty columns allow {room}" if count > room else None

    def move(self, source: int, target: int) -> None:
        """Move a single card, and note it; where there is a fault, only note what the referee will refuse."""
        card = self.card(source)
        if self.fault(source, target):
            seen = card is not None and (target < COLUMNS or target == HOME)
            self.moves.append(self._byte(source, target) if seen else IMPOSSIBLE)
            return
        assert card is not None
        self.moves.append(self._byte(source, target))
        if source < COLUMNS:
            self.columns[source].pop()
        else:
            self.cells[source - COLUMNS] = None
        going_to_cell = COLUMNS <= target < HOME
        slot = self._referees.index(None) if going_to_cell else 0
        if source >= COLUMNS:
            self._referees[self._referees.index(card)] = None
        if target < COLUMNS:
            self.columns[target].append(card)
        elif target == HOME:
            self.home[card % 4] += 1
        else:
            self.cells[target - COLUMNS] = card
            self._referees[slot] = card

    def _byte(self, source: int, target: int) -> int:
        if source >= COLUMNS:
            source = COLUMNS + self._referees.index(self.card(source))
        return source * 16 + (target if target < COLUMNS else _TO_HOME if target == HOME else _TO_CELL)

    def move_run(self, count: int, source: int, target: int) -> None:
        """Move a run that isn't larger than `capacity`, by way of free cells and empty columns."""
        via = [number for number, cards in enumerate(self.columns) if not cards and number not in (source, target)]
        self._move_run(count, source, target, via)

    def _move_run(self, count: int, source: int, target: int, via: Sequence[int]) -> None:
        free = [COLUMNS + cell for cell, card in enumerate(self.cells) if card is None]
        if count <= len(free) + 1:
            used = free[: count - 1]
            for cell in used:
                self.move(source, cell)
            self.move(source, target)
            for cell in reversed(used):
                self.move(cell, target)
            return
        rest = next(rest for rest in range(len(via)) if count <= (len(free) + 1) << (rest + 1))
        lower = (len(free) + 1) << rest
        self._move_run(count - lower, source, via[rest], via[:rest])
        self._move_run(lower, source, target, via[:rest])
        self._move_run(count - lower, via[rest], target, via[:rest])


def _up_to_the_last(cells: Sequence[int | None]) -> tuple[int | None, ...]:
    """What cells hold, without the free ones after the last card."""
    return tuple(cells[: max((number for number, card in enumerate(cells, 1) if card is not None), default=0)])


def named(place: int) -> str:
    """A place in words."""
    if place == HOME:
        return "home"
    return f"column {place + 1}" if place < COLUMNS else f"cell {CELLS[place - COLUMNS]}"


def checked_rules(cells: int, game: str) -> Rules:
    """The rules of a game.

    Raises
    ------
    UsageError
        If there is no such game, or it isn't played with so many cells.
    """
    try:
        return rules_of(game, cells)
    except ValueError as error:
        raise UsageError(str(error)) from error


def check_cells(layout: Layout, rules: Rules) -> None:
    """Refuse a position with cards in more cells than there are.

    Raises
    ------
    UsageError
        If it has.
    """
    if len(layout.cells) > rules.cells:
        last = max(index for index, card in enumerate(layout.cells) if card is not None)
        raise UsageError(f"there is a card in cell {last + 1}, but the game has {rules.cells}: --cells takes 0 to 8")


def layout_lines(layout: Layout) -> list[str]:
    """A layout as Freecell Solver writes it, and `boards.py` reads it; a free cell before a full one is a dash."""
    home = " ".join(f"{SUITS[suit]}-{('0' + RANKS)[layout.home[suit]]}" for suit in (2, 0, 1, 3))
    held = " ".join("-" if card is None else name(card) for card in _up_to_the_last(layout.cells))
    columns = [" ".join((":", *map(name, column))) for column in layout.columns]
    return [f"Foundations: {home}", f"Freecells: {held}".rstrip(), *columns]


def layout_json(layout: Layout) -> dict[str, object]:
    """A layout as an object that `boards.py` reads."""
    return {
        "columns": [[name(card) for card in column] for column in layout.columns],
        "cells": [None if card is None else name(card) for card in layout.cells],
        "foundations": [[name(4 * rank + suit) for rank in range(count)] for suit, count in enumerate(layout.home)],
    }
