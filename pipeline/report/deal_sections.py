"""Parts of a report: what was found about the deals."""

from collections.abc import Iterable, Sequence

from kernels.dealing import deal_one
from pipeline.report import html, plots
from pipeline.report.html import Column, Markup, Section, beside, element, figure, section, table
from pipeline.report.statistics import MOST_UNSOLVABLE, Deal, Histogram, Integers
from pipeline.report.subject import Subject, Subjects, games, titled
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE, VERDICTS

EXPECTED = 84_000
"""FreeCell deals with four cells for each unsolvable one: 102,075 of 1 .. 2^33-1 are known."""

ORDER = (SOLVED, UNSOLVABLE, UNDECIDED)
"""Of verdicts in a table."""

MOST_NAMED = 50
"""Deals that a sentence names."""

PERCENTILES = ((500, "median"), (900, "90th percentile"), (990, "99th percentile"), (999, "99.9th percentile"))
"""Per mille, and how that is called."""


def verdicts(subjects: Subjects) -> Section:
    """Which attempt decided how many deals; the undecided ones by number."""
    return section(
        "verdicts",
        "Verdicts",
        element(
            "p",
            "Attempts at a deal follow each other until one decides, each with its budget of positions to expand. The "
            "moves of a solved deal were replayed by the referee; the positions of an unsolvable deal were exhausted.",
        ),
        beside([titled(subjects, subject, _attempts(subject), *_undecided(subject)) for subject in subjects]),
    )


def _attempts(subject: Subject) -> Markup:
    """Undecided deals count as of their last attempt."""
    codes = {"solved": SOLVED, "unsolvable": UNSOLVABLE}
    if subject.result.counts.undecided:
        codes["undecided"] = UNDECIDED
    rows = [
        (attempt, f"{budget:,}", *(f"{counts[code]:,}" for code in codes.values()))
        for attempt, budget in enumerate(subject.result.config.search.budgets, 1)
        if (counts := subject.figures.attempts[attempt]).any()
    ]
    return table("Deals by their last attempt", _columns(("attempt", "budget", *codes)), rows)


def _columns(heads: Iterable[str]) -> list[Column]:
    return [Column(head, "words" if head == "board" else "number") for head in heads]


def _undecided(subject: Subject) -> Iterable[Markup]:
    if shown := subject.figures.undecided:
        caption = f"Undecided deals{_of_all(len(shown), subject.result.counts.undecided)}"
        rows = [(row.deal, row.attempt, f"{row.positions:,}") for row in shown]
        yield table(caption, _columns(("deal", "attempts", "positions")), rows)


def _of_all(shown: int, there: int) -> str:
    return f": the first {shown:,} of {there:,}" if shown < there else f", {there:,}"


def both(crossed: Integers, subjects: Subjects) -> Section:
    """How the verdicts of two results go together, on the deals that both have.

    Parameters
    ----------
    crossed : (3, 3) int64
        Deals by the verdict on the first subject and on the second.
    """
    first, second = (subject.label for subject in subjects)
    wins, losses = (int(crossed[code, other]) for code, other in ((SOLVED, UNSOLVABLE), (UNSOLVABLE, SOLVED)))
    rows = [
        (f"{VERDICTS[code]} in {first}", *(f"{crossed[code, other]:,}" for other in ORDER), f"{crossed[code].sum():,}")
        for code in ORDER
        if crossed[code].any()
    ]
    heads = [f"{VERDICTS[code]} in {second}" for code in ORDER]
    return section(
        "both",
        "Deals that both have",
        element(
            "p",
            f"Of {int(crossed.sum()):,} deals that are in both, {int(crossed[SOLVED, SOLVED]):,} are solved in both; "
            f"{wins:,} are solved only in {first}, {losses:,} only in {second}.",
        ),
        table("Deals by both verdicts", [Column("verdict", "name"), *_columns([*heads, "all"])], rows),
    )


def fewest(subjects: Subjects) -> Section:
    """How many deals need how many cells."""
    asked = [subject for subject in subjects if subject.result.config.rules.fewest]
    return section(
        "cells",
        "Fewest cells",
        element(
            "p",
            "The smallest number of cells that solves a deal: it was won with so many, and proved impossible with one "
            "less. What is impossible with some cells is impossible with fewer.",
        ),
        beside([titled(subjects, subject, _cells(subject)) for subject in asked]),
    )


