"""Safe autoplay as an audit counts it, written from the theorem alone (Blake & Gent, JAIR 85:21, 2026, Corollary 3).

A card of rank r, an ace being 1, whose foundation is at r - 1 may go home at once if both foundations of the other
colour are at r - 1 or more; or if both are at r - 2 or more, and the other foundation of its own colour is at r - 3 or
more. In Baker's Game, where a card is never wanted by a card of another suit, every card that can go home may.
"""

from kernels.audit.position import COLUMNS, IN_CELLS, column_words, unpack
from kernels.jit import inlined
from kernels.words import U0, U1, U2, U3, U4, U8, U52


@inlined
def may_go(table, card, in_suit):
    """Whether the top card of a column, or a card in a cell, goes home for good."""
    suit, rank = card & U3, (card >> U2) + U1
    if table.home[suit] + U1 != rank:
        return False
    if in_suit:
        return True
    least = min(table.home[suit ^ U1], table.home[suit ^ U2])  # suits 0 and 3 are black, 1 and 2 red
    return least + U1 >= rank or (least + U2 >= rank and table.home[U3 - suit] + U3 >= rank)


@inlined
def after_autoplay(low, high, home, deal, table, in_suit):
    """The words of a position after all that may go home has gone, again and again; `table` is scratch."""
    unpack(low, high, home, deal, table)
    some_went = True
    while some_went:
        some_went = False
        for pile in range(COLUMNS):
            if table.heights[pile] > U0:
                card = table.piles[pile, table.heights[pile] - U1]
                if may_go(table, card, in_suit):
                    table.heights[pile] -= U1
                    table.home[card & U3] += U1
                    some_went = True
        for card in range(U52):
            if (table.counts[IN_CELLS] >> card) & U1 and may_go(table, card, in_suit):
                table.counts[IN_CELLS] ^= U1 << card
                table.home[card & U3] += U1
                some_went = True
    low, high, home = U0, U0, U0
    for pile in range(U8):
        of_low, of_high = column_words(table.piles[pile], table.heights[pile], deal)
        low |= of_low
        high |= of_high
    for suit in range(U4):
        home |= table.home[suit] << (U4 * suit)
    return low, high, home
