"""The cards in the way, and true distances, written from the rules."""

from functools import cache

from tests.naive.rules import children, is_won


def cards_in_the_way(position):
    """The fewest cards that lie above one that goes home before them, over all orders of going home."""
    above = {card: column[place + 1 :] for column in position.columns for place, card in enumerate(column)}

    def in_the_way(home):
        """The cards that are not home and lay above one that is: whatever the order was."""
        gone = [card for card in above if position.home[card % 4] <= card // 4 < home[card % 4]]
        return {card for lower in gone for card in above[lower] if card // 4 >= home[card % 4]}

    @cache
    def fewest(home):
        counts = []
        for suit in range(4):
            if home[suit] < 13:
                after = (*home[:suit], home[suit] + 1, *home[suit + 1 :])
                counts.append(len(in_the_way(after) - in_the_way(home)) + fewest(after))
        return min(counts, default=0)

    return fewest(tuple(position.home))


def distances(first, rules):
    """The single-card moves from each position that can be won and is reachable from one to the won one."""
    come_from, waiting = {first: []}, [first]
    while waiting:
        position = waiting.pop()
        for after in children(position, rules):
            if after not in come_from:
                come_from[after] = []
                waiting.append(after)
            come_from[after].append(position)
    layer = {position for position in come_from if is_won(position)}
    found, moves = {}, 0
    while layer:
        found |= dict.fromkeys(layer, moves)
        layer = {before for position in layer for before in come_from[position] if before not in found}
        moves += 1
    return found
