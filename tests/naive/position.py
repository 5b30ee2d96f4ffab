"""Plain columns in the order they were dealt, and what column words say in these terms."""

from dataclasses import dataclass

from tests.naive.rules import fits, position_of


@dataclass
class Table:
    """Columns with the bottom first, cells with `None` where one is free, cards home by suit, moves made."""

    columns: list
    cells: list
    home: list
    moves: int = 0


def dealt_columns(board):
    return [[int(card) for card in board[column::8]] for column in range(8)]


def lay_out(board, rules):
    return Table(dealt_columns(board), [None] * rules.cells, [0, 0, 0, 0])


def on_cells(table):
    return [card for card in table.cells if card is not None]


def tops(table):
    return [column[-1] for column in table.columns if column]


def heads(table, rules):
    """The highest cards of the runs on top of the columns."""
    return [column[prefix_size(column, rules)] for column in table.columns if column]


def next_cards(table):
    return [4 * count + suit for suit, count in enumerate(table.home) if count < 13]


def joints(column, rules):
    """Rows of the cards that don't fit on the card beneath."""
    return [row for row in range(1, len(column)) if not fits(column[row], column[row - 1], rules)]


def prefix_size(column, rules):
    """Cards beneath the run on top."""
    return max(joints(column, rules), default=0)


def unordered(table):
    """The position without the order of columns and cells."""
    return position_of(table.columns, on_cells(table), table.home)


def mask_of(cards):
    return sum(1 << card for card in cards)


def cards_of(mask):
    return [card for card in range(64) if int(mask) >> card & 1]


def column_of(word, board):
    """The cards that a column word stands for."""
    kept, dealt = divmod(int(word) >> 52, 8)
    return dealt_columns(board)[dealt][:kept] + cards_of(int(word) & (1 << 52) - 1)[::-1]


def unordered_of(position, board):
    """The position that the words of a position stand for, without the order of columns and cells."""
    home = [13, 13, 13, 13]
    for card in cards_of(int(position[9]) & (1 << 52) - 1):
        home[card % 4] = card // 4
    return position_of([column_of(word, board) for word in position[:8]], cards_of(position[8]), home)
