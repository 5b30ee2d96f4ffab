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


def unusable_settings() -> str | None:
    """The first variable that Numba or LLVM would end the process for, and what it may be; None if there is none.

    A number of threads that is no number is only warned of, but zero is an error of the import, and a processor
    feature without its sign aborts the process in the compiler.
    """
    threads = os.environ.get("NUMBA_NUM_THREADS", "")
    try:
        if int(threads) < 1:
            return f"NUMBA_NUM_THREADS={threads}: at least 1; unset it to use all cores"
    except ValueError:
        pass
    features = os.environ.get("NUMBA_CPU_FEATURES", "")
    wrong = [feature for feature in features.split(",") if feature and feature[0] not in "+-"]
    return f"NUMBA_CPU_FEATURES={features}: {wrong[0]!r} begins with neither + nor -; unset it" if wrong else None
