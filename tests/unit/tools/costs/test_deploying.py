"""The guide to deploying says what the model makes of an idle stack and of a million plain runs."""

from pathlib import Path

import pytest

from minutehand.tools.costs import features, model
from minutehand.tools.costs.batch_shares import ALONE, Share
from minutehand.tools.costs.model import Month
from minutehand.tools.costs.prices import shipped_prices
from minutehand.tools.costs.units import Unit, Usage
from tests.unit.tools.costs.jobs import job

DOCS = Path(__file__).parents[4] / "docs"
PRICES = shipped_prices().region("us-east-1")
COSTS = (
    (DOCS / "how-to" / "deploy.md")
    .read_text(encoding="utf-8")
    .partition("\n## What it costs\n")[2]
    .partition("\n## ")[0]
)
POLLING = (
    (DOCS / "reference" / "costs.md")
    .read_text(encoding="utf-8")
    .partition("\n## Idle queues\n")[2]
    .partition("\n## ")[0]
)
IDLE, MILLION = COSTS.split("**A million runs**")


def rows(text: str) -> list[list[str]]:
    """The cells of a table, without its head and its sums."""
    lines = [line for line in text.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "**" not in line]


def is_told(unit: Unit, used: Usage, price: str, amount: str, dollars: str) -> bool:
    """Whether a row's figures are a unit's, to three digits and to a cent."""
    whole = float(amount) * unit.value.per
    return (
        whole == pytest.approx(used.of(unit), rel=0.005)
        and float(price) == PRICES.prices[unit]
        and float(dollars) == pytest.approx(PRICES.dollars(unit, used.of(unit)), abs=0.0051)
    )


def test_an_idle_stack_costs_what_the_model_says() -> None:
    used, expected = model.idle(), rows(IDLE)
    reads = [model.TICKS * features.IDLE_TICK_READS, model.SWEEPS * model.IDLE_SWEEP_READS]
    written = Usage({Unit.DYNAMODB_WRITE: model.TICKS * features.IDLE_TICK_WRITES})
    swept = Usage({Unit.DYNAMODB_WRITE: model.SWEEPS * model.IDLE_SWEEP_WRITES})
    assert used.of(Unit.DYNAMODB_WRITE) == written.of(Unit.DYNAMODB_WRITE) + swept.of(Unit.DYNAMODB_WRITE)
    parts = [
        (Unit.DYNAMODB_WRITE, written),
        (Unit.DYNAMODB_WRITE, swept),
        *((Unit.DYNAMODB_READ, Usage({Unit.DYNAMODB_READ: part})) for part in reads),
        *((unit, used) for unit in (Unit.LAMBDA_REQUEST, Unit.LAMBDA_GB_SECOND, Unit.SQS_CALL)),
    ]
    assert {unit for unit, _ in parts} | {Unit.ALARM} == set(used.amounts)
    assert used.of(Unit.DYNAMODB_READ) == sum(reads)
    for (unit, part), (what, amount, price, dollars) in zip(parts, expected, strict=True):
        assert is_told(unit, part, price, amount, dollars), what
    assert f"In all ${PRICES.cost(used):.2f} a month" in IDLE
    assert f"({model.TICKS:,.0f} ticks, {model.SWEEPS:,.0f} sweeps)" in IDLE


def test_what_idle_queues_cost_is_what_the_model_says() -> None:
    table = rows(POLLING)
    assert [int(row[1]) for row in table] == [model.POLLERS, model.FEWEST_POLLERS]
    for _, pollers, requests, dollars in table:
        polls = int(pollers) * model.MONTH.total_seconds() / model.POLL_SECONDS
        assert is_told(
            Unit.SQS_CALL, Usage({Unit.SQS_CALL: polls}), str(PRICES.prices[Unit.SQS_CALL]), requests, dollars
        )
    with_maximum, without = (
        f"${PRICES.cost(model.idle(pollers=pollers)):.2f}" for pollers in (model.POLLERS, model.FEWEST_POLLERS)
    )
    assert f"an idle stack costs {without} a month instead of {with_maximum}" in POLLING
    assert f"[{without}](../reference/costs.md#idle-queues)" in IDLE


@pytest.mark.parametrize("share", [ALONE, Share(0.1, 0.1, listed=0.1)], ids=["alone", "ten together"])
def test_a_million_plain_runs_cost_what_the_model_says_and_the_comparison_has(share: Share) -> None:
    cost = f"${PRICES.cost(model.usage(job(), Month(scheduled=1_000_000), share=share)):.2f}"
    assert cost in MILLION
    assert cost in (DOCS / "reference" / "cost-comparison.md").read_text(encoding="utf-8")
    assert f"an HTTP call of {model.CALL_SECONDS} s" in MILLION


def test_the_prices_are_of_the_day_of_the_price_list() -> None:
    assert f"as of {PRICES.as_of}" in COSTS
