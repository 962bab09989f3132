"""Monthly cost of the same work with Minutehand and with alternatives.

`python -m benchmarks.cost_comparison` writes docs/reference/cost-comparison.md from the cost model; `--check` checks that it is current.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from minutehand.tools.costs import model
from minutehand.tools.costs.batch_shares import ALONE, Share, shares
from minutehand.tools.costs.definition import definition_of
from minutehand.tools.costs.forecast import Assumed, forecast
from minutehand.tools.costs.prices import PriceList, shipped_prices
from minutehand.tools.costs.timetable import timetable_of
from minutehand.tools.costs.units import GB, MONTH, Unit, Usage, total

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cost-comparison.md"
REGION = "us-east-1"
START = datetime(2027, 1, 1, tzinfo=UTC)
HOURS = MONTH.total_seconds() / 3600
KEPT_DAYS = 30
HISTORY_SECONDS = 0.02
"""Two writes of a history, 10 ms each; an estimate, as the model's seconds are."""
REQUEST_PROCESSOR_SECONDS = 0.0024
"""Processor time of a request by boto3 or urllib3 (docs/reference/benchmarks.md, "Processor time of the worker")."""
TRANSITIONS = 2
"""State transitions of a loop in Step Functions: wait, call."""
DISK_GB = 20


class Work(NamedTuple):
    """So many jobs, evenly over some schedules."""

    name: str
    short: str
    jobs: int
    schedules: tuple[str, ...]


class Line(NamedTuple):
    """A line of a bill: units of an idle stack, and of each run."""

    what: str
    unit: Unit
    fixed: float
    runs: float
    each: float

    @property
    def amount(self) -> float:
        """Units in a month."""
        return self.fixed + self.runs * self.each


WORKLOADS = (
    Work("10 jobs each night", "nightly", 10, ("0 2 * * *",)),
    Work("1,000 jobs every 5 minutes", "5 minutes", 1_000, ("*/5 * * * *",)),
    Work("100,000 jobs each hour", "hourly", 100_000, tuple(f"{minute} * * * *" for minute in range(60))),
    Work("1 job each second", "second", 1, ("* * * * * *",)),
)


@cache
def runs_of(work: Work) -> float:
    """Runs a month."""
    one = [definition_of({"namespace": "any", "name": "one", "schedule": work.schedules[0]})]
    return forecast(one, START, Assumed())["any/one"].scheduled * work.jobs


def minutehand(work: Work) -> list[Line]:
    """A stack and its runs."""
    jobs = [
        definition_of({"namespace": "any", "name": f"job-{number}", "schedule": text})
        for number, text in enumerate(work.schedules)
    ]
    months = forecast(jobs, START, Assumed())
    each = work.jobs / len(jobs)
    timetables = {job.job: timetable_of(job, START, {}) for job in jobs}
    share = shares(
        {timetables[job.job]: round(each) for job in jobs},
        {timetables[job.job]: months[job.job].scheduled for job in jobs},
        START,
    )
    used = total([_times(model.usage(job, months[job.job], share=share[timetables[job.job]]), each) for job in jobs])
    runs, fixed = runs_of(work), model.idle() + model.metrics(used.of(Unit.LAMBDA_REQUEST), 0)
    lines = []
    for unit in Unit:
        idle, more = fixed.of(unit), used.of(unit)
        if idle or more:
            lines.append(Line(f"{unit.value.service}: {unit.value.called}", unit, idle, runs, more / runs))
    return lines


def scheduler(work: Work) -> list[Line] | None:
    """EventBridge Scheduler with a function that writes the start and end of each run to a table. None for schedules with
    seconds: Scheduler's shortest period is a minute."""
    if any(len(text.split()) == 6 for text in work.schedules):
        return None
    runs = runs_of(work)
    stored = KEPT_DAYS / (HOURS / 24) * model.RUN_BYTES / GB
    return [
        Line("invocations", Unit.SCHEDULER_INVOCATION, 0, runs, 1),
        *_function(runs, model.CALL_SECONDS + HISTORY_SECONDS, requests=3),
        Line("history: start and end", Unit.DYNAMODB_WRITE, 0, runs, 2),
        Line("history, stored, GB", Unit.DYNAMODB_STORAGE, 0, runs, stored),
        Line("history, point-in-time recovery, GB", Unit.DYNAMODB_RECOVERY, 0, runs, stored),
    ]


