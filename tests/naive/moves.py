"""Moves on a plain table: (highest card that moves, source, target); 8 is a cell, 9 the foundation."""

from tests.naive.position import next_cards, on_cells, prefix_size, tops
from tests.naive.rules import fits, is_safe

CELL, FOUNDATION = 8, 9


def capacity(free, empties):
    """A run as long as the cells take, and twice that with each empty column to put a part of it down on."""
    return free + 1 if empties == 0 else 2 * capacity(free, empties - 1)


def accepting(card, rules):
    return {beneath for beneath in range(52) if fits(card, beneath, rules)}


def placeable(top_cards, rules):
    return {card for card in range(52) if any(fits(card, top, rules) for top in top_cards)}


def segment_of(table, move):
    """The cards that a move takes along, the highest first."""
    head, source, _ = move
    if source == CELL:
        return [head] if head in table.cells else []
    column = table.columns[source]
    return column[column.index(head) :] if head in column else []


def run_of(column, rules):
    """The cards on top of a column that fit on each other."""
    return column[prefix_size(column, rules) :]


def room_for(table, target):
    """Longest run that may move to a column."""
    empties = sum(not column for index, column in enumerate(table.columns) if index != target)
    return capacity(table.cells.count(None), empties)


def is_legal(table, move, rules):
    """Whether single cards can do what a move says."""
    head, source, target = move
    segment = segment_of(table, move)
    if not segment or any(not fits(*pair, rules) for pair in zip(segment[1:], segment[:-1], strict=True)):
        return False
    if target == CELL:
        return source != CELL and len(segment) == 1 and None in table.cells
    if target == FOUNDATION:
        return len(segment) == 1 and head in next_cards(table)
    column = table.columns[target]
    return (
        target != source and (not column or fits(head, column[-1], rules)) and len(segment) <= room_for(table, target)
    )


def legal_moves(table, rules):
    """All legal moves: single cards, and runs of any length."""
    heads = [(card, index) for index, column in enumerate(table.columns) for card in run_of(column, rules)]
    heads += [(card, CELL) for card in on_cells(table)]
    moves = [(head, source, target) for head, source in heads for target in range(10)]
    return [move for move in moves if is_legal(table, move, rules)]


def is_worth_a_look(table, move, rules):
    """Whether the search looks at a legal move: into an empty column only what makes another position, one card or a
    whole run, and only into one of the empty columns."""
    _, source, target = move
    if target >= 8 or table.columns[target]:
        return True
    if any(not column for column in table.columns[target + 1 :]):
        return False
    if source == CELL:
        return True
    column, size = table.columns[source], len(segment_of(table, move))
    return size < len(column) and size in (1, len(run_of(column, rules)))


def make(table, move):
    """Make a legal move."""
    head, source, target = move
    segment = segment_of(table, move)
    if source == CELL:
        table.cells[table.cells.index(head)] = None
    else:
        del table.columns[source][-len(segment) :]
    if target == CELL:
        table.cells[table.cells.index(None)] = head
    elif target == FOUNDATION:
        table.home[head % 4] += 1
    else:
        table.columns[target] += segment
    table.moves += 1


def move_of_byte(table, byte):
    """A single-card move of a solution."""
    source, target = divmod(int(byte), 16)
    if source >= 8:
        return table.cells[source - 8], CELL, target
    return table.columns[source][-1], source, target


def autoplay(table, rules, everything=False):
    """Send home what is safe, or everything that can go, until nothing more goes; no move is counted for it."""
    while going := [
        card
        for card in tops(table) + on_cells(table)
        if card in next_cards(table) and (everything or is_safe(card, table.home, rules))
    ]:
        card = going[0]
        if card in table.cells:
            table.cells[table.cells.index(card)] = None
        else:
            next(column for column in table.columns if column and column[-1] == card).pop()
        table.home[card % 4] += 1
