"""docs/reference/scale.md shows what the model computes and the simulation found, and every limit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks import results
from benchmarks.capacity import limits, model, scale_page
from benchmarks.capacity.ceilings import lowest
from benchmarks.capacity.limit_effects import EFFECTS
from benchmarks.capacity.monthly_cost import PRICES, month, used
from benchmarks.capacity.simulation import at_once, each_minute
from benchmarks.capacity.stages import LARGE, MIDDLE, SMALL
from benchmarks.table import Table, show

from minutehand.tools.costs.units import Unit, Usage

TEXT = scale_page.PAGE.read_text(encoding="utf-8")


def simulated() -> tuple[Table, ...]:
    """The stored tables of the simulation."""
    return results.latest(["capacity"])[0].tables


def test_the_calculated_parts_are_current() -> None:
    assert scale_page.filled(TEXT, scale_page.parts()) == TEXT, "run: make bench-page"


def test_the_simulated_parts_are_those_of_the_stored_result() -> None:
    parts = scale_page.simulated(simulated())
    assert parts.keys() == {"stages", "doubts", "shares"}
    assert scale_page.filled(TEXT, parts) == TEXT, "run: make bench-page"


def test_the_simulation_still_has_the_stored_result() -> None:
    row = next(row for table in simulated() for row in table.rows if row[0] == SMALL.name)
    spread, together = each_minute(SMALL.settings, SMALL.each_minute), at_once(SMALL.settings, SMALL.each_minute)
    found = (lowest(SMALL.settings).occurrences, spread.p50, spread.p99, together.p99, together.last)
    assert [show(one) for one in found] == [show(row[n]) for n in (1, 3, 4, 6, 7)], (
        "run: python -m benchmarks capacity --keep"
    )


@pytest.mark.thorough
def test_the_summary_has_the_numbers_of_the_tables() -> None:
    summary = TEXT.partition("## In short")[2].partition("\n## ")[0]
    assert summary
    advances = model.BUCKETS * limits.PARTITION_WRITES.value / model.ADVANCE * model.WORKING
    fastest = replace(LARGE.settings, tick_memory=1_769)
    last = at_once(MIDDLE.settings, MIDDLE.each_minute).last
    for number in (
        f"{lowest(SMALL.settings).occurrences / 1e3:,.0f},000",
        f"{lowest(MIDDLE.settings).occurrences / 1e3:,.0f},000",
        f"{lowest(LARGE.settings).occurrences / 1e3:,.0f},000",
        f"{advances / 1e3:,.0f},000",
        f"{fastest.ticks * fastest.tick_pace * model.WORKING / 1e3:,.0f},000",
        f"{model.WORKING / SMALL.settings.look_time / 1e6:.1f} million packed timers",
        f"{last:.0f} s late",
        f"{MIDDLE.settings.batch_time:.2f} s",
    ):
        assert number in summary


def test_a_month_costs_what_minutehand_cost_says() -> None:
    """Both use one model, but compute the time of functions differently."""
    bill = month(SMALL.settings, 1_000)
    usage = used(1_000)
    without_time = Usage({unit: amount for unit, amount in usage.amounts.items() if unit is not Unit.LAMBDA_GB_SECOND})
    lines = [line.dollars for line in bill if line.what not in ("Lambda: workers", "Lambda: ticks")]
    assert sum(lines) == pytest.approx(PRICES.cost(without_time))
    assert sum(line.dollars for line in bill) == pytest.approx(PRICES.cost(usage), rel=0.05)


def test_each_limit_has_an_effect() -> None:
    assert set(EFFECTS) == set(limits.ALL)
