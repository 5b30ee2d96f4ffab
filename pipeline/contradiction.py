"""The error that no run goes on after."""


class Contradiction(Exception):
    """Two of the engines disagree about a deal: one of them is wrong, and no verdict is to be trusted."""
