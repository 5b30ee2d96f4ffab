"""Parts of a report: what was run, with what, when, and how far it came."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from pipeline import config as configuration
from pipeline.places import Remote
from pipeline.progress import duration
from pipeline.report import plots
from pipeline.report.html import Column, Markup, Section, beside, element, figure, joined, section, table, unfolding
from pipeline.report.subject import Side, Sides, titled
from pipeline.store.sessions import Session

MOST_SESSIONS = 50
MOST_PLOTS = 12
"""Parts of a run whose throughput is drawn."""


def head(sides: Sides) -> Markup:
    """The title, how far each run came, and the counts."""
    said = dict.fromkeys(f"{_game(side)}, deals {side.span[0]:,} to {side.span[1]:,}" for side in sides)
    return element(
        "header",
        element("h1", f"FreeCell census {names(sides)}"),
        *(element("p", line) for line in said),
        *(_incomplete(side, len(sides) > 1) for side in sides if not side.complete),
        *(_contradicting(side) for side in sides if side.published and side.published.differs),
        beside([titled(sides, side, _tiles(side), heading="h2") for side in sides]),
    )


def names(sides: Sides) -> str:
    """The results by name."""
    return " and ".join(side.label for side in sides)


def _game(side: Side) -> str:
    return f"{side.result.config.rules}"


def _incomplete(side: Side, named: bool) -> Markup:
    faults = []
    if side.done < side.deals:
        share = side.done * 1_000 // side.deals / 10  # never rounded up to all of them
        faults.append(f"Only {side.done:,} of {side.deals:,} deals are there ({share} %).")
    if side.result.counts.undecided:
        faults.append(f"{side.result.counts.undecided:,} deals are undecided.")
    start = element("strong", f"{side.label} is incomplete." if named else "This result is incomplete.")
    rest = " All figures below are of the deals that are there." if side.done else " There is nothing to show yet."
    return element("p", start, " ", " ".join(faults), rest, class_="warning", role="note")


def _contradicting(side: Side) -> Markup:
    start = element("strong", f"{side.label} contradicts the published list.")
    return element("p", start, " See ", element("a", "unsolvable deals", href="#unsolvable"), ".", class_="warning")


def _tiles(side: Side) -> Markup:
    counts = side.result.counts
    tiles = {
        "deals": side.done,
        "solved": counts.solved,
        "unsolvable": counts.unsolvable,
        "undecided": counts.undecided,
    }
    return element(
        "dl",
        *(element("div", element("dt", name), element("dd", f"{count:,}")) for name, count in tiles.items()),
        class_="tiles",
    )


def made(sides: Sides) -> Section:
    """The configuration and the program; where two results differ, it says so."""
    each = [_facts(side) for side in sides]
    rows: list[list[object]] = [[name, *(facts[name] for facts in each)] for name in each[0]]
    columns = [Column("setting", "name"), *(Column(side.label, "words") for side in sides)]
    if len(sides) > 1:
        columns.append(Column("comparison", "words"))
        rows = [[*row, "same" if len(set(row[1:])) == 1 else "differs"] for row in rows]
    files = [
        titled(
            sides,
            side,
            unfolding(
                "The configuration as it is kept with the rows",
                element("pre", configuration.dump(side.result.config), tabindex="0"),
            ),
        )
        for side in sides
    ]
    return section("made", "What was run", table("Configuration and program", columns, rows), beside(files))


def _facts(side: Side) -> dict[str, str]:
    config, shards = side.result.config, side.result.shards
    sessions = _sessions(side)
    facts = {
        "configuration": config.name,
        "range": f"{config.range.first:,} to {config.range.last:,}",
        "game": _game(side),
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


def _sessions(side: Side) -> list[Session]:
    return [session for _, log in side.logs for session in log]


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def _time(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M}"


def runs(sides: Sides) -> Section:
    """Throughput, interruptions, and every start of the run."""
    return section(
        "runs",
        "Throughput",
        beside([titled(sides, side, *_run(side, number, len(sides) > 1)) for number, side in enumerate(sides)]),
    )


def _run(side: Side, number: int, narrow: bool) -> Iterable[Markup]:
    if not side.logs:
        yield element("p", "There is no run.jsonl: when and how fast this was made is not known.")
    if any(isinstance(folder, Remote) for folder, _ in side.logs):
        yield element("p", "In a store, a file counts when it was last written.")
    for part, (folder, sessions) in enumerate(side.logs):
        if len(side.logs) > 1:
            yield element("h3", str(folder))
        if part < MOST_PLOTS and any(session.steps for session in sessions):
            yield _throughput(sessions, f"run-{number}-{part}", narrow)
        yield _starts(sessions)


def _throughput(sessions: Sequence[Session], name: str, narrow: bool) -> Markup:
    seconds = sum(session.seconds for session in sessions)
    deals = sum(session.deals for session in sessions)
    said = f"{deals:,} deals in {duration(seconds)} of running, {deals / max(seconds, 1e-3):,.0f} a second"
    times = len(sessions) - 1
    interruptions = f"{times} interruption{'s' * (times != 1)}" if times else "no interruption"
    paint = plots.throughput(sessions)
    plot = plots.drawn(name, "Throughput over the run", f"{said}, {interruptions}.", paint, plots.sizes(narrow))
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
    if len({session.host for session in shown}) == 1:  # it is among what was run
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return table(caption, columns, rows)
