"""Parts of a report: what was run, with what, when, and how far it came."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from pipeline import config as configuration
from pipeline.places import Remote
from pipeline.progress import duration
from pipeline.report import plots
from pipeline.report.html import Column, Markup, Section, beside, element, figure, joined, section, table, unfolding
from pipeline.report.subject import Subject, Subjects, games, titled
from pipeline.store.sessions import Session

MOST_SESSIONS = 50
MOST_PLOTS = 12
"""Parts of a run whose throughput is drawn."""


def head(subjects: Subjects) -> Markup:
    """The title, how far each run came, and the counts."""
    said = dict.fromkeys(
        f"{subject.result.config.rules}, deals {subject.span[0]:,} to {subject.span[1]:,}" for subject in subjects
    )
    return element(
        "header",
        element("h1", title(subjects)),
        *(element("p", line) for line in said),
        *(_incomplete(subject, len(subjects) > 1) for subject in subjects if not subject.complete),
        *(_contradicting(subject) for subject in subjects if subject.published and subject.published.differs),
        beside([titled(subjects, subject, _tiles(subject), heading="h2") for subject in subjects]),
    )


def title(subjects: Subjects) -> str:
    """The results by name, and their game; where there are two, the names have them."""
    names = " and ".join(subject.label for subject in subjects)
    several = len({subject.result.config.rules for subject in subjects}) > 1
    return names if several else f"{names}: census of {games(subjects)}"


def _incomplete(subject: Subject, named: bool) -> Markup:
    faults = []
    if subject.done < subject.deals:
        share = subject.done * 1_000 // subject.deals / 10  # 99.99 % must not print as 100 %
        faults.append(f"Only {subject.done:,} of {subject.deals:,} deals are there ({share} %).")
    if subject.result.counts.undecided:
        faults.append(f"{subject.result.counts.undecided:,} deals are undecided.")
    start = element("strong", f"{subject.label} is incomplete." if named else "This result is incomplete.")
    rest = " All figures below are of the deals that are there." if subject.done else " There is nothing to show yet."
    return element("p", start, " ", " ".join(faults), rest, class_="warning", role="note")


def _contradicting(subject: Subject) -> Markup:
    start = element("strong", f"{subject.label} contradicts the published list.")
    return element("p", start, " See ", element("a", "unsolvable deals", href="#unsolvable"), ".", class_="warning")


def _tiles(subject: Subject) -> Markup:
    counts = subject.result.counts
    tiles = {
        "deals": subject.done,
        "solved": counts.solved,
        "unsolvable": counts.unsolvable,
        "undecided": counts.undecided,
    }
    return element(
        "dl",
        *(element("div", element("dt", name), element("dd", f"{count:,}")) for name, count in tiles.items()),
        class_="tiles",
    )


def made(subjects: Subjects) -> Section:
    """The configuration and the program; where two results differ, it says so."""
    each = [_facts(subject) for subject in subjects]
    rows: list[list[object]] = [[name, *(facts[name] for facts in each)] for name in each[0]]
    columns = [Column("setting", "name"), *(Column(subject.label, "words") for subject in subjects)]
    if len(subjects) > 1:
        columns.append(Column("comparison", "words"))
        rows = [[*row, "same" if len(set(row[1:])) == 1 else "differs"] for row in rows]
    files = [
        titled(
            subjects,
            subject,
            unfolding(
                "The configuration as it is kept with the rows",
                element("pre", configuration.dump(subject.result.config), tabindex="0"),
            ),
        )
        for subject in subjects
    ]
    return section("made", "What was run", table("Configuration and program", columns, rows), beside(files))


def _facts(subject: Subject) -> dict[str, str]:
    config, shards = subject.result.config, subject.result.shards
    sessions = _sessions(subject)
    facts = {
        "configuration": config.name,
        "range": f"{config.range.first:,} to {config.range.last:,}",
        "game": str(config.rules),
        "quick attempts": f"{_numbers(config.search.quick)} positions",
        "deep attempts": f"{_numbers(config.search.deep)} positions" if config.search.deep else "none",
        "exhaustion": f"at most {config.search.closure:,} positions",
        "solutions": "kept" if config.store.solutions else "not kept",
        "files": f"{len(shards):,}, {config.store.shard:,} deals each",
    }
    if shards:
        origin = shards[0][1].provenance
        facts |= {"freecell-census": origin.version, "kernels digest": origin.kernels, "schema": origin.schema}
    else:
        facts |= dict.fromkeys(("freecell-census", "kernels digest", "schema"), "no file yet")
    if sessions:
        return facts | {
            "hosts": ", ".join(sorted({session.host for session in sessions})),
            "begun": f"{_time(min(session.began for session in sessions))} UTC",
            "time running": duration(sum(session.seconds for session in sessions)),
        }
    return facts | dict.fromkeys(("hosts", "begun", "time running"), "no log")


def _sessions(subject: Subject) -> list[Session]:
    return [session for _, log in subject.logs for session in log]


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def _time(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M}"


def runs(subjects: Subjects) -> Section:
    """Throughput, interruptions, and every start of the run."""
    return section(
        "runs",
        "Throughput",
        beside(
            [
                titled(subjects, subject, *_run(subject, number, len(subjects) > 1))
                for number, subject in enumerate(subjects)
            ]
        ),
    )


def _run(subject: Subject, number: int, narrow: bool) -> Iterable[Markup]:
    if not subject.logs:
        yield element("p", "There is no run.jsonl: when and how fast this was made is not known.")
    if any(isinstance(folder, Remote) for folder, _ in subject.logs):
        yield element("p", "In a store, a file counts when it was last written.")
    for part, (folder, sessions) in enumerate(subject.logs):
        if len(subject.logs) > 1:
            yield element("h3", str(folder))
        if part < MOST_PLOTS and any(session.steps for session in sessions):
            yield _throughput(sessions, f"run-{number}-{part}", str(subject.result.config.rules), narrow)
        yield _starts(sessions)


def _throughput(sessions: Sequence[Session], name: str, game: str, narrow: bool) -> Markup:
    seconds = sum(session.seconds for session in sessions)
    deals = sum(session.deals for session in sessions)
    said = f"{deals:,} deals in {duration(seconds)} of running, {deals / max(seconds, 1e-3):,.0f} a second"
    times = len(sessions) - 1
    interruptions = f"{times} interruption{'s' * (times != 1)}" if times else "no interruption"
    paint = plots.throughput(sessions)
    plot = plots.drawn(
        name, f"Throughput over the run, {game}", f"{said}, {interruptions}.", paint, plots.sizes(narrow)
    )
    notes = ["Each step is a file of the quick pass."]
    if times:
        notes.append("Dashed lines are interruptions; what was decided of an open file is decided again.")
    if any(shard.again for session in sessions for shard in session.written):
        notes.append("Grey is the deep pass, over the deals that the quick one left.")
    return figure(plot, joined([f"{said}, {interruptions}.", *notes], " "))


def _starts(sessions: Sequence[Session]) -> Markup:
    shown = sessions[-MOST_SESSIONS:]
    caption = "Starts of the run, UTC"
    if len(shown) < len(sessions):
        caption += f": the last {MOST_SESSIONS} of {len(sessions):,}"
    rows = [
        [_time(session.began), duration(session.seconds), f"{session.deals:,}", session.end, session.host]
        for session in shown
    ]
    columns = [
        Column("begun", "name"),
        Column("running"),
        Column("deals"),
        Column("end", "words"),
        Column("host", "words"),
    ]
    if len({session.host for session in shown}) == 1:  # a single host is already listed under "What was run"
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return table(caption, columns, rows)
