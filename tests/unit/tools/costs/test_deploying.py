"""The guide to deploying says what the model makes of an idle stack and of a million plain runs."""

import re
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
IDLE, MILLION = COSTS.split("**A million runs**")
NOT_TOLD_APART = {Unit.LOGS_INGESTED, Unit.METRIC, Unit.ALARM, Unit.SECRET}


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
    used, told = model.idle(), rows(IDLE)
    reads = [model.TICKS * features.IDLE_TICK_READS, model.SWEEPS * model.IDLE_SWEEP_READS]
    parts = [
        (Unit.DYNAMODB_WRITE, used),
        *((Unit.DYNAMODB_READ, Usage({Unit.DYNAMODB_READ: part})) for part in reads),
        *((unit, used) for unit in (Unit.LAMBDA_REQUEST, Unit.LAMBDA_GB_SECOND, Unit.SQS_CALL)),
    ]
    assert {unit for unit, _ in parts} | NOT_TOLD_APART == set(used.amounts)
    assert used.of(Unit.DYNAMODB_READ) == sum(reads)
    for (unit, part), (what, amount, price, dollars) in zip(parts, told, strict=True):
        assert is_told(unit, part, price, amount, dollars), what
    assert f"In all ${PRICES.cost(used):.2f} a month" in IDLE
    assert f"({model.TICKS:,.0f} ticks, {model.SWEEPS:,.0f} sweeps)" in IDLE


@pytest.mark.parametrize(("share", "column"), [(ALONE, 2), (Share(0.1, 0.1), 4)], ids=["alone", "ten together"])
def test_a_million_plain_runs_cost_what_the_model_says_and_the_comparison_has(share: Share, column: int) -> None:
    used, told = model.usage(job(), Month(scheduled=1_000_000), share=share), rows(MILLION)
    units = (
        Unit.DYNAMODB_WRITE,
        Unit.DYNAMODB_READ,
        Unit.SQS_CALL,
        Unit.LAMBDA_REQUEST,
        Unit.LAMBDA_GB_SECOND,
        Unit.LOGS_INGESTED,
        Unit.DYNAMODB_STORAGE,
        Unit.DYNAMODB_RECOVERY,
    )
    assert set(units) == set(used.amounts)
    for unit, row in zip(units, told, strict=True):
        assert is_told(unit, used, row[1], row[column], row[column + 1]), row[0]
    cost = f"{PRICES.cost(used):.2f}"
    [sums] = re.findall(r"^\| \*\*in all\*\* .*$", MILLION, re.MULTILINE)
    assert sums.strip("|").split("|")[column + 1].strip() == f"**{cost}**"
    assert f"${cost}" in (DOCS / "reference" / "cost-comparison.md").read_text(encoding="utf-8")


def test_what_the_rows_say_of_a_run_is_what_they_count() -> None:
    assert f"7 write units a run: claim {features.CLAIM}, advance {features.ADVANCE}" in MILLION
    assert f"{model.RUN_LOG_BYTES} bytes a run and {model.BATCH_LOG_BYTES} a batch" in MILLION
    assert f"storage: {model.RUN_BYTES:,} bytes a run" in MILLION
    assert f"GB-seconds of {model.WORKER_GB * 1024:.0f} MB" in MILLION
    assert f"an HTTP call of {model.CALL_SECONDS} s" in MILLION


def test_the_prices_are_of_the_day_of_the_price_list() -> None:
    assert f"as of {PRICES.as_of}" in COSTS
