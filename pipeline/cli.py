"""Arguments, and which function each command calls; nothing is decided here."""

import argparse
import json
import os
import re
import sys
import threading
import traceback
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pipeline.environment import unusable_settings, with_setting
from pipeline.errors import UsageError
from pipeline.outcome import Outcome, Streamed
from pipeline.places import Place, local, place
from pipeline.streams import Unprinted, hold_streams, message, plain, put

if TYPE_CHECKING:
    from kernels.rules import Rules

# Handlers import what they call: help needs no kernels and no Parquet.

DISAGREE = 1
USAGE = 2
UNFORESEEN = 70
"""As `sysexits.h` has it for an error of the program itself."""
INTERRUPTED = 130
FOLDER = "folder of results, or its URL; one that holds parts is all of them"
BROKEN_PIPE = 141
"""What a shell reports of a program that SIGPIPE ended."""
TRACEBACK_SETTING = "FREECELL_CENSUS_TRACEBACK"
"""Environment variable that shows where an unforeseen error came from."""
MOST_BOARD = 100_000
"""Bytes of a board: a file that has more is none."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status."""
    hold_streams()
    threading.excepthook = _say_thread_ended
    try:
        # No process that is started here imports what lies in the working folder.
        with with_setting("PYTHONSAFEPATH", "1"):
            return _status_of(_parsed(arguments))
    except Unprinted as unprinted:
        return _say_unprinted(unprinted)
    except Exception as error:
        _say_unforeseen(error)
        return UNFORESEEN


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; what a command doesn't know is refused with the usage of that command."""
    parsed, unknown = _parser().parse_known_args(arguments)
    if unknown:
        parsed.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return parsed


def _status_of(parsed: argparse.Namespace) -> int:
    """Run a command; turn each expected exception into its message and exit status."""
    if (foreign := _foreign_kernels()) is not None:
        return _complain(f"{foreign} comes before this program's own package `kernels`: take it off PYTHONPATH")
    if (unusable := unusable_settings()) is not None:
        return _complain(unusable)

    from kernels.contradiction import Contradiction

    try:
        return _printed(parsed.handler(parsed), parsed.json)
    except UsageError as error:
        return _complain(str(error))
    except Contradiction as contradiction:
        if parsed.json:
            put([json.dumps({"contradiction": str(contradiction)}), "\n"])
        print(f"CONTRADICTION: {message(str(contradiction))}", file=sys.stderr)
        return USAGE if parsed.handler is _solve else DISAGREE  # not 1, which means unsolvable
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
    except MemoryError as error:
        return _complain(f"not enough memory{f' ({error})' if str(error) else ''}")
    except KeyboardInterrupt:
        return INTERRUPTED


def _printed(outcome: Outcome, as_json: bool) -> int:
    """Print an outcome on standard output; its exit status."""
    if not as_json:
        put(f"{plain(line)}\n" for line in outcome.lines())
    elif isinstance(outcome, Streamed):
        put(chain(outcome.json_pieces(), ["\n"]))
    else:
        put([json.dumps(outcome.as_json()), "\n"])
    return outcome.status


def _complain(complaint: str) -> int:
    print(f"freecell-census: {message(complaint)}", file=sys.stderr)
    return USAGE


def _say_unprinted(unprinted: Unprinted) -> int:
    """A pipe whose reader has read enough is no failure."""
    cause = unprinted.__cause__
    if isinstance(cause, BrokenPipeError):
        return BROKEN_PIPE
    return _complain(f"can't write to standard output: {getattr(cause, 'strerror', cause)}")


def _say_unforeseen(error: BaseException | None) -> None:
    if os.environ.get(TRACEBACK_SETTING):
        traceback.print_exception(error)
    at = traceback.extract_tb(error.__traceback__)[-1:] if error else []
    where = "".join(f" in {Path(frame.filename).name}:{frame.lineno}" for frame in at)
    print(
        f"freecell-census: unforeseen {type(error).__name__}{where}: {message(str(error))}; "
        f"please report this line and the command to the project; {TRACEBACK_SETTING}=1 shows more",
        file=sys.stderr,
    )


