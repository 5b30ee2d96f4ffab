"""The error of those who use a command wrongly; `cli` knows its exit status."""


class UsageError(ValueError):
    """Wrong usage, configuration or data; the message names the value, what is allowed, and the way out."""
