"""Stored results are never replaced by incomplete ones, and the documentation shows the latest of each question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks import charts, page, results
from benchmarks.__main__ import QUESTIONS, main
from benchmarks.results import RESULTS, Result, latest, store
from benchmarks.table import Table, missing, not_run

UNITS = Table(
    title="Units",
    columns=("step", "units", "ok"),
    rows=(("claim", 2.0, True), ("advance", 3, None)),
    goal="at most 7",
    holds=True,
    notes=("Of one run.",),
)
COST = Result(question="cost", measured_on="2026-11-20", machine={"cores": 2}, tables=(UNITS,))


def test_a_stored_result_is_read_back_unchanged_and_the_latest_day_wins(tmp_path: Path) -> None:
    later = replace(COST, measured_on="2026-12-01", tables=(replace(UNITS, holds=False),))
    for result in (later, COST):
        store(result, results=tmp_path)
    assert latest(("cost", "tick"), results=tmp_path) == [later]
    assert len([*tmp_path.rglob("*.json")]) == 2


@pytest.mark.parametrize(
    "tables",
    [
        (),
        (UNITS, not_run("Tick", "Java is missing")),
        (replace(UNITS, holds=None),),
        (replace(UNITS, notes=(missing("Celery beat: Redis is missing"),)),),
    ],
)
def test_an_incomplete_result_is_reported_and_never_stored(
    tables: tuple[Table, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(results, "store", lambda _: pytest.fail("stored"))
    monkeypatch.setattr("benchmarks.__main__._document", lambda: 0)
    monkeypatch.setitem(QUESTIONS, "cost", lambda: [*tables])
    assert main(["--keep", "cost"]) == 1
    assert "cost: not stored" in capsys.readouterr().err


def test_a_missed_goal_is_a_complete_result() -> None:
    assert replace(COST, tables=(replace(UNITS, holds=False),)).complete


def test_every_stored_result_can_be_read() -> None:
    for file in RESULTS.glob("*/*.json"):
        assert file.parent.name in QUESTIONS
        assert results.read(file.parent.name, file).tables


def test_the_page_shows_the_latest_results() -> None:
    written = page.PAGE.read_text(encoding="utf-8")
    assert page.text(latest(QUESTIONS), before=written) == written, "run: make bench-page"


def test_the_charts_show_the_latest_results() -> None:
    """Their files describe their data, so this needs no drawing library."""
    expected = charts.drawings(table for result in latest(QUESTIONS) for table in result.tables)
    assert {chart.name for chart, _ in expected.values()} == {chart.name for chart in charts.CHARTS}
    files = {file.name: file for file in (page.PAGE.parent / "charts").glob("*.svg")}
    assert files.keys() == expected.keys(), "run: make bench-page"
    for name, (chart, table) in expected.items():
        picture = ElementTree.parse(files[name])  # noqa: S314 - our own file
        described = picture.find(".//{http://purl.org/dc/elements/1.1/}description")
        assert described is not None
        assert described.text == charts.description(chart, table), "run: make bench-page"