def step_functions(work: Work) -> list[Line]:
    """A Standard workflow for each job that waits and calls forever, with its own history."""
    runs = runs_of(work)
    return [
        Line("state transitions: wait, call", Unit.STATE_TRANSITION, 0, runs, TRANSITIONS),
        *_function(runs, model.CALL_SECONDS, requests=1),
    ]


def machines(number: int) -> list[Line]:
    """Always-on machines with dkron, which make the calls themselves, whatever the work."""
    return [
        Line("hours", Unit.T4G_SMALL_HOUR, number * HOURS, 0, 0),
        Line("disks, GB", Unit.GP3_STORAGE, number * DISK_GB, 0, 0),
        Line("hours of public addresses", Unit.PUBLIC_IPV4_HOUR, number * HOURS, 0, 0),
    ]


def _function(runs: float, waits: float, *, requests: int) -> list[Line]:
    """A Lambda function for each run that makes so many requests and waits so many seconds."""
    seconds = round(waits + requests * REQUEST_PROCESSOR_SECONDS / model.PROCESSOR, 3)
    return [
        Line("functions", Unit.LAMBDA_REQUEST, 0, runs, 1),
        Line(f"GB-seconds: {seconds:g} s", Unit.LAMBDA_GB_SECOND, 0, runs, seconds * model.WORKER_GB),
        Line("logs, GB", Unit.LOGS_INGESTED, 0, runs, model.RUN_LOG_BYTES / GB),
    ]


def page() -> str:
    """The whole page."""
    prices = shipped_prices().region(REGION)
    two, three = (_sum(prices, machines(number)) for number in (2, 3))
    ways = (
        ("Minutehand", minutehand),
        ("EventBridge Scheduler, Lambda and a table", scheduler),
        ("Step Functions", step_functions),
    )
    found = {name: [bill(work) for work in WORKLOADS] for name, bill in ways}
    rows = [
        f"| {work.name} | {_count(runs_of(work))} | {' | '.join(_sum_text(prices, lines[number]) for lines in found.values())} | {_money(two)} |"
        for number, work in enumerate(WORKLOADS)
    ]
    bills: list[str] = []
    for name, each in found.items():
        bills += [f"## {name}", "", *_bill(prices, each), ""]
    bills += ["## Two always-on machines, for any workload", "", *_machine_bill(prices, machines(2)), ""]
    idle = prices.cost(model.idle() + model.metrics(HOURS, 0))
    ours, alone, scheduled, stepped = _millions(prices)
    text = _TEXT.format(
        as_of=prices.as_of,
        source=prices.source,
        table="\n".join([_HEAD, f"| --- |{' ---: |' * 5}", *rows]),
        idle=_money(prices.cost(model.idle())),
        two=_money(two),
        three=_money(three),
        disk=DISK_GB,
        seconds=f"{model.CALL_SECONDS:g}",
        worked=f"{model.RUN_PROCESSOR_SECONDS * 1000:g}",
        requested=f"{REQUEST_PROCESSOR_SECONDS * 1000:g}",
        share=f"{model.PROCESSOR:.2f}",
        million=_money(ours),
        alone=_money(alone),
        scheduled=_money(scheduled),
        steps=_money(stepped),
        even_steps=_count(_round(idle / (stepped - alone) * 1_000_000)),
        even=_count(_round((two - idle) / ours * 1_000_000)),
        even_alone=_count(_round((two - idle) / alone * 1_000_000)),
        bills="\n".join(bills).rstrip(),
    )
    return text.lstrip("\n")


