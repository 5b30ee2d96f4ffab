"""The plots of a report: SVG to be set into a page, in the page's colours and letters, wide and narrow."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from pipeline.environment import without_settings
from pipeline.errors import UsageError
from pipeline.progress import duration
from pipeline.report.statistics import CELLS, Histogram, Integers, cells_of
from pipeline.store.sessions import Session, Step

try:
    with without_settings("MPLBACKEND"):
        from matplotlib import style
        from matplotlib.figure import Figure
        from matplotlib.ticker import FuncFormatter
except ImportError as error:
    raise UsageError(f"a report needs matplotlib ({error}): pip install '.[report]' in the project's folder") from error

PAGE, INK, MUTED, LINE, ACCENT, SECOND = (f"#00000{number}" for number in range(1, 7))
"""Stand for the colours that the page has under these names: it has two of each, for light and dark."""
NAMES = {PAGE: "page", INK: "ink", MUTED: "muted", LINE: "line", ACCENT: "accent", SECOND: "second"}

BINS_A_DECADE = 20
MOST_STEPS = 250
"""Stretches of a run that a plot shows; more are put together."""
MOST_LABELS = 6

Paint = Callable[[Any, bool], None]
"""Draws on axes; told whether they are narrow."""


class Size(NamedTuple):
    """Of a plot, in pixels of the page."""

    name: str
    width: int
    height: int


WIDE = Size("wide", 720, 300)
NARROW = Size("narrow", 358, 280)


def sizes(narrow: bool) -> tuple[Size, ...]:
    """Those that a plot is drawn in: it may stand beside another one."""
    return (NARROW,) if narrow else (WIDE, NARROW)


STYLE = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 12,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 12,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.8,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "ytick.major.size": 0,
    "ytick.minor.size": 0,
    "text.color": INK,
    "legend.facecolor": PAGE,
    "legend.edgecolor": "none",
    "legend.framealpha": 1.0,
    "legend.fancybox": False,
    "figure.dpi": 72,
}


def drawn(name: str, title: str, description: str, paint: Paint, sizes: Sequence[Size] = (WIDE, NARROW)) -> str:
    """A plot as inline SVG, once for each size; which one is seen is the page's affair.

    Parameters
    ----------
    name : str
        Different for each plot of a page.
    title, description : str
        HTML: what a screen reader says instead.
    paint : callable
    sizes : sequence of Size
    """
    return "".join(_svg(f"{name}-{size.name}", title, description, paint, size, len(sizes) > 1) for size in sizes)


def _svg(name: str, title: str, description: str, paint: Paint, size: Size, chosen: bool) -> str:
    with style.context(["default", {**STYLE, "svg.hashsalt": name}]):
        figure = Figure(figsize=(size.width / 72, size.height / 72), layout="constrained")
        axes = figure.subplots()
        paint(axes, size.width <= NARROW.width)
        file = io.StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata=dict.fromkeys(["Date", "Creator", "Format"]))
    text = file.getvalue()
    inner = text[text.index(">", text.index("<svg")) + 1 :]
    inner = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", inner, flags=re.DOTALL)
    inner = re.sub(r"font-family: [^;\"]*;? ?", "", inner)
    inner = re.sub(r'\bid="', f'id="{name}-', inner).replace('xlink:href="#', f'href="#{name}-')
    inner = inner.replace("url(#", f"url(#{name}-")
    for colour, variable in NAMES.items():
        inner = inner.replace(colour, f"var(--{variable})")
    inner = re.sub(r"\s*\n\s*", " ", inner)
    only = f' class="{size.name}"' if chosen else ""
    return (
        f'<svg{only} viewBox="0 0 {size.width} {size.height}" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{escape(title)}</title><desc id="{name}-d">{escape(description)}</desc>{inner}\n'
    )


def positions(named: Sequence[tuple[str, Histogram]]) -> Paint:
    """Deals by positions of the search, both on log scales; with two results, their shares."""
    low = min(histogram.smallest() for _, histogram in named)
    high = max(histogram.largest for _, histogram in named)
    decades = np.arange(
        np.floor(np.log10(max(low, 1)) * BINS_A_DECADE), np.ceil(np.log10(high + 1) * BINS_A_DECADE) + 1
    )
    edges = np.unique(np.round(10 ** (decades / BINS_A_DECADE)).astype(np.int64))

    def paint(axes: Any, narrow: bool) -> None:
        _histograms(axes, named, edges)
        axes.set(xscale="log", yscale="log", xlabel="positions expanded for a deal")
        axes.set_ylabel(_deals_label(named, "bin"))
        axes.xaxis.set_major_formatter(FuncFormatter(_short))
        axes.xaxis.set_minor_formatter(FuncFormatter(lambda *_: ""))
        axes.yaxis.set_major_formatter(FuncFormatter(_short if len(named) == 1 else _one_in))
        if len(named) == 1:
            _mark(axes, named[0][1], narrow)

    return paint


def length_edges(histograms: Sequence[Histogram]) -> Integers:
    """Edges of about 100 bins, from the shortest solution to somewhat beyond what 99.9 % of the deals need."""
    first = min(histogram.smallest() for histogram in histograms)
    last = max(min(histogram.percentile(999) * 9 // 8, histogram.largest) for histogram in histograms)
    width = max(1, round((last - first) / 100))
    return np.arange(first, last + width + 1, width)


def lengths(named: Sequence[tuple[str, Histogram]], edges: Integers) -> Paint:
    """Solved deals by the length of their solution; with two results, their shares."""
    width = int(edges[1] - edges[0])

    def paint(axes: Any, narrow: bool) -> None:
        _histograms(axes, named, edges)
        axes.set(xlabel="single-card moves of the solution found", ylim=(0, None))
        axes.set_ylabel(_deals_label(named, f"{width} moves" if width > 1 else "move"))
        axes.yaxis.set_major_formatter(FuncFormatter(_short if len(named) == 1 else _percent))
        axes.locator_params(axis="x", nbins=6 if narrow else 10, steps=[1, 2, 5, 10])
        if len(named) == 1:
            _mark(axes, named[0][1], narrow)

    return paint


def _histograms(axes: Any, named: Sequence[tuple[str, Histogram]], edges: Integers) -> None:
    for (label, histogram), colour in zip(named, (ACCENT, SECOND), strict=False):
        counts = histogram.between(edges)
        share = counts / histogram.total if len(named) > 1 else counts
        axes.stairs(share, edges, color=colour, linewidth=1.4, label=label, baseline=None)
        if len(named) == 1:
            axes.stairs(share, edges, fill=True, color=colour, alpha=0.18, linewidth=0)
    if len(named) > 1:
        axes.legend(loc="upper right")


def _deals_label(named: Sequence[object], each: str) -> str:
    return f"{'deals' if len(named) == 1 else 'share of deals'} per {each}"


def _mark(axes: Any, histogram: Histogram, narrow: bool) -> None:
    """Lines at the percentiles, named above the plot; a name moves to the right where the one before is too near."""
    room = 0.125 if narrow else 0.065
    to = -room
    for per_mille, name in ((500, "50 %"), (900, "90 %"), (990, "99 %"), (999, "99.9 %")):
        at = histogram.percentile(per_mille)
        axes.axvline(at, color=SECOND, linewidth=1, linestyle=(0, (3, 2)))
        to = max(float((axes.transScale + axes.transLimits).transform((at, 1))[0]), to + room)
        _name(axes, f"{name}\n{at:,}", to)


def _name(axes: Any, text: str, at: float) -> None:
    """Text above the plot; `at` is a part of its width."""
    axes.annotate(
        text,
        (at, 1),
        xycoords="axes fraction",
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=10,
        color=INK,
    )


RATE: dict[str, Any] = {"color": SECOND, "linewidth": 1.4, "linestyle": "--"}
LIST: dict[str, Any] = {"color": SECOND, "linewidth": 6, "alpha": 0.45, "solid_capstyle": "butt"}
"""How the expected count and a published list are drawn behind a running count."""


def running(
    counted: Integers,
    published: tuple[Sequence[int], Sequence[tuple[int, int]]] | None,
    rate: float | None,
    span: tuple[int, int],
    missing: Sequence[tuple[int, int]],
) -> Paint:
    """The running count of unsolvable deals.

    Parameters
    ----------
    counted : (CELLS,) int
        Ours, by cell of the range.
    published : (sequence of int, sequence of (int, int)), optional
        The deals of a list, and the ranges that it covers.
    rate : float, optional
        Unsolvable deals that are expected for each deal.
    span : (int, int)
        First and last deal.
    missing : sequence of (int, int)
        Ranges of deals that the result doesn't hold.
    """
    first, last = span
    edges = first + np.arange(CELLS + 1) * ((last - first + 1) / CELLS)
    gaps = _gaps(edges, missing)

    def paint(axes: Any, narrow: bool) -> None:
        for low, high in gaps:
            axes.axvspan(edges[low], edges[high], color=LINE, alpha=0.5, linewidth=0, zorder=0)
        if rate is not None:
            axes.plot(
                [first, last], [0, rate * (last - first + 1)], label=f"expected, 1 in {round(1 / rate):,}", **RATE
            )
        if published is not None:
            axes.plot(*_listed(edges, counted, *published, span), label="published list", **LIST)
        axes.plot(*_climbing(edges, counted), color=ACCENT, linewidth=1.6, label="this result")
        axes.margins(y=0.08)
        axes.set(xlim=(first, last), ylim=(0, None), xlabel="deal number", ylabel="unsolvable deals so far")
        axes.xaxis.set_major_formatter(FuncFormatter(_short if first < (last - first) else _plain))
        axes.locator_params(axis="x", nbins=5 if narrow else 8, steps=[1, 2, 5, 10])
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.yaxis.set_major_formatter(FuncFormatter(_plain))
        axes.legend(loc="upper left")

    return paint


def _listed(
    edges: Any, counted: Integers, deals: Sequence[int], covered: Sequence[tuple[int, int]], span: tuple[int, int]
) -> tuple[Any, Any]:
    """Corners of the count of a list, from where the list begins: there it is as high as ours."""
    begin, end = cells_of(np.array([covered[0][0], covered[-1][1]]), *span)
    cells = np.bincount(cells_of(np.array(deals, np.int64), *span), minlength=CELLS)
    at, counts = _climbing(edges[begin : end + 2], cells[begin : end + 1])
    return at, counts + counted[:begin].sum()


def _gaps(edges: Any, missing: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches of cells, as numbers of edges, of which most deals are missing: a part of a census has many gaps."""
    if not missing:
        return []
    ends = np.array([(low, high + 1) for low, high in missing], np.float64)
    counts = np.repeat(np.cumsum(ends[:, 1] - ends[:, 0]), 2)
    counts[::2] = np.concatenate([[0.0], counts[1:-1:2]])
    share = np.diff(np.interp(edges, ends.ravel(), counts, left=0.0)) / np.diff(edges)
    turns = np.flatnonzero(np.diff(np.concatenate([[0], (share > 0.5).astype(np.int8), [0]])))
    return [(int(low), int(high)) for low, high in turns.reshape(-1, 2)]


