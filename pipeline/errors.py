"""The errors that a command may end with; `cli` knows the exit status of each."""


class UsageError(ValueError):
    """Wrong usage, configuration or data; the message names the value, what is allowed, and the way out."""


class Contradiction(Exception):
    """Two of the engines disagree about a deal: one of them is wrong, and no verdict is to be trusted."""
