"""Charts show a table's figures where they belong, and tell them in words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from benchmarks.charts.axis import linear, logarithmic
from benchmarks.charts.chart import Chart, read
from benchmarks.charts.draw import draw
from benchmarks.table import Table

_SVG = "{http://www.w3.org/2000/svg}"

TABLE = Table(
    title="Time & calls",
    columns=("server", "jobs", "ours, ms", "bare, ms", "holds"),
    rows=(
        ("MiniStack", 1_000, 2.0, 1.0, True),
        ("MiniStack", 100_000, 4.0, None, True),
        ("DynamoDB Local", 1_000, 8.0, 5.0, False),
    ),
)
BARS = Chart(
    name="time",
    kind="bars",
    over=("server", "jobs"),
    values=("ours, ms", "bare, ms"),
    x="server, jobs",
    y="processor time, ms",
)
LINES = Chart(
    name="growth",
    kind="lines",
    over=("jobs",),
    values=("ours, ms",),
    by="server",
    x="jobs",
    y="processor time, ms",
    log_x=True,
)


def _drawn(table: Table, chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(draw(table, chart))  # noqa: S314 - our own


def _words(picture: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in picture.iter(f"{_SVG}text")]


def _coordinates(picture: ElementTree.Element, tag: str, kind: str, name: str) -> list[float]:
    return [float(one.attrib[name]) for one in picture.iter(f"{_SVG}{tag}") if one.get("class") == kind]


def test_a_chart_is_an_image_with_a_title_and_all_its_figures_in_words() -> None:
    picture = _drawn(TABLE, BARS)
    title, told = picture.find(f"{_SVG}title"), picture.find(f"{_SVG}desc")
    assert picture.get("role") == "img"
    assert title is not None
    assert title.text == "Time & calls"
    assert told is not None
    assert told.text == (
        "Bars: processor time, ms, by server, jobs. "
        "ours, ms - MiniStack, 1,000: 2; MiniStack, 100,000: 4; DynamoDB Local, 1,000: 8. "
        "bare, ms - MiniStack, 1,000: 1; DynamoDB Local, 1,000: 5."
    )


@pytest.mark.parametrize("chart", [BARS, LINES])
def test_both_axes_say_what_they_show_and_in_which_unit(chart: Chart) -> None:
    assert {chart.x, chart.y} <= set(_words(_drawn(TABLE, chart)))


def test_series_have_a_legend_and_one_alone_has_none() -> None:
    assert {"ours, ms", "bare, ms"} <= set(_words(_drawn(TABLE, BARS)))
    assert "ours, ms" not in _words(_drawn(TABLE, replace(BARS, values=("ours, ms",))))


def test_a_chart_can_be_read_on_a_light_page_and_on_a_dark_one() -> None:
    text = draw(TABLE, BARS)
    assert "prefers-color-scheme:dark" in text
    assert 'class="page"' in text


@pytest.mark.parametrize("chart", [BARS, LINES])
def test_the_same_table_is_drawn_the_same_each_time(chart: Chart) -> None:
    assert draw(TABLE, chart) == draw(TABLE, chart)


def test_the_length_of_a_bar_is_proportional_to_its_figure() -> None:
    lengths = _coordinates(_drawn(TABLE, replace(BARS, values=("ours, ms",))), "rect", "f0", "width")
    assert [length / lengths[0] for length in lengths] == pytest.approx([1, 2, 4], abs=0.01)


def test_what_is_no_figure_has_no_bar() -> None:
    assert len(_coordinates(_drawn(TABLE, BARS), "rect", "f1", "width")) == 2 + 1  # one in the legend


def test_lines_of_a_column_are_told_apart_by_another() -> None:
    names = [one.name for one in read(LINES, TABLE.columns, TABLE.rows)]
    assert names == ["MiniStack", "DynamoDB Local"]
    both = replace(LINES, values=("ours, ms", "bare, ms"))
    assert [one.name for one in read(both, TABLE.columns, TABLE.rows)] == [
        "MiniStack: ours, ms",
        "MiniStack: bare, ms",
        "DynamoDB Local: ours, ms",
        "DynamoDB Local: bare, ms",
    ]


def test_lines_go_from_left_to_right_whatever_the_order_of_the_rows() -> None:
    picture = _drawn(replace(TABLE, rows=TABLE.rows[1::-1]), LINES)
    (line,) = picture.iter(f"{_SVG}polyline")
    first, second = (float(point.split(",")[0]) for point in line.attrib["points"].split())
    assert first < second


@pytest.mark.parametrize("chart", [replace(BARS, limit=20.0), replace(LINES, limit=20.0)])
def test_a_goal_beyond_all_figures_is_in_the_picture(chart: Chart) -> None:
    picture = _drawn(TABLE, chart)
    assert "goal: 20" in _words(picture)
    width, height = (float(picture.attrib[name]) for name in ("width", "height"))
    (x,), (y,) = (_coordinates(picture, "line", "limit", name) for name in ("x2", "y1"))
    assert 0 < x < width
    assert 0 < y < height


@pytest.mark.parametrize(
    ("chart", "wrong"),
    [
        (replace(BARS, values=("ours",)), "the column 'ours'"),
        (replace(BARS, over=("queue",)), "the column 'queue'"),
        (replace(BARS, values=("holds",)), "0 series"),
    ],
)
def test_a_chart_of_what_is_not_there_is_refused(chart: Chart, wrong: str) -> None:
    with pytest.raises(ValueError, match=re.escape(wrong)):
        draw(TABLE, chart)


def test_a_column_that_is_there_twice_cannot_be_drawn() -> None:
    twice = replace(TABLE, columns=("server", "jobs", "ours, ms", "ours, ms", "holds"))
    with pytest.raises(ValueError, match="must be there once"):
        draw(twice, replace(BARS, values=("ours, ms",)))


def test_more_series_than_there_are_colours_are_refused() -> None:
    rows = tuple((f"server {n}", 1, 1.0, 1.0, True) for n in range(7))
    with pytest.raises(ValueError, match="7 series"):
        draw(replace(TABLE, rows=rows), LINES)


def test_words_of_a_table_cannot_break_the_file() -> None:
    hostile = replace(TABLE, rows=(('<script>"&', 1, 2.0, 1.0, True),))
    assert '<script>"&, 1' in _words(_drawn(hostile, BARS))


@pytest.mark.parametrize(
    ("figures", "marks"),
    [
        ([0.0, 8.0], (0, 2, 4, 6, 8)),
        ([3.0, 95.0], (0, 20, 40, 60, 80, 100)),
        ([0.0], (0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        ([0.0012], (0, 0.0002, 0.0004, 0.0006, 0.0008, 0.001, 0.0012)),
    ],
)
def test_an_axis_has_a_few_round_marks_from_zero_to_beyond_the_greatest(
    figures: Sequence[float], marks: Sequence[float]
) -> None:
    assert linear(figures, start=0, end=100).marks == pytest.approx(marks)


@pytest.mark.parametrize(
    ("figures", "marks"),
    [
        ([1_000.0, 1_000_000.0], (1_000, 10_000, 100_000, 1_000_000)),
        ([3.0, 40.0], (2, 5, 10, 20, 50)),
        ([7.0], (5, 10)),
        ([10.0], (10, 20)),
    ],
)
def test_a_logarithmic_axis_has_marks_at_powers_of_ten_and_between_where_those_are_few(
    figures: Sequence[float], marks: Sequence[float]
) -> None:
    assert logarithmic(figures, start=0, end=100).marks == pytest.approx(marks)


def test_ten_times_as_much_is_always_as_far_along_on_a_logarithmic_axis() -> None:
    axis = logarithmic([1.0, 1000.0], start=10, end=310)
    assert [axis.at(10.0**n) for n in range(4)] == pytest.approx([10, 110, 210, 310])


@pytest.mark.parametrize("figure", [0.0, -1.0])
def test_what_is_not_above_zero_has_no_place_on_a_logarithmic_axis(figure: float) -> None:
    with pytest.raises(ValueError, match="no place"):
        logarithmic([figure, 1.0], start=0, end=1)


def test_figures_lie_within_an_axis_that_goes_upward() -> None:
    axis = linear([3.0, 17.0], start=300, end=40)
    assert axis.at(0) == 300
    assert 40 <= axis.at(17) < axis.at(3) < 300
    assert math.isclose(axis.at(axis.most), 40)
