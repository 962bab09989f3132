"""docs/scale.md says what the model makes, and no limit is left out."""

from __future__ import annotations

import pytest
from benchmarks import kept
from benchmarks.capacity import bites, limits, paper
from benchmarks.capacity.ceilings import first
from benchmarks.capacity.money import PRICES, X, month, stored, used
from benchmarks.capacity.play import at_once, each_minute
from benchmarks.capacity.stages import LARGE, MIDDLE, SMALL, STAGES, STORED, Stage
from benchmarks.capacity.sweep import swept
from benchmarks.table import Table, show

from minutehand.tools.costs.units import Unit, Usage

TEXT = paper.PAGE.read_text(encoding="utf-8")
HOW = "run: python -m benchmarks capacity --keep"


def answered() -> tuple[Table, ...]:
    """What was kept of the question."""
    return kept.latest(["capacity"])[0].tables


def test_what_is_calculated_is_as_it_would_be_written() -> None:
    assert paper.filled(TEXT, paper.parts()) == TEXT, HOW


def test_what_is_simulated_is_what_is_kept() -> None:
    made = paper.simulated(answered())
    assert made.keys() == {"stages", "doubts", "shares"}
    assert paper.filled(TEXT, made) == TEXT, HOW


@pytest.mark.parametrize(
    "stage",
    [SMALL, pytest.param(MIDDLE, marks=pytest.mark.thorough)],  # the third takes a minute: what is kept stands for it
    ids=lambda stage: stage.name,
)
def test_the_simulation_says_today_what_is_kept(stage: Stage) -> None:
    row = next(row for table in answered() for row in table.rows if row[0] == stage.name)
    spread, together = each_minute(stage.settings, stage.each_minute), at_once(stage.settings, stage.each_minute)
    said = [
        show(figure)
        for figure in (first(stage.settings).occurrences, spread.p50, spread.p99, together.p99, together.last)
    ]
    assert said == [show(row[column]) for column in (1, 3, 4, 6, 7)], HOW
    assert row[8] == together.workers


def test_the_summary_has_the_figures_of_the_tables() -> None:
    summary = TEXT.partition("## In short")[2].partition("\n## ")[0]
    last = at_once(MIDDLE.settings, MIDDLE.each_minute).last
    assert f"some {first(SMALL.settings).occurrences:,.0f} a minute nothing" in summary
    assert f"some {first(MIDDLE.settings).occurrences:,.0f} a minute in one namespace" in summary
    assert f"the last starts {last:.0f} s late" in summary
    workers, batch = MIDDLE.settings.worker_concurrency, MIDDLE.settings.batch_time
    assert f"{workers} workers {X} 10 ÷ {batch:.2f} s" in summary
    assert f"it is {MIDDLE.each_minute / (workers * 10 / batch):.0f} s" in summary
    assert f"{LARGE.settings.due_shards} shards" in summary
    assert f"some {round(swept(), -4):,.0f} runs a minute the sweep" in summary
    assert stored(STORED)[0].arithmetic.partition("= ")[2].partition(" GB")[0] + " GB" in summary


def test_each_stage_s_settings_let_through_what_it_is_for() -> None:
    for stage in STAGES:
        assert first(stage.settings).occurrences > 1.3 * stage.each_minute


def test_a_month_is_in_proportion_to_what_runs() -> None:
    once, twice = (sum(line.dollars for line in month(SMALL.settings, each)) for each in (1_000, 2_000))
    assert twice == pytest.approx(2 * once)


def test_a_month_costs_what_minutehand_cost_says_it_does() -> None:
    """By the same model; the time of functions is reckoned twice, and differs by a little of the sum."""
    lines = [
        line for line in month(SMALL.settings, 1_000) if not line.what.startswith(("Lambda: workers", "Lambda: ticks"))
    ]
    usage = used(1_000)
    without = Usage({unit: amount for unit, amount in usage.amounts.items() if unit is not Unit.LAMBDA_GB_SECOND})
    assert sum(line.dollars for line in lines) == pytest.approx(PRICES.cost(without))
    assert sum(line.dollars for line in month(SMALL.settings, 1_000)) == pytest.approx(PRICES.cost(usage), rel=0.05)


def test_each_limit_says_where_it_bites() -> None:
    assert set(bites.WHERE) == set(limits.ALL)
    assert len(limits.ALL) > 20


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for cost, units"):
        paper.filled("# Nothing\n", {"units": "", "cost": ""})