def _millions(prices: PriceList) -> tuple[float, float, float, float]:
    """A million plain runs without the idle stack: due ten together; each alone; with Scheduler; with Step Functions."""
    job = definition_of({"namespace": "any", "name": "one", "schedule": "0 * * * *"})
    month = model.Month(scheduled=1_000_000)
    shared, alone = (prices.cost(model.usage(job, month, share=share)) for share in (Share(0.1, 0.1), ALONE))
    hourly = Work("", "", 1_000, ("0 * * * *",))
    often = 1_000_000 / runs_of(hourly)
    return shared, alone, often * _sum(prices, scheduler(hourly) or ()), often * _sum(prices, step_functions(hourly))


def _round(number: float) -> float:
    """To two significant digits."""
    return float(f"{number:.2g}")


def _times(usage: Usage, number: float) -> Usage:
    return Usage({unit: amount * number for unit, amount in usage.amounts.items()})


def _sum(prices: PriceList, lines: Sequence[Line]) -> float:
    return sum(_dollars(prices, line) for line in lines)


def _dollars(prices: PriceList, line: Line) -> float:
    return prices.prices[line.unit] * line.amount / line.unit.value.per


def _sum_text(prices: PriceList, lines: Sequence[Line] | None) -> str:
    return "not possible" if lines is None else _money(_sum(prices, lines))


def _bill(prices: PriceList, bills: Sequence[Sequence[Line] | None]) -> list[str]:
    """A row for each line, a column for each workload."""
    some = [lines for lines in bills if lines is not None]
    idle = any(line.fixed for lines in some for line in lines)
    head = ["item", *(["stack"] if idle else []), "each run", "price", *(f"{work.short}, $" for work in WORKLOADS)]
    rows = [f"| {' | '.join(head)} |", f"| --- |{' ---: |' * (len(head) - 1)}"]
    for same in zip(*some, strict=True):
        unit = same[0].unit
        fixed = [_range(_count(line.fixed) for line in same)] if idle else []
        each = _range(_each(unit, line.each) for line in same)
        dollars = ("-" if lines is None else f"{_dollars(prices, _same(lines, same[0])):,.2f}" for lines in bills)
        rows.append(f"| {' | '.join([same[0].what, *fixed, each, _price(prices, unit), *dollars])} |")
    sums = ("-" if lines is None else f"**{_sum(prices, lines):,.2f}**" for lines in bills)
    return [*rows, f"| {' | '.join(['**total**', *([''] if idle else []), '', '', *sums])} |"]


def _machine_bill(prices: PriceList, lines: Sequence[Line]) -> list[str]:
    rows = [
        f"| {line.what} | {_count(line.amount)} | {_price(prices, line.unit)} | {_dollars(prices, line):,.2f} |"
        for line in lines
    ]
    return [
        "| item | amount | price | $ |",
        "| --- |" + " ---: |" * 3,
        *rows,
        f"| **total** |  |  | **{_sum(prices, lines):,.2f}** |",
    ]


def _same(lines: Sequence[Line], as_that: Line) -> Line:
    return next(line for line in lines if line.unit is as_that.unit and line.what == as_that.what)


def _range(texts: Iterable[str]) -> str:
    """One text, or those of the workloads in their order where they differ."""
    return "; ".join(dict.fromkeys(texts))


def _price(prices: PriceList, unit: Unit) -> str:
    return f"{prices.prices[unit]:g}" + (" a million" if unit.value.per > 1 else "")


def _each(unit: Unit, amount: float) -> str:
    """The units of a run; GB as bytes."""
    if not amount:
        return "0"
    return f"{amount * GB:,.0f} bytes" if unit.value.called.endswith(", GB") else f"{amount:.4g}"


def _count(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 100 or amount == round(amount) else f"{amount:.3g}"


def _money(dollars: float) -> str:
    return "< $0.01" if 0 < dollars < 0.005 else f"${dollars:,.2f}"


_HEAD = "| workload | runs a month | Minutehand | Scheduler and a table | Step Functions | two machines with dkron, if they suffice |"
_TEXT = (Path(__file__).with_name("cost_comparison.md.in")).read_text(encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page; with `--check` only compare it, and return 1 when it is stale."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost_comparison", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    if not parser.parse_args(arguments).check:
        PAGE.write_text(page(), encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        print(f"docs/{PAGE.name} is stale. Run: make comparison", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
