"""Tables say what was measured, no more and no less."""

from __future__ import annotations

import pytest
from benchmarks.table import Table, not_run, ratio, render, show, within


def test_a_table_is_markdown_with_its_goal_its_verdict_and_aligned_columns() -> None:
    table = Table(
        title="Units",
        goal="at most 7",
        holds=True,
        columns=("step", "units", "ok"),
        rows=(("claim", 2.0, True), ("advance and more", 1234, None)),
        notes=("Of one run.",),
    )
    assert render(table) == (
        "### Units\n"
        "\n"
        "Goal: at most 7 — holds.\n"
        "\n"
        "| step             | units | ok  |\n"
        "| ---------------- | ----: | --- |\n"
        "| claim            |  2.00 | yes |\n"
        "| advance and more | 1,234 | -   |\n"
        "\n"
        "- Of one run.\n"
    )


@pytest.mark.parametrize(
    ("holds", "verdict"), [(True, "— holds."), (False, "— **does not hold**."), (None, "— could not be measured.")]
)
def test_a_goal_is_never_shown_without_its_verdict(holds: bool | None, verdict: str) -> None:
    table = Table(title="t", goal="g", holds=holds, columns=("c",), rows=(("x",),))
    assert verdict in render(table)


def test_a_table_without_a_goal_passes_no_verdict() -> None:
    assert "hold" not in render(Table(title="t", columns=("c",), rows=(("x",),)))


def test_a_question_that_could_not_be_answered_says_why_and_shows_no_figure() -> None:
    assert render(not_run("Tick", "Java is missing")) == "### Tick\n\n- Not run: Java is missing.\n"


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, "-"),
        (True, "yes"),
        (False, "no"),
        (12_345, "12,345"),
        (0.0, "0.00"),
        (0.0333, "0.033"),
        (0.35, "0.35"),
        (7.0, "7.00"),
        (12.34, "12.3"),
        (318.6, "319"),
        ("* * * * *", "* * * * *"),
    ],
)
def test_a_figure_is_shown_with_the_digits_that_matter(cell: str | float | bool | None, text: str) -> None:
    assert show(cell) == text


def test_a_ratio_is_that_of_the_medians_so_that_an_outlier_moves_nothing() -> None:
    assert ratio([3, 100, 2], [2, 1, 50]) == 1.5
    assert ratio([1, 2], [1]) == 1.5


@pytest.mark.parametrize(("measured", "reference"), [([], [1.0]), ([1.0], []), ([1.0], [0.0])])
def test_a_ratio_with_nothing_to_compare_is_refused(measured: list[float], reference: list[float]) -> None:
    with pytest.raises(ValueError, match=r"ratio needs|multiple of it"):
        ratio(measured, reference)


def test_a_goal_is_kept_up_to_the_last_bits_of_a_sum() -> None:
    assert within(0.1 + 0.2, 0.3)
    assert not within(7.01, 7.0)
