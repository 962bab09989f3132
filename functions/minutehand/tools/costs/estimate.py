"""The monthly bill: the usage of a stack and its jobs by line, and its cost in a region."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from minutehand.tools.costs import model
from minutehand.tools.costs.batch_shares import ALONE, shares
from minutehand.tools.costs.definition import NONE_KNOWN, Calendars, Definition
from minutehand.tools.costs.model import Month
from minutehand.tools.costs.prices import PriceList
from minutehand.tools.costs.timetable import Timetable, timetable_of
from minutehand.tools.costs.units import Unit, Usage, total


@dataclass(frozen=True, kw_only=True)
class JobCost:
    """A job's month, its usage, and its cost in dollars."""

    job: str
    month: Month
    usage: Usage
    dollars: float


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of the bill. price and dollars are None where the price is unknown."""

    unit: Unit
    amount: float
    price: float | None
    dollars: float | None


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A month of a stack: `idle` is its usage without runs, `jobs` what each job adds, in the given order."""

    prices: PriceList
    idle: Usage
    metrics: Usage
    jobs: tuple[JobCost, ...]

    @property
    def usage(self) -> Usage:
        """All of it."""
        return total([self.idle, self.metrics, *(job.usage for job in self.jobs)])

    @property
    def lines(self) -> list[Line]:
        """The usage, in the order of `Unit`."""
        prices = self.prices
        return [
            Line(unit=unit, amount=amount, price=prices.prices.get(unit), dollars=prices.dollars(unit, amount))
            for unit, amount in self.usage.amounts.items()
        ]

    @property
    def dollars(self) -> float:
        """The total, without units of unknown price."""
        return self.prices.cost(self.usage)

    @property
    def services(self) -> dict[str, float]:
        """The total of each service."""
        sums: dict[str, float] = {}
        for line in self.lines:
            sums[line.unit.value.service] = sums.get(line.unit.value.service, 0.0) + (line.dollars or 0.0)
        return sums

    @property
    def unpriced(self) -> list[Unit]:
        """Used units of unknown price."""
        return [line.unit for line in self.lines if line.price is None]


def estimate(
    jobs: Sequence[Definition],
    months: Mapping[str, Month],
    prices: PriceList,
    now: datetime,
    *,
    answer: int = 0,
    calendars: Calendars = NONE_KNOWN,
) -> Estimate:
    """The bill of jobs and their months. now: start of the sampled span (aware)."""
    timetables: dict[str, Timetable] = {}
    counts: Counter[Timetable] = Counter()
    runs: dict[Timetable, float] = {}
    for job in jobs:
        if months[job.job].scheduled and not job.jitter:  # with jitter they start at random, and share no batches
            timetables[job.job] = timetable = timetable_of(job, now, calendars)
            counts[timetable] += 1
            runs[timetable] = max(runs.get(timetable, 0.0), months[job.job].scheduled)
    share = shares(counts, runs, now)
    used = {
        job.job: model.usage(
            job,
            months[job.job],
            share=share.get(timetables[job.job], ALONE) if job.job in timetables else ALONE,
            answer=answer,
        )
        for job in jobs
    }
    return Estimate(
        prices=prices,
        idle=model.idle(namespaces=len({job.namespace for job in jobs})),
        metrics=model.metrics(
            sum(usage.of(Unit.LAMBDA_REQUEST) for usage in used.values()),
            sum(month.failed for month in months.values()),
            sum(month.attempts for month in months.values()),
        ),
        jobs=tuple(
            JobCost(job=name, month=months[name], usage=usage, dollars=prices.cost(usage))
            for name, usage in used.items()
        ),
    )