def _cells(subject: Subject) -> Markup:
    needed, largest = subject.figures.cells, subject.figures.closures_by_cells
    beyond = subject.result.counts.unsolvable
    rows = [
        (
            cells,
            f"{needed[cells]:,}",
            f"{needed[cells] / max(1, subject.done):.3%}",
            f"{int(needed[cells + 1 :].sum()) + beyond:,}",
            _count(int(largest[cells])),
        )
        for cells in range(subject.result.config.rules.cells + 1)
    ]
    heads = ("fewest cells", "deals", "share", "deals that need more", "largest exhaustion with so many")
    return table("Deals by the fewest cells that solve them", _columns(heads), rows)


def unsolvable(subjects: Subjects) -> Section:
    """Against the published list, how many so far, and each with its board."""
    narrow = len(subjects) > 1
    return section(
        "unsolvable",
        "Unsolvable deals",
        beside(
            [
                titled(subjects, subject, _running(subject, number, narrow), _against(subject))
                for number, subject in enumerate(subjects)
            ]
        ),
        element(
            "p",
            "Exhausted counts all positions that single-card moves without autoplay reach, the first one included; "
            "expanded counts those that the search looked at before. A board can be given to ",
            element("code", "freecell-census solve --board -"),
            ".",
        ),
        beside([titled(subjects, subject, *_proved(subject)) for subject in subjects]),
    )


def _against(subject: Subject) -> Markup:
    if not subject.published:
        rate = (
            f" About 1 in {EXPECTED:,} is expected, {subject.deals / EXPECTED:,.1f} for this range."
            if subject.usual
            else ""
        )
        return element("p", subject.unlisted, rate)
    name, _, comparison = subject.published
    overlap = ", ".join(f"{first:,} to {last:,}" for first, last in comparison.overlap)
    said: list[object] = [
        f"{comparison.found:,} of the {comparison.listed:,} deals that ",
        element("code", name),
        f" lists for {overlap} are unsolvable here.",
    ]
    if unknown := comparison.listed - comparison.found - len(comparison.missing):
        said.append(f" {unknown:,} of them are not decided yet.")
    if comparison.missing:
        said.append(element("strong", f" In the list, solved here: {_named(comparison.missing)}."))
    if comparison.extra:
        said.append(element("strong", f" Unsolvable here, not in the list: {_named(comparison.extra)}."))
    if not subject.published.differs:
        said.append(" Nothing contradicts the list.")
    return element("p", *said)


def _named(deals: Sequence[int]) -> str:
    more = f" and {len(deals) - MOST_NAMED:,} more" if len(deals) > MOST_NAMED else ""
    return ", ".join(map(str, deals[:MOST_NAMED])) + more


def _running(subject: Subject, number: int, narrow: bool) -> Markup:
    listed = (subject.published.deals, subject.published.comparison.overlap) if subject.published else None
    covered = sum(last - first + 1 for first, last in subject.published.comparison.overlap) if subject.published else 0
    rate = 1 / EXPECTED if subject.usual and covered < subject.deals else None
    paint = plots.running(subject.figures.unsolvable_by_cell, listed, rate, subject.span, subject.result.missing)
    first, last = subject.span
    said = f"The count climbs to {subject.result.counts.unsolvable:,} over deals {first:,} to {last:,}"
    if subject.published:
        said += f"; the published one to {len(subject.published.deals):,}"
    title = f"Running count of unsolvable deals, {subject.result.config.rules}"
    plot = plots.drawn(f"running-{number}", title, f"{said}.", paint, plots.sizes(narrow))
    caption = [f"{title}, along the deal numbers."]
    if subject.published:
        caption.append("The broad line is the published list, of the deals that are there.")
    if rate:
        caption.append(f"The dashed line is the expected rate, 1 in {EXPECTED:,}.")
    if subject.result.missing:
        caption.append("Grey: most deals are not there yet.")
    return figure(plot, " ".join(caption))


