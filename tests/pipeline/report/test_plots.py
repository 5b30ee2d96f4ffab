"""What plots draw, as numbers on their axes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, StepPatch

from pipeline.report import plots
from pipeline.report.statistics import CELLS, Histogram
from pipeline.store.sessions import Session, Stored

BEGAN = datetime(2026, 1, 2, tzinfo=UTC)


def painted(paint: plots.Paint, narrow: bool = False) -> Any:
    axes = Figure().subplots()
    paint(axes, narrow)
    return axes


def counted(*cells: int) -> np.ndarray:
    return np.bincount(cells, minlength=CELLS)


def line(axes: Any, label: str) -> tuple[list[float], list[float]]:
    (found,) = (line for line in axes.get_lines() if line.get_label() == label)
    return found.get_xdata().tolist(), found.get_ydata().tolist()


def test_running_count() -> None:
    axes = painted(plots.running(counted(1, 1, 500), None, 1 / 84_000, (1, 10_000), []))
    xs, ys = line(axes, "this result")
    assert xs == [1, 16, 16, 5_006, 5_006, 10_001]  # a cell is 10 deals, and a count climbs in its middle
    assert ys == [0, 0, 2, 2, 3, 3]
    assert line(axes, "expected, 1 in 84,000")[1] == [0, pytest.approx(10_000 / 84_000)]


def test_published_count_is_drawn_where_the_list_covers() -> None:
    axes = painted(plots.running(counted(1, 700), ([3_005], [(2_001, 4_000)]), None, (1, 10_000), []))
    xs, ys = line(axes, "published list")
    assert xs == [2_001, 3_006, 3_006, 4_001]
    assert ys == [1, 1, 2, 2]  # it begins as high as ours


def test_missing_deals_are_grey() -> None:
    axes = painted(plots.running(counted(), None, None, (1, 10_000), [(1, 2_000), (2_011, 2_014), (9_001, 10_000)]))
    assert [(patch.get_x(), patch.get_width()) for patch in axes.patches] == [(1, 2_000), (9_001, 1_000)]


def session(begin: int, seconds: float, *written: Stored) -> Session:
    return Session(BEGAN + timedelta(seconds=begin), seconds, "host", "complete", list(written))


def test_throughput_leaves_pauses_out() -> None:
    axes = painted(
        plots.throughput(
            [
                session(0, 12, Stored(10, 1_000, False)),
                session(72, 30, Stored(5, 1_000, False), Stored(15, 4_000, False), Stored(25, 50, True)),
            ]
        )
    )
    stairs = [patch.get_data() for patch in axes.patches if isinstance(patch, StepPatch)]
    steps = [(data.values.tolist(), data.edges.tolist()) for data in stairs[::2]]  # each has a line and an area
    assert steps[0] == ([100], [0, 10])
    assert steps[1] == ([200, 400], [12, 17, 27])
    (grey,) = (patch for patch in axes.patches if isinstance(patch, Rectangle))
    assert (grey.get_x(), grey.get_width()) == (27, 15)
    assert [text.get_text() for text in axes.texts] == ["60 s pause"]
    assert axes.get_xlabel() == "time running, seconds"


def test_long_runs_are_thinned() -> None:
    axes = painted(plots.throughput([session(0, 9_000, *(Stored(float(at), 10, False) for at in range(1, 9_001)))]))
    data = axes.patches[0].get_data()
    assert len(data.values) <= plots.MOST_STEPS
    assert np.allclose(data.values, 10)


def test_distributions_count_every_deal() -> None:
    histogram = Histogram()
    values = np.array([14, 14, 58, 1_000, 2**32 - 1], np.uint32)
    histogram.add(values)
    axes = painted(plots.positions([("one", histogram)]))
    assert axes.patches[0].get_data().values.sum() == len(values)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [text.get_text() for text in axes.texts][:2] == ["50 %\n58", "90 %\n4,294,967,295"]
    axes = painted(plots.positions([("one", histogram), ("two", histogram)]))
    assert [round(patch.get_data().values.sum(), 9) for patch in axes.patches] == [1, 1]


def test_lengths_end_behind_nearly_all() -> None:
    histogram = Histogram()
    values = np.concatenate([np.arange(52, 252).repeat(10), [17_135]]).astype(np.uint16)
    histogram.add(values)
    edges = plots.length_edges([histogram])
    assert edges[0] == 52
    assert 251 < edges[-1] < 300
    axes = painted(plots.lengths([("one", histogram)], edges))
    assert axes.patches[0].get_data().values.sum() == 2_000


def test_one_length_alone() -> None:
    histogram = Histogram()
    histogram.add(np.array([90, 90], np.uint16))
    assert plots.length_edges([histogram]).tolist() == [90, 91]


def test_names_of_percentiles_keep_apart() -> None:
    histogram = Histogram()
    histogram.add(np.array([90] * 2_000 + [400], np.uint16))
    for narrow, room in ((True, 0.125), (False, 0.065)):
        axes = painted(plots.lengths([("one", histogram)], np.arange(52, 453, 4)), narrow)
        places = [text.xy[0] for text in axes.texts]
        assert np.allclose(np.diff(places), room)
        assert {text.get_text().split("\n")[1] for text in axes.texts} == {"90"}
