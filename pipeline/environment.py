"""Settings of other programs in the environment, which are not meant for this one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_settings(prefix: str) -> Iterator[None]:
    """Import a library without the variables that begin so: it would read them, and fail where it can't.

    A notebook hands its MPLBACKEND on to every command, for example.
    """
    taken = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(prefix)}
    try:
        yield
    finally:
        os.environ.update(taken)