def _proved(subject: Subject) -> Iterable[Markup]:
    shown, there = subject.figures.unsolvable, subject.result.counts.unsolvable
    if not shown:
        yield element("p", "There is none." if subject.complete else "There is none so far.")
        return
    rows = [(row.deal, *map(_count, (row.closure, row.closure_safe, row.positions)), _board(row)) for row in shown]
    caption = f"Unsolvable deals{_of_all(len(shown), there)}"
    yield table(caption, _columns(("deal", "plain", "safe autoplay", "expanded", "board")), rows)
    yield element(
        "p",
        "Plain and safe autoplay are positions of the two exhaustions. A deal without a plain count is proved with "
        "safe autoplay only.",
    )
    if len(shown) < there:
        yield element(
            "p",
            f"Only {MOST_UNSOLVABLE:,} are shown; ",
            element("code", f"freecell-census export {subject.result.shards[0][0]} --verdict unsolvable"),
            " prints all.",
        )


def _count(positions: int) -> str:
    return f"{positions:,}" if positions else "–"


def _board(row: Deal) -> Markup:
    return html.board(deal_one(row.deal))


def positions(subjects: Subjects) -> Section:
    """How many positions the search expanded."""
    named = [(subject.label, subject.figures.positions) for subject in subjects if subject.figures.positions.total]
    title = f"Distribution of positions, {games(subjects)}"
    plot = plots.drawn("positions", title, _summary(named), plots.positions(named))
    return section(
        "positions",
        "Positions",
        element("p", "How much work a deal is: positions that all attempts together expanded, of the decided deals."),
        figure(
            plot,
            f"{title}. Both axes are logarithmic, {plots.BINS_A_DECADE} bins to a factor of ten. There are dips "
            "behind the budgets, where the next attempt begins anew.",
        ),
        _percentiles("Positions expanded for a deal", named),
    )


def lengths(subjects: Subjects) -> Section:
    """How long the solutions are."""
    named = [(subject.label, subject.figures.moves) for subject in subjects if subject.figures.moves.total]
    edges = plots.length_edges([histogram for _, histogram in named])
    title = f"Distribution of solution lengths, {games(subjects)}"
    plot = plots.drawn("lengths", title, _summary(named), plots.lengths(named, edges))
    beyond = [f"{histogram.total - int(histogram.between(edges).sum()):,}" for _, histogram in named]
    return section(
        "lengths",
        "Solution lengths",
        element(
            "p",
            "Single-card moves of the solution found, which is seldom a shortest one. Moves to the foundations count: "
            "there are at least 52.",
        ),
        figure(
            plot,
            f"{title}. The plot ends at {edges[-1] - 1:,} moves; {' and '.join(beyond)} deals have longer solutions.",
        ),
        _percentiles("Moves of the solved deals", named),
        element("p", *(_longest(subject, len(named) > 1) for subject in subjects if subject.figures.longest)),
    )


def _longest(subject: Subject, of_two: bool) -> str:
    (row,) = subject.figures.longest
    where = f" in {subject.label}" if of_two else ""
    return f"The longest solution{where} is that of deal {row.deal}, {row.moves:,} moves. "


def _percentiles(caption: str, named: Sequence[tuple[str, Histogram]]) -> Markup:
    """Percentiles; each is a number that occurs."""
    rows = [
        ("deals", *(f"{histogram.total:,}" for _, histogram in named)),
        *((name, *(f"{histogram.percentile(share):,}" for _, histogram in named)) for share, name in PERCENTILES),
        ("largest", *(f"{histogram.largest:,}" for _, histogram in named)),
        ("mean", *(f"{histogram.sum / histogram.total:,.1f}" for _, histogram in named)),
    ]
    heads = [label for label, _ in named] if len(named) > 1 else ["value"]
    return table(caption, [Column("measure", "name"), *_columns(heads)], rows)


def _summary(named: Sequence[tuple[str, Histogram]]) -> str:
    """A plot of distributions in words, for screen readers."""
    return " ".join(
        f"{label}: "
        + ", ".join(f"{name} {histogram.percentile(share):,}" for share, name in PERCENTILES)
        + f", largest {histogram.largest:,}."
        for label, histogram in named
    )


def hardest(subjects: Subjects) -> Section:
    """The solved deals that took most."""
    return section(
        "hardest",
        "Hardest solved deals",
        element("p", "Those for which the search expanded the most positions before it won."),
        beside([titled(subjects, subject, *_hardest(subject)) for subject in subjects]),
    )


def _hardest(subject: Subject) -> Iterable[Markup]:
    rows = [(row.deal, f"{row.positions:,}", f"{row.moves:,}", _board(row)) for row in subject.figures.hardest]
    heads = ("deal", "expanded", "moves", "board")
    yield table(f"The {len(rows)} hardest solved deals", _columns(heads), rows)
