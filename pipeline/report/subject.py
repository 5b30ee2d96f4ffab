"""The one or two results that a report is about."""

from collections.abc import Sequence
from typing import NamedTuple

from pipeline.evidence.verify import Comparison
from pipeline.places import Place
from pipeline.report.html import Markup, element, joined
from pipeline.report.statistics import Figures
from pipeline.store.result import ResultSet
from pipeline.store.sessions import Session


class ListCompared(NamedTuple):
    """A list of unsolvable deals, those of them that have a row, and how the result compares with it."""

    name: str
    deals: list[int]
    comparison: Comparison

    @property
    def differs(self) -> bool:
        """Whether a deal is solved that the list has, or unsolvable that it hasn't."""
        return bool(self.comparison.missing or self.comparison.extra)


class Subject(NamedTuple):
    """One result.

    Attributes
    ----------
    label : str
        What tells it from the other one.
    result : ResultSet
    figures : Figures
    published : ListCompared, optional
        Where a list covers some of the range.
    unlisted : str
        Why there is none.
    logs : list of (Place, list of Session)
        The folders that have a log.
    """

    label: str
    result: ResultSet
    figures: Figures
    published: ListCompared | None
    unlisted: str
    logs: list[tuple[Place, list[Session]]]

    @property
    def span(self) -> tuple[int, int]:
        """First and last deal of the range."""
        return self.result.config.range.first, self.result.config.range.last

    @property
    def deals(self) -> int:
        """Deals of the range."""
        return self.span[1] - self.span[0] + 1

    @property
    def done(self) -> int:
        """Deals that have a row."""
        return sum(self.result.counts)

    @property
    def complete(self) -> bool:
        """Whether every deal of the range is decided."""
        return self.done == self.deals and not self.result.counts.undecided

    @property
    def usual(self) -> bool:
        """Whether it is the game that lists and the expected rate are about."""
        rules = self.result.config.rules
        return (rules.game, rules.cells) == ("freecell", 4)


Subjects = Sequence[Subject]


def games(subjects: Subjects) -> str:
    """The game that a page is about, or both."""
    return " and ".join(dict.fromkeys(str(subject.result.config.rules) for subject in subjects))


def titled(subjects: Subjects, subject: Subject, *content: object, heading: str = "h3") -> Markup:
    """What is said of one result; under its name where there are two."""
    return joined([element(heading, subject.label), *content] if len(subjects) > 1 else content, "")
