"""The one error by which kernels tell that a verdict can't be trusted; importing it loads no kernel."""


class Contradiction(Exception):
    """Two of the engines disagree about a deal: one of them is wrong, and no verdict is to be trusted."""
