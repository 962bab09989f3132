"""Monthly cost of a stage, by the model of `minutehand cost`; only the functions' time depends on the stage's settings."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.capacity import model
from benchmarks.capacity.settings import Settings
from minutehand.tools.costs import model as costs
from minutehand.tools.costs.batch_shares import Share
from minutehand.tools.costs.definition import definition_of
from minutehand.tools.costs.prices import shipped_prices
from minutehand.tools.costs.units import GB, MILLION, MONTH, Unit, Usage

MINUTES = MONTH.total_seconds() / 60
PLAIN = definition_of({"namespace": "benchmark", "name": "plain", "schedule": "* * * * *"})
"""A job without any feature."""
IN_FULL_BATCHES = Share(sent=1 / model.BATCH, worked=1 / model.BATCH, listed=model.ENTRY)
PRICES = shipped_prices().region("us-east-1")

PER_ITEM = 100
"""Bytes that DynamoDB adds to the storage of each item, in tables and indexes."""
DEFINITION, LISTED, REVISION, TIMER = 526, 485, 439, 217
"""Bytes of a job's items, as the adapters store those of `benchmarks/workload.py`; the timer is in the index too."""
JOB_STORED = DEFINITION + LISTED + REVISION + 2 * TIMER + 5 * PER_ITEM
NEW_JOB = 14
"""Write units of a new job that is seldom due: definition 2, timer 3, list 2, revision 2, record 4, check of its namespace 1."""

X = "\N{MULTIPLICATION SIGN}"


class Cost(NamedTuple):
    """A line of the bill in dollars a month, with its arithmetic."""

    what: str
    dollars: float
    arithmetic: str


def used(each_minute: int) -> Usage:
    """The monthly usage of so many jobs of every minute with plain runs in full batches, with default settings."""
    one = costs.usage(PLAIN, costs.Month(scheduled=MINUTES), share=IN_FULL_BATCHES)
    return Usage({unit: amount * each_minute for unit, amount in one.amounts.items()})


def month(settings: Settings, each_minute: int) -> list[Cost]:
    """The bill of so many plain runs a minute. Jobs themselves are in `stored`."""
    runs = each_minute * MINUTES
    usage = used(each_minute)
    worker = settings.batch_time / model.BATCH * settings.worker_memory / 1024
    tick = settings.tick_memory / 1024 / settings.tick_pace

    def line(what: str, unit: Unit, amount: float, each: str) -> Cost:
        price = PRICES.prices[unit]
        priced = f"${price:g} a million" if unit.value.per == MILLION else f"${price:.2f} a GB"
        return Cost(what, amount * price / unit.value.per, f"{runs / 1e6:,.1f} M runs {X} {each} {X} {priced}")

    def of(what: str, unit: Unit) -> Cost:
        amount = usage.of(unit)
        return line(what, unit, amount, f"{amount / runs:.4g}")

    def size(what: str, unit: Unit) -> Cost:
        amount = usage.of(unit)
        return line(what, unit, amount, f"{amount * GB / runs:,.0f} bytes")

    return [
        of("write units", Unit.DYNAMODB_WRITE),
        of("read units", Unit.DYNAMODB_READ),
        of("SQS", Unit.SQS_CALL),
        of("Lambda: requests", Unit.LAMBDA_REQUEST),
        line("Lambda: workers", Unit.LAMBDA_GB_SECOND, runs * worker, f"{worker:.3f} GB-s"),
        line("Lambda: ticks", Unit.LAMBDA_GB_SECOND, runs * tick, f"{tick:.5f} GB-s"),
        size("logs", Unit.LOGS_INGESTED),
        size("runs kept 30 days", Unit.DYNAMODB_STORAGE),
        size("… recoverable at any second", Unit.DYNAMODB_RECOVERY),
    ]


def stored(jobs: int) -> list[Cost]:
    """The monthly storage of so many jobs, and the cost of saving them once."""
    size = jobs * JOB_STORED / GB
    kept, recoverable, write = (
        PRICES.prices[unit] for unit in (Unit.DYNAMODB_STORAGE, Unit.DYNAMODB_RECOVERY, Unit.DYNAMODB_WRITE)
    )
    return [
        Cost(
            "storage, each month",
            size * kept,
            f"{jobs / 1e6:,.0f} M jobs {X} {JOB_STORED:,} bytes = {size:,.0f} GB {X} ${kept:.2f}",
        ),
        Cost("… recoverable at any second", size * recoverable, f"{size:,.0f} GB {X} ${recoverable:.2f}"),
        Cost(
            "saving them, once",
            jobs * NEW_JOB * write / MILLION,
            f"{jobs / 1e6:,.0f} M jobs {X} {NEW_JOB} {X} ${write:g} a million",
        ),
    ]
