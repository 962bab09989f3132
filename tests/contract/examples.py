"""Values that are stored in tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from minutehand.domain.calendar import Calendar, CalendarKey, DateRange, Period, Weekly
from minutehand.domain.definition import Definition, Revision
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Backoff, CatchUp, Dependency, Join, NamedLimit, On, OnBlocked, Overlap, Retry
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Deadline, Recheck, Timer
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.ports.job_change import Change

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
MILLISECONDS = timedelta(milliseconds=123)
SCHEDULE = "a compiled schedule: opaque to stores"
BLOCKED: Mapping[str, Any] = {"calendars": ("holidays", "inventory"), "on_blocked": OnBlocked.NEXT_DAY}
"""Fields of a job with calendars, which must exist before it is saved."""

DEPENDENT: Mapping[str, Any] = {
    "depends_on": (Dependency(JobKey("shop", "extract"), On.SUCCESS), Dependency(JobKey("shop", "load"), On.END)),
    "join": Join.ANY,
    "join_window": timedelta(days=1),
}
"""Fields of a job with parents, which must exist before it is saved."""
RESULT = Result(type="http", status=200, body="größe ✓\x00")
ERROR = RunError(type="TimeoutError", message="no answer", stack="line 1\n\tline 2")


def run_at(job: JobKey, instant: datetime = NINE, **fields: Any) -> Run:
    """A run as a claim makes it."""
    return replace(
        Run(
            key=RunKey.scheduled(job, instant),
            target="http",
            revision=1,
            claimed_at=NINE - MINUTE + MILLISECONDS,
            expires_at=instant + timedelta(days=30),
        ),
        **fields,
    )


def started(run: Run, *, nonce: str = "worker-1", attempt: int = 1) -> Run:
    """The run with an attempt under way."""
    return replace(
        run,
        state=RunState.RUNNING,
        attempt=attempt,
        nonce=nonce,
        lease_until=NINE + MINUTE + MILLISECONDS,
        started_at=NINE + MILLISECONDS,
        lateness=MILLISECONDS,
    )


def triggered(job: JobKey, key: str = "abc", instant: datetime = NINE, **fields: Any) -> tuple[Run, Deadline]:
    """A run as a trigger makes it, and its deadline."""
    run = run_at(job, instant, key=RunKey.triggered(job, instant, key), claimed_at=instant, **fields)
    return run, Deadline(run=run.key, next_at=instant + MINUTE)


def timer_of(job: JobKey, *, next_at: datetime | None = NINE, revision: int = 1, **fields: Any) -> Timer:
    """A job's own timer."""
    timer = Timer(
        job=job,
        revision=revision,
        next_at=next_at,
        rule=SCHEDULE,
        target="http",
        misfire_grace=timedelta(minutes=7),
        catch_up=CatchUp.ALL,
        catchup_window=timedelta(hours=11),
        retention=timedelta(days=13),
    )
    return replace(timer, **fields)


def definition_of(job: JobKey, *, revision: int = 1, deleted: bool = False, **fields: Any) -> Definition:
    """A definition with every field but those of `BLOCKED` and `DEPENDENT` set to something else than its default."""
    full = Job(
        key=job,
        schedule=("*/5 * * * *", "0 12 * * SAT"),
        target=HttpTarget(
            method="POST",
            url="https://example.org/höök",
            headers=(("X-Kind", "a"), ("X-Other", "b")),
            mode=Mode.CALLBACK,
            heartbeat=45 * SECOND,
        ),
        description="Sends the report — every five minutes",
        owner="ada",
        labels=(("team", "data"), ("tier", "1")),
        timezone="Europe/Berlin",
        dialect="robfig",
        start_at=NINE - 30 * HOUR,
        end_at=NINE + 3000 * HOUR,
        max_runs=77,
        jitter=90 * SECOND,
        paused=True,
        paused_until=NINE + 70 * HOUR,
        payload={"list": [1, 2.5, None, True, "ü"], "empty": {}},
        misfire_grace=timedelta(minutes=7),
        catch_up=CatchUp.ALL,
        catchup_window=timedelta(hours=11),
        max_catch_up=7,
        timeout=timedelta(seconds=17),
        run_timeout=timedelta(hours=3),
        retry=Retry(5, Backoff(3 * SECOND, 1.5, HOUR, 0.25), ("5xx", "timed_out"), ("501",)),
        overlap=Overlap.QUEUE_ONE,
        start_within=timedelta(hours=1),
        max_concurrency=3,
        limits=(NamedLimit("db", 3), NamedLimit("licence", 1)),
        retention_count=99,
        record_units=True,
        shadow=True,
        takeovers=5,
        retention=timedelta(days=13),
    )
    return Definition(
        job=replace(full, **fields),
        revision=revision,
        created_at=NINE + MILLISECONDS,
        updated_at=NINE + HOUR + MILLISECONDS,
        updated_by="ada's token",
        revisions=tuple(
            Revision(
                number=number,
                effective_from=NINE + number * MINUTE,
                rule=SCHEDULE if number % 2 else None,
                paused_until=NINE + HOUR if number % 3 == 0 else None,
            )
            for number in range(1, revision + 1)
        ),
        deleted=deleted,
    )


def creation(job: JobKey, *, next_at: datetime | None = NINE, **fields: Any) -> Change:
    """The change that creates a job."""
    return Change(
        before=None,
        after=definition_of(job, **fields),
        timer_before=None,
        timer_after=timer_of(job, next_at=next_at),
        recheck=None,
    )


def edit(job: JobKey, *, read: datetime | None = NINE, next_at: datetime | None = NINE + HOUR) -> Change:
    """The change from revision 1, whose timer was read at `read`, to revision 2."""
    return Change(
        before=definition_of(job),
        after=definition_of(job, revision=2),
        timer_before=timer_of(job, next_at=read),
        timer_after=timer_of(job, next_at=next_at, revision=2),
        recheck=None,
    )


def deletion(job: JobKey, *, read: datetime | None = NINE) -> Change:
    """The change that deletes a job in revision 1, whose timer was read at `read`."""
    return Change(
        before=definition_of(job),
        after=definition_of(job, revision=2, deleted=True),
        timer_before=timer_of(job, next_at=read),
        timer_after=None,
        recheck=None,
    )


def calendar_of(key: CalendarKey, **fields: Any) -> Calendar:
    """A calendar that blocks by dates, by days of the week and by periods, far and near ones."""
    return Calendar(
        key=key,
        description="Wenn niemand da ist — auch über Nacht",
        dates=(
            DateRange(date.min, date.min),
            DateRange(date(2026, 12, 24), date(2027, 1, 2)),
            DateRange(date.max, date.max),
        ),
        weekly=(Weekly(0b1000001), Weekly(0b0100000, 18 * 3600, 86_399)),
        periods=(
            Period(datetime(1914, 7, 28, tzinfo=UTC), datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)),
            Period(NINE, NINE + HOUR),
        ),
        revision=1,
        updated_at=NINE + MILLISECONDS,
        updated_by="ada's token",
    )._replace(**fields)


def recheck_of(job: JobKey, *, next_at: datetime = NINE + MINUTE) -> Recheck:
    """A recheck of the hour up to nine."""
    return Recheck(job=job, after=NINE - HOUR, until=NINE, next_at=next_at)