def _climbing(edges: Any, cells: Integers) -> tuple[Any, Any]:
    """Corners of a count that climbs in the middle of the cells that add to it."""
    at = np.flatnonzero(cells)
    counts = np.concatenate([[0], np.cumsum(cells[at])])
    middles = (edges[at] + edges[at + 1]) / 2
    return np.concatenate([[edges[0]], np.repeat(middles, 2), [edges[-1]]]), np.repeat(counts, 2)


def throughput(sessions: Sequence[Session]) -> Paint:
    """Deals a second, shard by shard, over the time that a run was running, with its interruptions."""
    begins = np.cumsum([0.0, *(session.seconds for session in sessions)])
    unit, seconds = _unit(float(begins[-1]))

    def paint(axes: Any, narrow: bool) -> None:
        for begin, session in zip(begins, sessions, strict=False):
            steps = _thinned(session.steps, len(sessions))
            ends = [step.end for step in steps]
            rates = [step.deals / (step.end - step.begin) for step in steps]
            at = (begin + np.array([0.0, *ends])) / seconds
            axes.stairs(rates, at, color=ACCENT, linewidth=1.4, baseline=None)
            axes.stairs(rates, at, fill=True, color=ACCENT, alpha=0.18, linewidth=0)
            if any(shard.again for shard in session.written):
                axes.axvspan(at[-1], (begin + session.seconds) / seconds, color=LINE, alpha=0.6, linewidth=0, zorder=0)
        for begin, (before, after) in zip(begins[1:], pairwise(sessions), strict=False):
            axes.axvline(begin / seconds, color=SECOND, linewidth=1, linestyle=(0, (3, 2)))
            if len(sessions) <= MOST_LABELS:
                pause = (after.began - before.began).total_seconds() - before.seconds
                _name(axes, f"{duration(max(0.0, pause))} pause", begin / begins[-1])
        axes.set(xlim=(0, max(float(begins[-1]), 1e-3) / seconds), ylim=(0, None), ylabel="deals a second")
        axes.set_xlabel(f"time running, {unit}")
        axes.yaxis.set_major_formatter(FuncFormatter(_short))
        axes.xaxis.set_major_formatter(FuncFormatter(_short))
        axes.locator_params(axis="x", nbins=5 if narrow else 10, steps=[1, 2, 5, 10])

    return paint


def _thinned(steps: Sequence[Step], sessions: int) -> list[Step]:
    """Steps put together until few enough are left."""
    each = -(-len(steps) * sessions // MOST_STEPS) or 1
    groups: Iterator[Sequence[Step]] = (steps[start : start + each] for start in range(0, len(steps), each))
    return [Step(group[0].begin, group[-1].end, sum(_deals(group))) for group in groups]


def _deals(steps: Iterable[Step]) -> Iterator[int]:
    return (step.deals for step in steps)


def _unit(seconds: float) -> tuple[str, float]:
    for name, length in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 3 * length:
            return name, length
    return "seconds", 1.0


def _short(value: float, _: object = None) -> str:
    """A number for an axis: 2,500, 40 k, 1.5 M."""
    for unit, size in ((" G", 1e9), (" M", 1e6), (" k", 1e4)):
        if abs(value) >= size:
            return f"{value / (1e3 if size == 1e4 else size):,.6g}{unit}"
    return f"{value:,.6g}"


def _plain(value: float, _: object = None) -> str:
    return f"{value:,.0f}"


def _one_in(value: float, _: object = None) -> str:
    return f"1 in {_short(1 / value)}"


def _percent(value: float, _: object = None) -> str:
    return f"{100 * value:.3g} %"
