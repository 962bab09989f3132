"""From a form, all of whose fields are valid, to the job that it means."""

from __future__ import annotations

from datetime import datetime, timedelta

from minutehand.domain.durations import parse_duration
from minutehand.domain.instants import from_text
from minutehand.domain.job import Backoff, CatchUp, Dependency, Job, JobKey, Join, On, OnBlocked, Overlap, Retry
from minutehand.entrypoints.api.forms.job import JobForm
from minutehand.entrypoints.api.forms.parts import DependencyForm, PauseForm, RetryForm, TargetForm
from minutehand.targets.http.fields import HttpTarget, Mode


def job_of(form: JobForm, key: JobKey) -> Job:
    """The job; parents without a namespace are in its own."""
    return Job(
        key=key,
        description=form.description,
        owner=form.owner,
        labels=tuple(sorted(form.labels.items())),
        schedule=form.schedule if isinstance(form.schedule, str) else tuple(form.schedule),
        timezone=form.timezone,
        dialect=form.dialect,
        calendars=tuple(sorted(form.calendars)),
        on_blocked=OnBlocked(form.on_blocked),
        start_at=_instant(form.start_at),
        end_at=_instant(form.end_at),
        max_runs=form.max_runs,
        jitter=_duration(form.jitter) or timedelta(0),
        depends_on=tuple(_dependency(parent, key.namespace) for parent in form.depends_on),
        join=Join(form.join),
        join_window=_duration(form.join_window),
        paused=form.paused is True,
        paused_until=_instant(form.paused.until) if isinstance(form.paused, PauseForm) else None,
        target=_target(form.target),
        payload=form.payload,
        misfire_grace=parse_duration(form.misfire_grace),
        catch_up=CatchUp(form.catch_up),
        catchup_window=parse_duration(form.catchup_window),
        max_catch_up=form.max_catch_up,
        overlap=Overlap(form.overlap),
        max_concurrency=form.max_concurrency,
        timeout=parse_duration(form.timeout),
        run_timeout=_duration(form.run_timeout),
        retry=_retry(form.retry),
        takeovers=form.takeovers,
        retention=parse_duration(form.retention),
        retention_count=form.retention_count,
        record_units=form.record_units,
    )


def _dependency(form: DependencyForm, namespace: str) -> Dependency:
    there, _, name = form.job.rpartition("/")
    return Dependency(job=JobKey(namespace=there or namespace, name=name), on=On(form.on))


def _target(form: TargetForm) -> HttpTarget:
    return HttpTarget(
        method=form.method,
        url=form.url,
        headers=tuple(sorted(form.headers.items())),
        mode=Mode(form.mode),
        heartbeat=_duration(form.heartbeat),
    )


def _retry(form: RetryForm) -> Retry:
    backoff = Backoff(
        initial=parse_duration(form.backoff.initial),
        factor=float(form.backoff.factor),
        max=parse_duration(form.backoff.max),
        jitter=float(form.backoff.jitter),
    )
    return Retry(form.max_attempts, backoff, tuple(form.retry_on), tuple(form.give_up_on))


def _instant(text: str | None) -> datetime | None:
    return None if text is None else from_text(text)


def _duration(text: str | None) -> timedelta | None:
    return None if text is None else parse_duration(text)
