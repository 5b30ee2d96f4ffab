"""What every command returns: its exit status, its answer in lines for a person, and as one JSON object."""

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable


class Outcome(Protocol):
    """The answer of a command; only `cli` prints it.

    Attributes
    ----------
    status : int
        Exit status, as the README's table has it.
    """

    @property
    def status(self) -> int: ...

    def lines(self) -> Iterable[str]:
        """The answer for a person, line by line."""

    def as_json(self) -> dict[str, Any]:
        """The answer as one JSON object."""


@runtime_checkable
class Streamed(Protocol):
    """An outcome whose JSON may be too large for memory."""

    def json_pieces(self) -> Iterable[str]:
        """The text of the JSON object that `as_json` returns, in pieces."""
