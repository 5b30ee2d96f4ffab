"""One HTML page about a result, or about two side by side."""

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from pipeline.atomic import replacing
from pipeline.config import own_list
from pipeline.evidence.known_list import Known
from pipeline.evidence.known_list import load as load_known
from pipeline.evidence.verify import Findings, compare
from pipeline.places import Place
from pipeline.report import deal_sections, run_sections
from pipeline.report.html import page
from pipeline.report.statistics import crossed, gathered
from pipeline.report.subject import ListCompared, Subject, Subjects, games
from pipeline.store.outputs import allowed, text_kind
from pipeline.store.result import ResultSet, folders_in, open_result
from pipeline.store.sessions import Session, sessions

PAGE = "report.html"
TITLE = ": freecell-census"
"""What the title of each page ends with."""
REPORT = text_kind("a report", f"<!DOCTYPE html>.*<title>[^<]*({TITLE}|: FreeCell census)</title>".encode())
"""A page of ours; the other title is that of older versions."""


class PageWritten(NamedTuple):
    """The outcome of `report`: where the page is, and what it is about."""

    path: Place
    subjects: Subjects

    @property
    def status(self) -> int:
        """Always 0: a page that can't be written raises an error."""
        return 0

    def lines(self) -> list[str]:
        """The page's path."""
        return [str(self.path)]

    def as_json(self) -> dict[str, Any]:
        """The page's path, and counts and percentiles of each result."""
        first, *second = map(_counts, self.subjects)
        return {"report": str(self.path), **first, **({"beside": second[0]} if second else {})}


def report(folders: Sequence[Place], beside: Sequence[Place] = (), out: Place | None = None) -> PageWritten:
    """Write the page.

    Parameters
    ----------
    folders : sequence of Place
        Seen as one result.
    beside : sequence of Place
        Seen as another one, that is shown beside it; or none.
    out : Place, optional
        The file; report.html in the first folder by default.

    Raises
    ------
    UsageError
        If folders that are to be one result don't belong together, the list of the configuration can't be read, or
        the page's folder isn't there, or it would take the place of a file of a run.
    Corrupt
        If a shard is not what was written; no page is written then.
    OSError
        If the page can't be written.
    """
    results = [open_result(*folders), *([open_result(*beside)] if beside else [])]
    lists = [listed for result in results if (listed := own_list(result.config.verify.known))]
    path = allowed(out, REPORT, lists) if out else allowed(folders[0] / PAGE, REPORT, lists, own=True)
    labels = _labels(results, [folders[0], *beside[:1]])
    subjects = [
        _subject(label, result, places)
        for label, result, places in zip(labels, results, (folders, beside), strict=False)
    ]
    content = _printable(whole(subjects)).encode()
    with replacing(path) as file:
        file.write(content)
    for subject in subjects:
        if not subject.complete:
            print(f"{subject.label} is incomplete, and its page says so", file=sys.stderr)
    return PageWritten(path, subjects)


def whole(subjects: Subjects) -> str:
    """The page."""
    parts = []
    if any(subject.done for subject in subjects):
        parts += [deal_sections.verdicts(subjects), deal_sections.unsolvable(subjects)]
    if any(subject.result.config.rules.fewest for subject in subjects):
        parts.append(deal_sections.fewest(subjects))
    if len(subjects) == 2 and (together := crossed(*(subject.result for subject in subjects))).any():
        parts.append(deal_sections.both(together, subjects))
    if any(subject.figures.positions.total for subject in subjects):
        parts.append(deal_sections.positions(subjects))
    if any(subject.figures.moves.total for subject in subjects):
        parts += [deal_sections.lengths(subjects), deal_sections.hardest(subjects)]
    parts += [run_sections.runs(subjects), run_sections.made(subjects)]
    return page(f"{run_sections.title(subjects)}{TITLE}", run_sections.head(subjects), parts, games(subjects))


def _labels(results: Sequence[ResultSet], folders: Sequence[Place]) -> list[str]:
    """Names of the censuses or, where both have the same, their folders; of two games also the game."""
    names = [result.config.name for result in results]
    names = names if len(set(names)) == len(names) else [_printable(str(folder)) for folder in folders]
    rules = [str(result.config.rules) for result in results]
    return names if len(set(rules)) == 1 else [f"{name}, {game}" for name, game in zip(names, rules, strict=True)]


def _printable(text: str) -> str:
    """A text as a page can hold it: the name of a folder may be any bytes."""
    return text.encode(errors="backslashreplace").decode()


def _subject(label: str, result: ResultSet, folders: Sequence[Place]) -> Subject:
    known, unlisted = _known(result)
    figures = gathered(result, known.deals if known else None)
    published = None
    if known:
        found = Findings(frozenset(figures.proved), frozenset(figures.listed_undecided))
        published = ListCompared(result.config.verify.known, figures.listed, compare(result, found, known))
    return Subject(label, result, figures, published, unlisted, _logs(folders))


def _known(result: ResultSet) -> tuple[Known | None, str]:
    """The list that a result is compared with, or why there is none."""
    span, rules = result.config.range, result.config.rules
    path = own_list(result.config.verify.known)
    if path is None:
        return None, "The configuration names no published list."
    if not path.is_file():
        return None, f"The published list {result.config.verify.known} is not there."
    known = load_known(path)
    if not known.is_about(rules):
        return None, f"The published list {result.config.verify.known} is about {known.about}."
    if not known.overlap(span.first, span.last):
        return None, f"The published list {result.config.verify.known} covers no deal of this range."
    return known, ""


def _counts(subject: Subject) -> dict[str, Any]:
    rules = subject.result.config.rules
    counts = {
        "name": subject.result.config.name,
        "rules": rules.described(),
        "deals": subject.done,
        **subject.result.counts._asdict(),
    }
    for name, histogram in (("positions", subject.figures.positions), ("moves", subject.figures.moves)):
        if histogram.total:
            shares = {f"p{share / 10:g}": histogram.percentile(share) for share, _ in deal_sections.PERCENTILES}
            counts[name] = {**shares, "largest": histogram.largest, "sum": histogram.sum}
    return {**counts, "complete": subject.complete}


def _logs(folders: Sequence[Place]) -> list[tuple[Place, list[Session]]]:
    places = [part for folder in folders for part in folders_in(folder)]
    return [(place, log) for place in places if (log := sessions(place))]
