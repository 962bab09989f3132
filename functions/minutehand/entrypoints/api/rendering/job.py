"""Rendering: jobs as the documents that the API answers."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from minutehand.domain.durations import format_duration
from minutehand.domain.instants import to_text
from minutehand.domain.job import Definition, Job, Retry
from minutehand.domain.target import Target
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions.next_run import NextRunFacts, next_or_why, rule_of_definition

_SUMMARY = ("namespace", "name", "description", "owner", "labels", "schedule", "timezone", "paused")


def job_document(definition: Definition, facts: NextRunFacts, *, now: datetime) -> dict[str, Any]:
    """A job whole, with what its schedule means."""
    status = _status(definition, facts, now) | _meaning(definition) | _family(definition, facts)
    return _definition(definition.job, now) | {"status": status}


def job_summary(definition: Definition, facts: NextRunFacts, *, now: datetime) -> dict[str, Any]:
    """What a list shows of a job."""
    whole = _definition(definition.job, now)
    return {name: whole[name] for name in _SUMMARY} | {
        "target_type": definition.job.target.type,
        "status": _status(definition, facts, now),
    }


def _definition(job: Job, now: datetime) -> dict[str, Any]:
    return {
        "namespace": job.key.namespace,
        "name": job.key.name,
        "description": job.description,
        "owner": job.owner,
        "labels": dict(job.labels),
        "schedule": job.schedule if isinstance(job.schedule, str) else list(job.schedule),
        "timezone": job.timezone,
        "dialect": job.dialect,
        "calendars": list(job.calendars),
        "on_blocked": job.on_blocked.value,
        "start_at": _instant(job.start_at),
        "end_at": _instant(job.end_at),
        "max_runs": job.max_runs,
        "jitter": _duration(job.jitter or None),
        "depends_on": [{"job": str(parent.job), "on": parent.on.value} for parent in job.depends_on],
        "join": job.join.value,
        "join_window": _duration(job.join_window),
        "paused": _paused(job, now),
        "target": _target(job.target),
        "payload": job.payload,
        "misfire_grace": format_duration(job.misfire_grace),
        "catch_up": job.catch_up.value,
        "catchup_window": format_duration(job.catchup_window),
        "max_catch_up": job.max_catch_up,
        "overlap": job.overlap.value,
        "max_concurrency": job.max_concurrency,
        "timeout": format_duration(job.timeout),
        "run_timeout": _duration(job.run_timeout),
        "retry": _retry(job.retry),
        "takeovers": job.takeovers,
        "retention": format_duration(job.retention),
        "retention_count": job.retention_count,
        "record_units": job.record_units,
    }


def _paused(job: Job, now: datetime) -> bool | dict[str, str]:
    """As it is written; a pause that has ended by itself is none."""
    until = job.paused_until
    return {"until": to_text(until)} if until is not None and now < until and not job.paused else job.paused


def _target(target: Target) -> dict[str, Any]:
    if not isinstance(target, HttpTarget):
        raise TypeError(f"targets of type {target.type} have no form yet")
    return {
        "type": target.type,
        "method": target.method,
        "url": target.url,
        "headers": dict(target.headers),
        "mode": target.mode.value,
        "heartbeat": _duration(target.heartbeat),
    }


def _retry(retry: Retry) -> dict[str, Any]:
    backoff = retry.backoff
    return {
        "max_attempts": retry.max_attempts,
        "backoff": {
            "initial": format_duration(backoff.initial),
            "factor": _number(backoff.factor),
            "max": format_duration(backoff.max),
            "jitter": _number(backoff.jitter),
        },
        "retry_on": list(retry.retry_on),
        "give_up_on": list(retry.give_up_on),
    }


def _number(value: float) -> float:
    """As people write it: 2, not 2.0."""
    return int(value) if value == int(value) else value


def _status(definition: Definition, facts: NextRunFacts, now: datetime) -> dict[str, Any]:
    next_run_at, idle_because = next_or_why(definition, facts, now=now)
    timer = facts.timer
    return {
        "revision": definition.revision,
        "updated_at": to_text(definition.updated_at),
        "updated_by": definition.updated_by,
        "next_run_at": _instant(next_run_at),
        "idle_because": idle_because,
        "runs_left": max(timer.runs_left, 0) if isinstance(timer, Timer) and timer.runs_left is not None else None,
    }


def _family(definition: Definition, facts: NextRunFacts) -> dict[str, Any]:
    """Who depends on a job, and on whom it depends in vain."""
    return {
        "children": sorted(map(str, definition.children)),
        "deleted_parents": sorted(map(str, facts.deleted_parents)),
    }


def schedule_document(schedule: Schedule | None) -> dict[str, Any]:
    """What a schedule means: in words, and by which clocks and rules. All null for one that cannot be read."""
    return {
        "description": schedule.describe() if schedule else None,
        "timezone": schedule.timezone if schedule else None,
        "dialect": schedule.dialect if schedule else None,
    }


def _meaning(definition: Definition) -> dict[str, Any]:
    try:
        return schedule_document(rule_of_definition(definition).schedule)
    except ValueError:  # idle_because says so
        return schedule_document(None)


def _duration(duration: timedelta | None) -> str | None:
    return None if duration is None else format_duration(duration)


def _instant(instant: datetime | None) -> str | None:
    return None if instant is None else to_text(instant)
