"""What a history draws at random: jobs, targets, limits and calendars."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import TYPE_CHECKING, Any

from minutehand.domain.calendar import Calendar, CalendarKey, Period, Weekly, merged_periods, merged_weekly
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Backoff, CatchUp, OnBlocked, Overlap, Retry
from minutehand.targets.http.fields import HttpTarget, Mode
from tests.simulation.engine import START

if TYPE_CHECKING:
    from tests.simulation.scenario import Scenario

SELDOM = "4,6,9 9 * * *"
"""Schedules so rare that their occurrences may be moved to another day."""
SCHEDULES = (
    "* * * * *",
    "*/2 * * * *",
    "*/3 * * * *",
    "*/20 * * * * *",
    "@every 15s",
    "@every 45s",
    "@every 2m30s",
    "7 */2 * * * *",
    ("*/3 * * * *", "30 */2 * * * *"),
    ("@every 45s", "*/4 * * * *"),
    SELDOM,
)
CALENDARS = ("mornings", "freeze")
DELAYED = ("@after 20s", "@after 45s")
"""Fixed delays; a job that has one keeps one."""
SHORTEST_DELAY = timedelta(seconds=20)
LIMITS = (None, None, None, 1, 3, 8)
WINDOWS = (timedelta(days=1), timedelta(days=1), timedelta(minutes=2))
"""Oldest missed instants that still run."""
DELAYS = (0, 0, 0, 7, 45, 1200)


def overlap(random: Random, *, delayed: bool) -> Overlap:
    """The overlap policy of a job; `delayed` for a fixed delay."""
    if delayed:
        return random.choice((Overlap.ALLOW, Overlap.SKIP, Overlap.REPLACE))
    return random.choice(list(Overlap)) if random.random() < 0.5 else Overlap.ALLOW


def job(scenario: Scenario, key: JobKey) -> Job:
    """A definition of one of the scenario's jobs."""
    random = scenario.engine.random
    delayed = scenario.delayed[key]
    schedule = random.choice(DELAYED if delayed else SCHEDULES)
    grace = timedelta(seconds=random.choice([15, 60, 120, 300]))
    return Job(
        key=key,
        schedule=schedule,
        target=_target(random),
        misfire_grace=grace,
        catchup_window=max(grace, random.choice(WINDOWS)),
        catch_up=CatchUp.ALL if scenario.backlog else random.choice(list(CatchUp)),
        **({} if scenario.plain or delayed else _limits(random, schedule)),
        max_runs=None if delayed else scenario.limits[key],
        max_concurrency=scenario.crowds.most[key],
        limits=scenario.named_limits[key],
        max_catch_up=random.choice([1, 1, 2] if scenario.backlog else [1, 5, 150]),
        timeout=timedelta(seconds=random.choice([5, 30])),
        run_timeout=random.choice([None, None, timedelta(seconds=40)]),
        retry=Retry(random.choice([1, 1, 3]), Backoff(timedelta(seconds=random.choice([1, 20, 900])))),
        overlap=scenario.overlaps[key],
        start_within=scenario.start_within[key],
        takeovers=random.choice([0, 1, 3]),
        shadow=scenario.shadows.drawn(),
    )


def _target(random: Random) -> HttpTarget:
    mode = random.choice([Mode.AUTO, Mode.AUTO, Mode.CALLBACK])
    heartbeat = timedelta(seconds=random.choice([4, 10])) if mode is Mode.CALLBACK and random.random() < 0.7 else None
    return HttpTarget(method="GET", url="http://sim", mode=mode, heartbeat=heartbeat)


def _limits(random: Random, schedule: str | tuple[str, ...]) -> dict[str, Any]:
    return {
        "calendars": random.choice([(), (), ("mornings",), CALENDARS]),
        "on_blocked": random.choice(list(OnBlocked)) if schedule == SELDOM else OnBlocked.SKIP,
        "start_at": START + timedelta(seconds=random.randint(0, 500)) if random.random() < 0.1 else None,
        "end_at": START + timedelta(seconds=random.randint(300, 900)) if random.random() < 0.1 else None,
        "jitter": timedelta(seconds=random.choice(DELAYS)),
    }


def calendar(random: Random, name: str) -> Calendar:
    """A few blocked ranges of the history, by dates or by hours of the day."""
    begins = [START + timedelta(seconds=random.randint(0, 700)) for _ in range(random.choice([0, 1, 1, 3]))]
    minutes = [random.randint(0, 12) for _ in range(random.choice([0, 0, 1, 2]))]
    second = (START.hour * 60 + START.minute) * 60
    return Calendar(
        key=CalendarKey("sim", name),
        description="",
        dates=(),
        weekly=merged_weekly(Weekly(127, second + m * 60, second + (m + random.randint(1, 4)) * 60) for m in minutes),
        periods=merged_periods(Period(at, at + timedelta(seconds=random.randint(5, 200))) for at in begins),
        revision=1,
        updated_at=START,
        updated_by="sim",
    )