def _say_thread_ended(thread: threading.ExceptHookArgs) -> None:
    """One line for a thread that failed; the code that waits for the thread notices its end."""
    if os.environ.get(TRACEBACK_SETTING) and thread.exc_value:
        traceback.print_exception(thread.exc_value)
    print(f"freecell-census: a thread ended: {message(str(thread.exc_value))}", file=sys.stderr)


def _foreign_kernels() -> str | None:
    """The module that is imported as `kernels` and isn't the package beside this one, if there is one."""
    found = find_spec("kernels")
    home = Path(__file__).resolve().parent.parent
    ours = found is not None and found.origin is not None and Path(found.origin).resolve().parent.parent == home
    return None if ours else str(found and found.origin)


class _Parser(argparse.ArgumentParser):
    """Prints help as an answer is printed: argparse doesn't say where that fails."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            put([message])
        else:
            super()._print_message(message, file)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="freecell-census", description="Decides every FreeCell deal of a range and keeps the evidence."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('freecell-census')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_deal(commands)
    _add_find(commands)
    _add_solve(commands)
    _add_replay(commands)
    _add_run(commands)
    _add_fewest_cells(commands)
    _add_prove(commands)
    _add_status(commands)
    _add_verify(commands)
    _add_audit(commands)
    _add_diff(commands)
    _add_export(commands)
    _add_results(commands)
    _add_report(commands)
    _add_bench(commands)
    _add_tune(commands)
    return parser


def _place(text: str) -> Place:
    try:
        return place(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _path(text: str) -> Path:
    try:
        return local(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"


def _command(commands: Commands, handler: object, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example:\n  freecell-census {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.set_defaults(handler=handler, parser=parser)
    return parser


def _add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cells", type=int, default=4, metavar="K", help="number of cells, 0 to 8 (4)")
    parser.add_argument("--game", default="freecell", metavar="G", help="freecell, or bakers: columns build in suit")


def _kernel_rules(parsed: argparse.Namespace) -> "Rules":
    from kernels.rules import rules_of

    try:
        return rules_of(parsed.game, parsed.cells)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _add_deal(commands: Commands) -> None:
    parser = _command(commands, _deal, "deal", "print a board, or deal a range in bulk", "deal 11982 --format columns")
    parser.add_argument("number", nargs="?", metavar="N", help="number of the deal")
    parser.add_argument("--format", choices=("rows", "columns", "json"), default="rows", help="form of the board")
    parser.add_argument("--range", metavar="A:B", help="deals A to B, both included, into --out")
    parser.add_argument("--out", type=_place, metavar="F.parquet", help="file for the boards of --range, or its URL")


def _deal(parsed: argparse.Namespace) -> Outcome:
    from pipeline.deals.deal import deal_range_to_parquet, show_deal
    from pipeline.deals.notation import deal_number, deal_range

    if (parsed.number is None) == (parsed.range is None) or (parsed.range is None) != (parsed.out is None):
        raise UsageError("either a deal number, or --range A:B with --out F.parquet")
    if parsed.range is None:
        return show_deal(deal_number(parsed.number), parsed.format)
    first, last = deal_range(parsed.range)
    return deal_range_to_parquet(first, last, parsed.out)


def _add_find(commands: Commands) -> None:
    parser = _command(
        commands,
        _find,
        "find",
        "the number of every deal that gives a board: status 1 where none does",
        "deal 617 | freecell-census find -",
    )
    parser.add_argument("board", metavar="FILE", help="a printed board, `-` for standard input")


def _find(parsed: argparse.Namespace) -> Outcome:
    from pipeline.deals.boards import parse_board
    from pipeline.deals.find import find

    return find(parse_board(_text(parsed.board)))


def _add_solve(commands: Commands) -> None:
    parser = _command(commands, _solve, "solve", "decide one board, and print the moves", "solve 11982 --cells 5")
    parser.add_argument("number", nargs="?", metavar="N", help="number of the deal")
    parser.add_argument("--board", metavar="FILE", help="a printed board instead, `-` for standard input")
    _add_rules(parser)
    parser.add_argument(
        "--budget",
        type=int,
        metavar="P",
        help="expand so many positions in a single attempt that leaves out no move, instead of a census's series; "
        "of a position in mid-game, exhaust so many",
    )
    parser.add_argument("--long", action="store_true", help="each move on a line of its own, in words")
    parser.add_argument("--boards", action="store_true", help="the position after each move")
    parser.add_argument(
        "--optimal", action="store_true", help="a solution of the fewest single-card moves; status 3 if not proved so"
    )
    parser.add_argument(
        "--table", type=int, metavar="P", help="positions that --optimal may hold, 30 bytes each (100000000)"
    )


def _solve(parsed: argparse.Namespace) -> Outcome:
    from kernels.dealing import deal_one
    from kernels.layout import layout_of
    from pipeline.deals.boards import parse_layout
    from pipeline.deals.notation import deal_number
    from pipeline.deals.solve import solve_deal, solve_layout

    if (parsed.number is None) == (parsed.board is None):
        raise UsageError("either a deal number, or --board FILE")
    if parsed.table is not None and not parsed.optimal:
        raise UsageError(f"--table {parsed.table} is for --optimal")
    how = parsed.cells, parsed.game, parsed.budget
    if parsed.number is None:
        layout = parse_layout(_text(parsed.board))
        decision = solve_layout(layout, *how)
    else:
        layout = layout_of(deal_one(deal_number(parsed.number)))
        decision = solve_deal(deal_number(parsed.number), *how)
    if parsed.optimal:
        from pipeline.deals.optimal import DEFAULT_TABLE, optimal
        from pipeline.deals.table import checked_rules

        table = DEFAULT_TABLE if parsed.table is None else parsed.table
        decision = optimal(decision, layout, checked_rules(parsed.cells, parsed.game), table)
    return decision.shown(parsed.long, parsed.boards)


def _add_replay(commands: Commands) -> None:
    parser = _command(
        commands,
        _replay,
        "replay",
        "check a list of moves: status 0 where it completes the game, 1 where it doesn't",
        "solve 617 | freecell-census replay 617 -",
    )
    parser.add_argument("number", nargs="?", metavar="N", help="number of the deal, unless the moves come with it")
    parser.add_argument("moves", metavar="MOVES", help="file with the moves, `-` for standard input")
    parser.add_argument("--board", metavar="FILE", help="the printed board or position that they begin from")
    _add_rules(parser)


def _replay(parsed: argparse.Namespace) -> Outcome:
    if parsed.number is not None and parsed.board is not None:
        raise UsageError("either a deal number, or --board FILE")

    from pipeline.deals.boards import parse_layout
    from pipeline.deals.notation import deal_number
    from pipeline.deals.replay import replay_deal, replay_layout
    from pipeline.texts import MOST

    if parsed.board == parsed.moves == "-":
        raise UsageError("--board - and - for the moves: standard input is one of them")
    layout = None if parsed.board is None else parse_layout(_text(parsed.board))
    number = None if parsed.number is None else deal_number(parsed.number)
    moves = _text(parsed.moves, MOST)
    if layout is not None:
        return replay_layout(layout, moves, parsed.cells, parsed.game)
    return replay_deal(number, moves, parsed.cells, parsed.game)


def _text(name: str, most: int = MOST_BOARD) -> str:
    from pipeline.texts import read_text

    return read_text(0 if name == "-" else local(name), name, most)


def _add_run(commands: Commands) -> None:
    parser = _command(
        commands,
        _run,
        "run",
        "run the census of a configuration, or continue one that was stopped",
        "run configs/ms-1m.toml --workers 2 --max-time 8h",
    )
    _add_running(parser)


def _add_fewest_cells(commands: Commands) -> None:
    parser = _command(
        commands,
        _fewest_cells,
        "fewest-cells",
        "find the fewest cells that solve each deal of a configuration, up to its own number; continues like `run`",
        "fewest-cells configs/fewest-32k.toml --workers 2",
    )
    _add_running(parser)


def _add_running(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=_path, metavar="CONFIG", help="a TOML file, or a name out of configs/")
    parser.add_argument("--out", type=_place, metavar="DIR", help="folder of the results, or its URL (results/NAME)")
    parser.add_argument("--part", metavar="K/N", help="only every N-th shard from the K-th on, in a subfolder")
    parser.add_argument("--workers", type=int, metavar="W", help="worker processes (one for each core)")
    parser.add_argument("--engine", choices=("local", "dask"), default="local", help="how workers are started (local)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="use the workers of this dask scheduler")
    parser.add_argument("--max-time", metavar="T", help="start no new shard after this time: 90s, 30m, 8h, 2d")
    parser.add_argument("--dry-run", action="store_true", help="only say what the run would take, after a short sample")


def _run(parsed: argparse.Namespace) -> Outcome:
    return _running(parsed, False)


def _fewest_cells(parsed: argparse.Namespace) -> Outcome:
    return _running(parsed, True)


def _running(parsed: argparse.Namespace, fewest: bool) -> Outcome:
    max_time = None if parsed.max_time is None else _seconds(parsed.max_time)

    from pipeline.census.forecast import forecast
    from pipeline.census.run import run

    command = forecast if parsed.dry_run else run
    how = parsed.workers, parsed.engine, parsed.scheduler, max_time, fewest
    return command(parsed.config, parsed.out, parsed.part, *how)


def _seconds(text: str) -> int:
    said = re.fullmatch(r"([0-9]{1,9})([smhd])", text)
    if not said:
        raise UsageError(f"--max-time {text}: a number with its unit, as 90s, 30m, 8h or 2d")
    return int(said[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[said[2]]


def _add_prove(commands: Commands) -> None:
    parser = _command(
        commands,
        _prove,
        "prove",
        "exhaust listed deals: counts without and with safe autoplay; goes on where it was stopped",
        "prove 11982 146692 --json\n  freecell-census prove results/known/unsolvable-10m.txt --out results/proofs-10m",
    )
    parser.add_argument(
        "deals", nargs="+", metavar="DEALS", help="deal numbers, ranges A:B, and files with a number a line"
    )
    parser.add_argument(
        "--out", type=_place, metavar="DIR", help="folder of the proofs; without it they are only printed"
    )
    parser.add_argument(
        "--closure",
        type=int,
        default=200_000_000,
        metavar="P",
        help="positions that a plain exhaustion may have; above, the one with safe autoplay is the proof (%(default)s)",
    )
    parser.add_argument("--plain", action="store_true", help="the plain exhaustion whatever it takes")
    _add_rules(parser)
    parser.add_argument("--workers", type=int, metavar="W", help="worker processes, and threads (one for each core)")
    parser.add_argument("--engine", choices=("local", "dask"), default="local", help="what starts the workers (local)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a dask scheduler's, whose workers are to be used")
    parser.add_argument("--max-time", metavar="T", help="begin no exhaustion after so long: 90s, 30m, 8h, 2d")


def _prove(parsed: argparse.Namespace) -> Outcome:
    max_time = None if parsed.max_time is None else _seconds(parsed.max_time)

    from pipeline.farm.engines import workers_of
    from pipeline.proofs.prove import LARGE, prove

    if not 0 <= parsed.closure <= LARGE:
        raise UsageError(
            f"--closure {parsed.closure}: from 0 to {LARGE} positions; 0 leaves the plain exhaustion out, "
            "--plain makes it whatever it takes"
        )
    workers = workers_of(parsed.engine, parsed.workers, parsed.scheduler)
    rules = _kernel_rules(parsed)
    return prove(parsed.deals, parsed.out, rules, LARGE if parsed.plain else parsed.closure, workers, max_time)


def _add_status(commands: Commands) -> None:
    parser = _command(
        commands, _status, "status", "show how much of a census is done, and how fast", "status results/ms-1m"
    )
    parser.add_argument("folder", type=_place, metavar="DIR", help=FOLDER)


def _status(parsed: argparse.Namespace) -> Outcome:
    from pipeline.census.status import status

    return status(parsed.folder)


def _add_verify(commands: Commands) -> None:
    parser = _command(
        commands,
        _verify,
        "verify",
        "check a result, and compare it with a published list",
        "verify results/ms-1m --known results/known/unsolvable-10m.txt",
    )
    parser.add_argument("folders", type=_place, nargs="+", metavar="DIR", help=f"{FOLDER}; several are one result")
    parser.add_argument(
        "--known", type=_path, metavar="FILE", help="list of unsolvable deals (the one that the configuration names)"
    )


def _verify(parsed: argparse.Namespace) -> Outcome:
    from pipeline.evidence.verify import verify

    return verify(*parsed.folders, known=parsed.known)


def _add_audit(commands: Commands) -> None:
    parser = _command(
        commands,
        _audit,
        "audit",
        "derive verdicts again by other code than made them: status 1 at the first contradiction",
        "audit results/ms-1m --sample 1000 --seed 1",
    )
    parser.add_argument("folder", type=_place, metavar="DIR", help=FOLDER)
    parser.add_argument(
        "--sample", type=int, default=1_000, metavar="K", help="solved deals to solve again (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the draw (%(default)s)")
    parser.add_argument(
        "--limit",
        type=int,
        default=100_000_000,
        metavar="P",
        help="positions that an exhaustion may hold, at 45 to 90 bytes each (%(default)s)",
    )
    parser.add_argument(
        "--summary", type=_place, metavar="FILE", help="published summary (results/published/NAME.json)"
    )


def _audit(parsed: argparse.Namespace) -> Outcome:
    for option, value, least in (
        ("--sample", parsed.sample, 0),
        ("--seed", parsed.seed, 0),
        ("--limit", parsed.limit, 1),
    ):
        if value < least:
            raise UsageError(f"{option} {value}: at least {least}")

    from pipeline.evidence.audit import audit

    return audit(parsed.folder, parsed.sample, parsed.seed, parsed.limit, parsed.summary)


def _add_diff(commands: Commands) -> None:
    parser = _command(
        commands,
        _diff,
        "diff",
        "compare two results deal by deal: status 0 where they are equal, 1 where they differ",
        "diff results/ms-10m results/known/unsolvable-10m.txt",
    )
    for where in "AB":
        parser.add_argument(
            where.lower(), metavar=where, help="folder of a run, other Parquet files, or list of unsolvable deals"
        )
    parser.add_argument("--figures", action="store_true", help="also positions, moves, closures and attempts")
    parser.add_argument("--out", type=_place, metavar="F.parquet", help="file for everything that differs, or its URL")


def _diff(parsed: argparse.Namespace) -> Outcome:
    from pipeline.evidence.diff import diff

    return diff(parsed.a, parsed.b, parsed.figures, parsed.out)


def _add_export(commands: Commands) -> None:
    parser = _command(
        commands,
        _export,
        "export",
        "deal numbers by verdict, certificates of unsolvable deals, or solutions",
        "export results/ms-1m --verdict unsolvable --certificates",
    )
    parser.add_argument("folder", type=_place, metavar="DIR", help=FOLDER)
    parser.add_argument("--verdict", choices=("solved", "unsolvable", "undecided"), help="whose numbers are printed")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--certificates", action="store_true", help="board, rules and counts of unsolvable deals, to check elsewhere"
    )
    what.add_argument(
        "--solutions",
        action="store_true",
        help="moves of solved deals, where the run kept them, as 3a: from column 3 to cell a; h is the foundation",
    )


def _export(parsed: argparse.Namespace) -> Outcome:
    from pipeline.evidence.export import export, export_certificates, export_solutions

    if parsed.certificates or parsed.solutions:
        option, verdict = ("--certificates", "unsolvable") if parsed.certificates else ("--solutions", "solved")
        if parsed.verdict not in (None, verdict):
            raise UsageError(f"{option} are of {verdict} deals, not of {parsed.verdict} ones")
        return (export_certificates if parsed.certificates else export_solutions)(parsed.folder)
    if parsed.verdict is None:
        raise UsageError("either --verdict V, or --certificates, or --solutions")
    return export(parsed.folder, parsed.verdict)


def _add_results(commands: Commands) -> None:
    parser = _command(
        commands,
        _results,
        "results",
        "write the summary of a finished run that can be published",
        "results results/ms-10m --out results/published/ms-10m.json",
    )
    parser.add_argument("folder", type=_place, metavar="DIR", help=FOLDER)
    parser.add_argument("--out", type=_place, metavar="FILE", help="the summary (summary.json in the folder)")


def _results(parsed: argparse.Namespace) -> Outcome:
    from pipeline.evidence.summary import results

    return results(parsed.folder, parsed.out)


def _add_report(commands: Commands) -> None:
    parser = _command(
        commands,
        _report,
        "report",
        "one HTML page about a result, or about two side by side",
        "report results/ms-1m --beside results/ms-32k --out both.html",
    )
    parser.add_argument("folders", type=_place, nargs="+", metavar="DIR", help=f"{FOLDER}; several are one result")
    parser.add_argument(
        "--beside",
        type=_place,
        nargs="+",
        default=[],
        metavar="DIR",
        help="folders of another result, shown beside it",
    )
    parser.add_argument("--out", type=_place, metavar="F.html", help="the page (report.html in the first folder)")


def _report(parsed: argparse.Namespace) -> Outcome:
    from pipeline.report.report import report

    return report(parsed.folders, parsed.beside, parsed.out)


def _add_bench(commands: Commands) -> None:
    parser = _command(
        commands,
        _bench,
        "bench",
        "speed against Freecell Solver, and the signature of the search",
        "bench --range 1:32000",
    )
    parser.add_argument("--range", metavar="A:B", help="deals A to B alone, both included, instead of all there is")
    parser.add_argument("--turns", type=int, default=5, metavar="T", help="turns over a range, at least (5)")
    parser.add_argument(
        "--farm",
        type=_path,
        metavar="CONFIG.toml",
        help="what the farm costs, instead: whole runs in turns with bare processes that decide the same deals",
    )


def _bench(parsed: argparse.Namespace) -> Outcome:
    if parsed.turns < 1:
        raise UsageError(f"--turns {parsed.turns}: at least 1")

    from pipeline.deals.notation import deal_range
    from pipeline.speed.bench import bench
    from pipeline.speed.farm_cost import farm_cost

    if parsed.farm:
        if parsed.range:
            raise UsageError("--farm and --range: the configuration has the range")
        return farm_cost(parsed.farm, parsed.turns)
    return bench([deal_range(parsed.range)] if parsed.range else [], parsed.turns)


def _add_tune(commands: Commands) -> None:
    parser = _command(
        commands,
        _tune,
        "tune",
        "evaluations, order and budgets of the attempts, from a range of deals",
        "tune --generations 20",
    )
    parser.add_argument("--range", metavar="A:B", default="3000001:3120000", help="deals to tune on (%(default)s)")
    parser.add_argument(
        "--check", metavar="A:B", default="6000001:6200000", help="deals for order, budgets and report (%(default)s)"
    )
    parser.add_argument(
        "--generations",
        type=int,
        default=120,
        metavar="G",
        help="for each evaluation (%(default)s: a quarter of an hour); 0: only budgets, for the kernels' own attempts",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the changes tried (%(default)s)")
    _add_rules(parser)


def _tune(parsed: argparse.Namespace) -> Outcome:
    from pipeline.deals.notation import deal_range
    from pipeline.speed.tune import tune

    if parsed.generations < 0:
        raise UsageError(f"--generations {parsed.generations}: at least 0")
    if not 0 <= parsed.seed < 2**32:
        raise UsageError(f"--seed {parsed.seed}: from 0 to {2**32 - 1}")
    first, last = deal_range(parsed.range)
    rules = _kernel_rules(parsed)
    return tune(first, last, deal_range(parsed.check), parsed.generations, parsed.seed, rules)
