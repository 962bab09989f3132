"""Each answer is kept by itself, and the page shows the last one to each question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks import kept, page
from benchmarks.__main__ import QUESTIONS, main
from benchmarks.charts.chart import Chart
from benchmarks.kept import RESULTS, Answer, keep, latest
from benchmarks.table import Table, not_run, told_not_run

CHART = Chart(name="units", kind="bars", over=("step",), values=("units",), x="step", y="write units")
MACHINE = {
    "processor": "Abacus",
    "cores": 2,
    "memory_gib": 24,
    "system": "Linux x86_64",
    "python": "CPython 3.11.7",
    "libraries": {"boto3": "1.43"},
    "revision": "abc1234",
}
UNITS = Table(
    title="Units",
    columns=("step", "units", "ok"),
    rows=(("claim", 2.0, True), ("advance", 3, None)),
    goal="at most 7",
    holds=True,
    notes=("Of one run.",),
    chart=CHART,
)
COST = Answer(question="cost", measured_on="2026-11-20", machine=MACHINE, tables=(UNITS,))
TICK = Answer(
    question="tick",
    measured_on="2026-11-21",
    machine=MACHINE,
    tables=(Table(title="Tick", columns=("ms",), rows=((7,),)),),
)


def test_what_was_kept_is_read_as_it_was(tmp_path: Path) -> None:
    for answer in (COST, TICK):
        keep(answer, results=tmp_path)
    assert latest(("cost", "tick"), results=tmp_path) == [COST, TICK]


def test_an_answer_replaces_the_one_of_its_day_and_no_other_question(tmp_path: Path) -> None:
    later = replace(COST, tables=(replace(UNITS, holds=False),))
    for answer in (COST, TICK, later):
        keep(answer, results=tmp_path)
    assert latest(("cost", "tick"), results=tmp_path) == [later, TICK]
    assert len([*tmp_path.rglob("*.json")]) == 2


def test_the_last_answer_is_that_of_the_last_day_and_the_earlier_ones_stay(tmp_path: Path) -> None:
    later = replace(COST, measured_on="2026-12-01")
    for answer in (later, COST):
        keep(answer, results=tmp_path)
    assert latest(("cost",), results=tmp_path) == [later]
    assert len([*tmp_path.rglob("*.json")]) == 2


def test_a_question_that_was_never_answered_is_not_among_the_answers(tmp_path: Path) -> None:
    keep(COST, results=tmp_path)
    assert latest(("tick", "cost"), results=tmp_path) == [COST]


@pytest.mark.parametrize(
    "tables", [(), (not_run("Tick", "Java is missing"),), (UNITS, not_run("Tick", "Java is missing"))]
)
def test_an_answer_without_figures_in_some_table_is_not_whole(tables: tuple[Table, ...]) -> None:
    assert not replace(COST, tables=tables).whole
    assert COST.whole


@pytest.mark.parametrize(
    "lacking",
    [
        replace(UNITS, holds=None),
        replace(UNITS, holds=False, notes=(*UNITS.notes, told_not_run("Celery beat: Redis is missing"))),
    ],
    ids=["its goal could not be measured", "its goal does not hold by what there was"],
)
def test_an_answer_that_lacks_what_it_compares_with_is_not_whole(lacking: Table) -> None:
    assert not replace(COST, tables=(lacking,)).whole
    assert replace(COST, tables=(replace(UNITS, holds=False),)).whole, "a goal that does not hold is an answer"


def test_what_is_not_whole_is_told_and_what_was_kept_stays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("kept")

    monkeypatch.setattr(kept, "keep", never)
    monkeypatch.setitem(QUESTIONS, "cost", lambda: [replace(UNITS, holds=None)])
    assert main(["--keep", "cost"]) == 1
    told = capsys.readouterr()
    assert "could not be measured" in told.out
    assert "cost: not kept" in told.err


def _page(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "benchmarks.md"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_page_keeps_its_prose_and_shows_each_answer_with_its_day_revision_and_picture(tmp_path: Path) -> None:
    file = _page(tmp_path, f"# Benchmarks\n\nHow to read.\n\n{page.HEADING}\nOld.\n")
    page.write([COST, TICK], page=file)
    shown = file.read_text(encoding="utf-8")
    assert shown.startswith(f"# Benchmarks\n\nHow to read.\n\n{page.HEADING}\nOn Abacus, 2 cores, 24 GiB,")
    assert "Old." not in shown
    assert "## `cost`\n\nMeasured on 2026-11-20, at revision abc1234.\n\n### Units\n" in shown
    assert "## `tick`\n\nMeasured on 2026-11-21, at revision abc1234.\n\n### Tick\n" in shown
    assert "![Units: the figures are in the table](charts/units.svg)" in shown
    ElementTree.fromstring((tmp_path / "charts" / "units.svg").read_text(encoding="utf-8"))  # noqa: S314 - our own


def test_an_answer_from_another_machine_says_which(tmp_path: Path) -> None:
    file = _page(tmp_path, page.HEADING)
    page.write([COST, replace(TICK, machine=MACHINE | {"processor": "Slide rule"})], page=file)
    assert "Measured on 2026-11-21 on Slide rule, 2 cores, 24 GiB," in file.read_text(encoding="utf-8")


def test_a_page_that_is_made_again_is_the_same_and_pictures_of_the_past_go(tmp_path: Path) -> None:
    file = _page(tmp_path, page.HEADING)
    page.write([COST], page=file)
    once = file.read_text(encoding="utf-8")
    page.write([COST], page=file)
    assert file.read_text(encoding="utf-8") == once
    page.write([TICK], page=file)
    assert not [*(tmp_path / "charts").iterdir()]


def test_a_page_without_the_heading_is_left_alone(tmp_path: Path) -> None:
    file = _page(tmp_path, "# Benchmarks\n")
    with pytest.raises(ValueError, match="no line '## The tables'"):
        page.write([COST], page=file)
    assert file.read_text(encoding="utf-8") == "# Benchmarks\n"


def test_two_charts_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="the name units"):
        page.charts([COST, COST])


def test_the_documentation_shows_what_is_kept() -> None:
    answers = latest(QUESTIONS)
    written = page.PAGE.read_text(encoding="utf-8")
    assert page.text(answers, before=written) == written, "make it anew: make bench-page"
    folder = page.PAGE.parent / page.CHARTS
    drawn = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.svg")}
    assert drawn == page.charts(answers), "draw them anew: make bench-page"


def test_nothing_is_kept_of_a_question_that_is_asked_no_more() -> None:
    assert {folder.name for folder in RESULTS.iterdir()} <= set(QUESTIONS)
