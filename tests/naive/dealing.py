"""The dealer, written from the rule: one deal at a time, plain integers."""


def draws(number):
    """The number `r` of each of the 52 draws."""
    state = number % 2**32
    for _ in range(52):
        state = (state * 214013 + 2531011) % 2**32
        if number < 2**31:
            yield (state >> 16) & 0x7FFF
        elif number < 2**32:
            yield (state >> 16) & 0x7FFF | 0x8000
        else:
            yield (state >> 16) + 1


def deal_one(number):
    """Cards of a deal in dealing order."""
    deck = list(range(52))
    board = []
    for r in draws(number):
        index = r % len(deck)
        board.append(deck[index])
        deck[index] = deck[-1]
        deck.pop()
    return board
