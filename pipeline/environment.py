"""Settings in the environment: those meant for other programs, and those of the processes that a command starts."""

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


@contextmanager
def with_setting(name: str, value: str) -> Iterator[None]:
    """Give a variable to every process that is started here."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
