"""Example values for tests of the rules and use cases; the day is 2026-11-20 and the zone UTC."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from minutehand.domain.definition import Definition, Revision
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule
from minutehand.targets.http.fields import HttpTarget

DAY = date(2026, 11, 20)
KEY = JobKey(namespace="shop", name="report")
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)


def at(text: str) -> datetime:
    """The instant of `09:00`, `09:00:30` or `09:00:30.250` on the day."""
    return datetime.combine(DAY, time.fromisoformat(text), UTC)


def compiled(schedule: str) -> str:
    """A schedule's stored form."""
    return Schedule.parse(schedule).encode()


def job(schedule: str = "* * * * *", **fields: Any) -> Job:
    """A job, by default due each minute."""
    return replace(Job(key=KEY, schedule=schedule, target=HttpTarget(method="GET", url="https://shop.test/")), **fields)


def timer(next_at: str | datetime | None, schedule: str = "* * * * *", **fields: Any) -> Timer:
    """A timer with a grace of 5 minutes, and of what is later the latest within an hour runs."""
    return replace(
        Timer(
            job=KEY,
            revision=1,
            next_at=at(next_at) if isinstance(next_at, str) else next_at,
            rule=compiled(schedule),
            target="http",
            misfire_grace=5 * MINUTE,
            catch_up=CatchUp.LATEST,
            catchup_window=60 * MINUTE,
            retention=timedelta(days=30),
        ),
        **fields,
    )


def revision(number: int, effective_from: str, schedule: str | None = "* * * * *", **fields: Any) -> Revision:
    """A revision that names a schedule's instants, or nothing."""
    encoded = None if schedule is None else compiled(schedule)
    return Revision(number=number, effective_from=at(effective_from), rule=encoded, **fields)


def paused_revision(number: int, effective_from: str, until: str) -> Revision:
    """A revision that names every minute from an instant on, for being paused up to it."""
    schedule = OccurrenceRule(schedule=Schedule.parse("* * * * *"), start_at=at(until)).encode()
    return Revision(number=number, effective_from=at(effective_from), rule=schedule, paused_until=at(until))


def definition(*revisions: Revision, deleted: bool = False, **fields: Any) -> Definition:
    """A job with these revisions; without any, one that has named each minute since eight."""
    known = revisions or (revision(1, "08:00"),)
    return Definition(
        job=job(**fields),
        revision=known[-1].number,
        created_at=known[0].effective_from,
        updated_at=known[-1].effective_from,
        updated_by="ada",
        revisions=known,
        deleted=deleted,
    )


def run(scheduled_for: str = "09:00", **fields: Any) -> Run:
    """A run as a claim under revision 1 leaves it."""
    instant = at(scheduled_for)
    return replace(
        Run(
            key=RunKey.scheduled(KEY, instant),
            target="http",
            revision=1,
            claimed_at=instant - MINUTE,
            expires_at=instant + timedelta(days=30),
        ),
        **fields,
    )
