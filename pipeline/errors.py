"""What the command line answers with exit status 2."""


class UsageError(ValueError):
    """Wrong usage, configuration or data; the message names the value, what is allowed, and the way out."""
