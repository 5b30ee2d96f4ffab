"""Bit planes read back, from their description alone."""

from tests.naive.rules import fits, position_of

HOME, IN_CELL, AT_BOTTOM, ON_DEALT, ON_LOWER_SUIT, ON_HIGHER_SUIT = range(6)


def position_from(planes, board, rules):
    """The position that three planes stand for."""
    dealt_on = {int(card): int(beneath) for beneath, card in zip(board, board[8:], strict=False)}
    bottoms, cells, home, above = [], [], [0, 0, 0, 0], {}
    for card in range(52):
        code = sum((int(plane) >> card & 1) << bit for bit, plane in enumerate(planes))
        if code == HOME:
            home[card % 4] += 1
        elif code == IN_CELL:
            cells.append(card)
        elif code == AT_BOTTOM:
            bottoms.append(card)
        else:
            fitting = [other for other in range(52) if fits(card, other, rules)]
            above[dealt_on[card] if code == ON_DEALT else fitting[code - ON_LOWER_SUIT]] = card
    return position_of([column_on(bottom, above) for bottom in bottoms], cells, home)


def column_on(bottom, above):
    """The cards of a column from its bottom card up."""
    column = [bottom]
    while column[-1] in above:
        column.append(above[column[-1]])
    return column
