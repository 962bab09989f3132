"""Contradictions: fields of a job that are valid alone, but not together, as a retention shorter than the time limit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Set
from datetime import timedelta

from minutehand.domain.durations import format_duration
from minutehand.domain.errors import FieldProblem
from minutehand.domain.instants import to_text
from minutehand.domain.job import Job
from minutehand.domain.policies import CatchUp, Join, OnBlocked, Overlap
from minutehand.schedule import Schedule, ScheduleError

_DAY = timedelta(days=1)
_NO_FIXED_DELAY = {
    "calendars": "the next run of a fixed delay is known only when the last one has ended, so a calendar cannot block it ahead",
    "max_runs": "the occurrences of a fixed delay are not counted",
    "jitter": "each run starts after the end of the one before, so jitter has no simultaneous starts to spread",
}
"""Fields that cannot be combined with a fixed delay (`@after`), each with the reason."""


def contradictions(job: Job, *, invalid: Collection[str]) -> Iterator[FieldProblem]:
    """Every contradiction in a job.

    Args:
        job: the job, with defaults in place of invalid fields.
        invalid: the names of the fields that are invalid alone; what compares them is not checked.
    """
    for check, fields in _CONTRADICTIONS.items():
        if fields.isdisjoint(invalid):
            yield from check(job)


def _grace(job: Job) -> Iterator[FieldProblem]:
    yield from _shorter("catchup_window", job.catchup_window, "misfire_grace", job.misfire_grace)


def _start_within(job: Job) -> Iterator[FieldProblem]:
    """Refuse to catch up on all missed occurrences where each would be skipped: it is missed later than it may begin."""
    if job.catch_up is not CatchUp.ALL or job.start_within is None:
        return
    latest, grace = job.start_within + (job.jitter or timedelta(0)), format_duration(job.misfire_grace)
    if latest <= job.misfire_grace:
        message = f"{format_duration(job.start_within)} keeps every missed occurrence from running, since only those later than misfire_grace ({grace}) are missed; but catch_up is all"
        yield FieldProblem("start_within", message, f"give more than {grace}, or catch_up: skip")


def _window(job: Job) -> Iterator[FieldProblem]:
    if job.start_at and job.end_at and job.start_at > job.end_at:
        message = f"{to_text(job.end_at)} is before start_at, which is {to_text(job.start_at)}"
        yield FieldProblem("end_at", message, "give a later end_at")


def _calendars(job: Job) -> Iterator[FieldProblem]:
    if job.on_blocked is not OnBlocked.SKIP and not job.calendars:
        yield FieldProblem(
            "on_blocked", "the job has no calendars", "name its calendars in calendars, or leave on_blocked out"
        )
    yield from _twice("calendars", job.calendars)


def _limits(job: Job) -> Iterator[FieldProblem]:
    yield from _twice("limits", [limit.name for limit in job.limits])


def _fixed_delay(job: Job) -> Iterator[FieldProblem]:
    try:
        delay = Schedule.parse(job.schedule).delay
    except ScheduleError:  # reported by the check of the schedule, or when the job is saved
        return
    if delay is None:
        return
    if job.overlap in (Overlap.QUEUE_ONE, Overlap.QUEUE_ALL):
        message = f"{job.overlap.value} cannot be combined with @after: a fixed delay has one run at a time, and the next is due after its end"
        yield FieldProblem("overlap", message, "leave it out: a run triggered while another is active is skipped")
    for field, why in _NO_FIXED_DELAY.items():
        if getattr(job, field):
            hint = "leave it out, or use @every or a crontab"
            yield FieldProblem(field, f"this cannot be combined with @after: {why}", hint)


def _parents(job: Job) -> Iterator[FieldProblem]:
    if job.depends_on:
        return
    hint = "name the parents in depends_on, or leave it out"
    if job.join is not Join.ALL:
        yield FieldProblem("join", "the job has no parents", hint)
    if job.join_window is not None:
        yield FieldProblem("join_window", "the job has no parents", hint)


def _retries(job: Job) -> Iterator[FieldProblem]:
    backoff = job.retry.backoff
    yield from _shorter("retry.backoff.max", backoff.max, "initial", backoff.initial)
    yield from _twice("retry.retry_on", job.retry.retry_on)
    yield from _twice("retry.give_up_on", job.retry.give_up_on)
    for n, outcome in enumerate(job.retry.give_up_on):
        if outcome in job.retry.retry_on:
            message = f"{outcome} is also in retry_on, and give_up_on wins"
            yield FieldProblem(f"retry.give_up_on[{n}]", message, "name it in one of the two")


def _run_timeout(job: Job) -> Iterator[FieldProblem]:
    if job.run_timeout is not None:
        effect, instead = ": no attempt could take its full timeout", ", or a shorter timeout"
        yield from _shorter("run_timeout", job.run_timeout, "timeout", job.timeout, effect=effect, instead=instead)


def _retention(job: Job) -> Iterator[FieldProblem]:
    longest, limit = max(
        (("timeout", job.timeout), ("run_timeout", job.run_timeout or timedelta(0))), key=lambda each: each[1]
    )
    yield from _shorter("retention", job.retention, longest, limit, effect=": a run could outlive its own record")


def _attempts(job: Job) -> Iterator[FieldProblem]:
    """Compare the retention with the longest a run can take: all attempts at their timeouts, with the longest waits."""
    if job.run_timeout is not None or job.retention < job.timeout:
        return
    backoff, most = job.retry.backoff, job.retry.backoff.max.total_seconds()
    wait, waits = backoff.initial.total_seconds(), 0.0
    for _ in range(job.retry.max_attempts - 1):
        waits += min(wait, most) * (1 + backoff.jitter)
        wait = min(wait * backoff.factor, most)
    longest = job.retry.max_attempts * job.timeout + timedelta(seconds=waits)
    if job.retention < longest:
        retention, days = format_duration(job.retention), format_duration(-(-longest // _DAY) * _DAY)
        message = f"{retention} is shorter than {job.retry.max_attempts} attempts may take with the waits between them: a run could outlive its own record"
        yield FieldProblem("retention", message, f"give {days} or more, or a run_timeout of {retention} or less")


def _shorter(
    path: str, found: timedelta, name: str, limit: timedelta, *, effect: str = "", instead: str = ""
) -> Iterator[FieldProblem]:
    if found < limit:
        least = format_duration(limit)
        message = f"{format_duration(found)} is shorter than {name}, which is {least}{effect}"
        yield FieldProblem(path, message, f"give {least} or more{instead}")


def _twice(path: str, names: Collection[str]) -> Iterator[FieldProblem]:
    seen: set[str] = set()
    for n, name in enumerate(names):
        if name in seen:
            yield FieldProblem(f"{path}[{n}]", f"{name} is named twice", "name it once")
        seen.add(name)


_CONTRADICTIONS: Mapping[Callable[[Job], Iterator[FieldProblem]], Set[str]] = {
    _grace: {"misfire_grace", "catchup_window"},
    _start_within: {"start_within", "misfire_grace", "jitter", "catch_up"},
    _window: {"start_at", "end_at"},
    _calendars: {"calendars", "on_blocked"},
    _limits: {"limits"},
    _fixed_delay: {"schedule", "overlap", *_NO_FIXED_DELAY},
    _parents: {"depends_on", "join", "join_window"},
    _retries: {"retry"},
    _run_timeout: {"timeout", "run_timeout"},
    _retention: {"timeout", "run_timeout", "retention"},
    _attempts: {"timeout", "run_timeout", "retention", "retry"},
}
"""The checks of several fields, each with the fields that it compares. A check is skipped if one of its fields is invalid alone."""
