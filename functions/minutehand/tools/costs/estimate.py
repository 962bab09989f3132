"""The monthly bill of a stack and its jobs: its lines, its cost in a region, and what the estimate assumes, lacks or overstates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from minutehand.tools.costs import model
from minutehand.tools.costs.batch_shares import ALONE, Due, shares
from minutehand.tools.costs.definition import NONE_KNOWN, Calendars, Definition
from minutehand.tools.costs.forecast import Assumed, unknown_parents
from minutehand.tools.costs.model import Month
from minutehand.tools.costs.prices import PriceList
from minutehand.tools.costs.timetable import Timetable, timetable_of
from minutehand.tools.costs.units import MONTH, Unit, Usage, later, total

MOST_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class JobCost:
    """The cost of a job in a month, in dollars, with its runs (`month`) and its usage."""

    job: str
    month: Month
    usage: Usage
    dollars: float


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of the bill: a billed unit and its amount. price and dollars are None if the price is unknown."""

    unit: Unit
    amount: float
    price: float | None
    dollars: float | None


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A month of a stack: `idle` is its usage without runs, `metrics` that of its runs' metrics, and `jobs` what each job adds."""

    prices: PriceList
    idle: Usage
    metrics: Usage
    jobs: tuple[JobCost, ...]

    @property
    def usage(self) -> Usage:
        """The usage of the stack and all of its jobs."""
        return total([self.idle, self.metrics, *(job.usage for job in self.jobs)])

    @property
    def lines(self) -> list[Line]:
        """A line of the bill for each used unit, in the order of `Unit`."""
        prices = self.prices
        return [
            Line(unit=unit, amount=amount, price=prices.prices.get(unit), dollars=prices.dollars(unit, amount))
            for unit, amount in self.usage.amounts.items()
        ]

    @property
    def dollars(self) -> float:
        """The total in dollars, without units of unknown price."""
        return self.prices.cost(self.usage)

    @property
    def services(self) -> dict[str, float]:
        """The total in dollars of each AWS service."""
        sums: dict[str, float] = {}
        for line in self.lines:
            sums[line.unit.value.service] = sums.get(line.unit.value.service, 0.0) + (line.dollars or 0.0)
        return sums

    @property
    def unpriced(self) -> list[Unit]:
        """The used units whose price is unknown."""
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
    """Estimate the bill of jobs whose runs in a month are `months`, by job. now: start of the sampled span (aware)."""
    timetables: dict[str, Timetable] = {}
    counts: Counter[Due] = Counter()
    runs: dict[Timetable, float] = {}
    for job in jobs:
        if months[job.job].scheduled and not job.jitter:  # with jitter, runs start at random and share no batches
            timetables[job.job] = timetable = timetable_of(job, now, calendars)
            counts[job.namespace, timetable] += 1
            runs[timetable] = max(runs.get(timetable, 0.0), months[job.job].scheduled)
    share = shares(counts, runs, now)
    used = {
        job.job: model.usage(
            job,
            months[job.job],
            share=share.get((job.namespace, timetables[job.job]), ALONE) if job.job in timetables else ALONE,
            answer=answer,
        )
        for job in jobs
    }
    return Estimate(
        prices=prices,
        idle=model.idle(namespaces=len({job.namespace for job in jobs}), workers=1 + any(job.in_aws for job in jobs)),
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


def assumptions(assumed: Assumed, past: timedelta | None, *, saved: bool) -> list[str]:
    """The assumptions of the estimate. past: the span of counted runs; None for an estimate from schedules. saved: whether the
    jobs are from the API, which knows more than files."""
    if past is None:
        basis = f"a call takes {assumed.seconds:g} s, {assumed.failures:.0%} of the attempts fail"
    else:
        basis = f"a month goes on like the last {'day' if past.days == 1 else f'{past.days} days'}"
    answer = f"{assumed.answer:,} bytes" if assumed.answer > model.LONG_ANSWER_BYTES else "256 bytes at most"
    unsaid = "" if saved else ", a max_concurrency of the namespace"
    return [
        f"assumed: {basis}, a target answers with {answer}",
        (
            f"assumed: workers of {model.WORKER_GB * 1024:.0f} MB (arm64), {model.BESIDE_CALL_SECONDS * 1000:.0f} ms of each batch"
            f" besides its calls and {model.RUN_SECONDS * 1000:.0f} ms of each run ({model.RUN_PROCESSOR_SECONDS * 1000:g} ms of a"
            f" processor, of which a worker has {model.PROCESSOR:.2f}); runs of the same second are one batch, ten at most, which"
            " waits half a second for its instant unless that is on the minute"
        ),
        (
            "not counted: free tiers, taxes, data transfer and NAT gateways, cold starts, KMS, what the targets themselves cost, secrets, the storage of"
            f" definitions and of logs, the API's use by people, edits of jobs, AWS support{unsaid}"
        ),
    ]


def remarks(
    jobs: Sequence[Definition], found: Estimate, now: datetime, calendars: Calendars, *, counted: bool
) -> list[str]:
    """What the estimate lacks or overstates. now: start of the month (aware); counted: whether it is from past runs, so that
    schedules do not matter."""
    notes = [
        f"prices as of {found.prices.as_of} ({found.prices.source}); check current ones before you rely on a figure"
    ]
    if found.unpriced:
        lacking = "; ".join(f"{unit.value.service} {unit.value.called}" for unit in found.unpriced)
        notes.append(f"no price is known in {found.prices.region} for: {lacking}. The sum is without it")
    if counted:
        noted = sum(job.month.noted is not None for job in found.jobs)
        return [
            *notes,
            (
                f"jobs whose runs recorded their usage (record_units): {noted:,} of {len(found.jobs):,};"
                " that of the others is computed"
            ),
        ]
    awake = [job for job in jobs if not job.idle]
    away = sorted({name for job in awake for name in job.calendars} - calendars.keys())
    end = later(now, MONTH)
    groups = (
        (
            away,
            "is a calendar that is not known here, and is counted as if it blocked nothing",
            "are calendars that are not known here, and are counted as if they blocked nothing",
        ),
        ([job.job for job in jobs if job.idle], "is paused, and costs nothing", "are paused, and cost nothing"),
        (
            [job.job for job in awake if job.schedule.manual and not job.parents],
            "runs only when triggered, and is not counted",
            "run only when triggered, and are not counted",
        ),
        (
            [job.job for job in awake if _outside(job, now, end)],
            "is not due in the month to come, and costs nothing",
            "are not due in the month to come, and cost nothing",
        ),
        (
            [job.job for job in awake if not _outside(job, now, end) and _in_part(job, now, end)],
            "is due in only a part of the month, and is counted for that part",
            "are due in only a part of the month, and are counted for that part",
        ),
        (
            unknown_parents(jobs),
            "is a parent that is not among these jobs; the runs that it would start are not counted",
            "are parents that are not among these jobs; the runs that they would start are not counted",
        ),
    )
    return notes + [f"{_named(names)} {one if len(names) == 1 else many}" for names, one, many in groups if names]


def _outside(job: Definition, now: datetime, end: datetime) -> bool:
    """Whether the job's start, end or limit of runs leaves it no occurrence in the month."""
    return (
        job.runs_left == 0 or (job.last is not None and job.last <= now) or (job.first is not None and job.first > end)
    )


def _in_part(job: Definition, now: datetime, end: datetime) -> bool:
    """Whether the job's start or end is within the month."""
    return (job.last is not None and job.last < end) or (job.first is not None and job.first > now)


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return shown if more <= 0 else f"{shown} and {more:,} other{'' if more == 1 else 's'}"
