"""Contradictions: fields of a job that are each well written and do not go together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.deadlines import LONGEST_CALL
from minutehand.domain.durations import format_duration, parse_duration
from minutehand.domain.errors import FieldProblem
from minutehand.domain.instants import from_text, to_text
from minutehand.domain.job import Join, OnBlocked, Overlap
from minutehand.entrypoints.api.forms.job import JobForm
from minutehand.entrypoints.api.forms.parts import PauseForm
from minutehand.schedule import Schedule, ScheduleError
from minutehand.targets.http.fields import Mode

_DAY = timedelta(days=1)
_NO_FIXED_DELAY = {
    "calendars": "where its next run falls is not known before the last one has ended, so nothing can be blocked ahead",
    "max_runs": "the occurrences of a fixed delay are not counted",
    "jitter": "each start is counted from the end of the run before, so there is no crowd to spread",
}
"""Why a fixed delay cannot have them."""


class Contradiction(NamedTuple):
    """A check of several fields.

    Attributes:
        fields: those that it looks at; where one of them is wrong by itself, it is not made.
    """

    fields: frozenset[str]
    check: Callable[[JobForm], Iterator[FieldProblem]]


def contradictions(form: JobForm, *, wrong: Collection[str], now: datetime) -> Iterator[FieldProblem]:
    """All that does not go together in a form, the fields apart that are `wrong` by themselves."""
    for contradiction in _CONTRADICTIONS:
        if contradiction.fields.isdisjoint(wrong):
            yield from contradiction.check(form)
    if "paused" not in wrong:
        yield from _pause(form, now)


def _grace(form: JobForm) -> Iterator[FieldProblem]:
    grace = parse_duration(form.misfire_grace)
    if parse_duration(form.catchup_window) < grace:
        message = f"{form.catchup_window} is shorter than misfire_grace, which is {form.misfire_grace}"
        yield FieldProblem("catchup_window", message, f"give {format_duration(grace)} or more")


def _stretch(form: JobForm) -> Iterator[FieldProblem]:
    if form.start_at and form.end_at and from_text(form.start_at) > from_text(form.end_at):
        yield FieldProblem("end_at", f"{form.end_at} is before start_at, which is {form.start_at}", "give a later one")


def _calendars(form: JobForm) -> Iterator[FieldProblem]:
    if form.on_blocked != OnBlocked.SKIP.value and not form.calendars:
        yield FieldProblem("on_blocked", "no calendar blocks anything", "name the job's calendars, or leave it out")
    yield from _twice("calendars", form.calendars)


def _fixed_delay(form: JobForm) -> Iterator[FieldProblem]:
    try:
        delay = Schedule.parse(form.schedule if isinstance(form.schedule, str) else tuple(form.schedule)).delay
    except ScheduleError:  # told elsewhere, or when it is saved
        return
    if delay is None:
        return
    if form.overlap in (Overlap.QUEUE_ONE.value, Overlap.QUEUE_ALL.value):
        message = f"{form.overlap} does not go with @after: a fixed delay has one run at a time, and the next is due after its end"
        yield FieldProblem("overlap", message, "leave it out: what is asked for by hand meanwhile is skipped")
    for field, why in _NO_FIXED_DELAY.items():
        if getattr(form, field):
            yield FieldProblem(
                field, f"this does not go with @after: {why}", "leave it out, or write @every or a crontab"
            )


def _parents(form: JobForm) -> Iterator[FieldProblem]:
    hint = "name the parents in depends_on, or leave it out"
    if form.depends_on:
        return
    if form.join != Join.ALL.value:
        yield FieldProblem("join", "this job depends on no other", hint)
    if form.join_window is not None:
        yield FieldProblem("join_window", "this job depends on no other", hint)


def _retrying(form: JobForm) -> Iterator[FieldProblem]:
    retry = form.retry
    if "max_attempts" not in retry.model_fields_set and retry.model_fields_set:
        hint = "give 2 or more; the first attempt counts"
        yield FieldProblem("retry.max_attempts", "without it there is one attempt, and nothing is retried", hint)
    initial, longest = parse_duration(retry.backoff.initial), parse_duration(retry.backoff.max)
    if longest < initial:
        message = f"{retry.backoff.max} is shorter than initial, which is {retry.backoff.initial}"
        yield FieldProblem("retry.backoff.max", message, f"give {format_duration(initial)} or more")
    yield from _twice("retry.retry_on", retry.retry_on)
    yield from _twice("retry.give_up_on", retry.give_up_on)
    for n, ending in enumerate(retry.give_up_on):
        if ending in retry.retry_on:
            message = f"{ending} is in retry_on too, and giving up comes first"
            yield FieldProblem(f"retry.give_up_on[{n}]", message, "name it in one of the two")


def _attempt(form: JobForm) -> Iterator[FieldProblem]:
    timeout, target = parse_duration(form.timeout), form.target
    if target.mode == Mode.SYNC.value:
        if timeout > LONGEST_CALL:
            yield FieldProblem(
                "timeout",
                "a synchronous attempt may take 14 minutes at most: a worker is ended after 15, and needs time to report",
                "give 1s to 14m; for longer work leave target.mode out, and let the target answer 202 and report later",
            )
        if target.heartbeat is not None:
            message = "a target whose mode is sync answers with the call, and so has no heartbeat"
            yield FieldProblem("target.heartbeat", message, "leave it out, or make target.mode auto or callback")
    elif target.heartbeat is not None and parse_duration(target.heartbeat) >= timeout:
        message = (
            f"{target.heartbeat} is not shorter than timeout, which is {form.timeout}: no heartbeat could be missed"
        )
        yield FieldProblem("target.heartbeat", message, "give a shorter one, or a longer timeout")


def _whole_run(form: JobForm) -> Iterator[FieldProblem]:
    if form.run_timeout is not None and parse_duration(form.run_timeout) < parse_duration(form.timeout):
        message = f"{form.run_timeout} is shorter than timeout, which is {form.timeout}: no attempt could take so long"
        yield FieldProblem("run_timeout", message, f"give {form.timeout} or more, or a shorter timeout")


def _record(form: JobForm) -> Iterator[FieldProblem]:
    longest = max(("timeout", "run_timeout"), key=lambda name: parse_duration(getattr(form, name) or "0s"))
    limit = getattr(form, longest)
    if parse_duration(form.retention) < parse_duration(limit):
        message = f"{form.retention} is shorter than {longest}, which is {limit}: a run could outlive its own record"
        yield FieldProblem("retention", message, f"give {limit} or more")


def _tries(form: JobForm) -> Iterator[FieldProblem]:
    """A run without a limit is over when its attempts are."""
    retention, timeout = parse_duration(form.retention), parse_duration(form.timeout)
    if form.run_timeout is not None or retention < timeout:
        return
    backoff, most = form.retry.backoff, parse_duration(form.retry.backoff.max).total_seconds()
    wait, waits = parse_duration(backoff.initial).total_seconds(), 0.0
    for _ in range(form.retry.max_attempts - 1):
        waits += min(wait, most) * (1 + backoff.jitter)
        wait = min(wait * backoff.factor, most)
    longest = form.retry.max_attempts * timeout + timedelta(seconds=waits)
    if retention < longest:
        days = format_duration(-(-longest // _DAY) * _DAY)
        message = f"{form.retention} is shorter than {form.retry.max_attempts} attempts may take with the waits between them: a run could outlive its own record"
        yield FieldProblem("retention", message, f"give {days} or more, or a run_timeout of {form.retention} or less")


def _pause(form: JobForm, now: datetime) -> Iterator[FieldProblem]:
    if isinstance(form.paused, PauseForm) and from_text(form.paused.until) <= now:
        message = f"{form.paused.until} is not ahead: it is {to_text(now.replace(microsecond=0))}"
        yield FieldProblem("paused.until", message, "give a later instant, or write false")


def _twice(path: str, names: Collection[str]) -> Iterator[FieldProblem]:
    seen: set[str] = set()
    for n, name in enumerate(names):
        if name in seen:
            yield FieldProblem(f"{path}[{n}]", f"{name} is named twice", "name it once")
        seen.add(name)


_CONTRADICTIONS = (
    Contradiction(frozenset(("misfire_grace", "catchup_window")), _grace),
    Contradiction(frozenset(("start_at", "end_at")), _stretch),
    Contradiction(frozenset(("calendars", "on_blocked")), _calendars),
    Contradiction(frozenset(("schedule", "overlap", *_NO_FIXED_DELAY)), _fixed_delay),
    Contradiction(frozenset(("depends_on", "join", "join_window")), _parents),
    Contradiction(frozenset(("retry",)), _retrying),
    Contradiction(frozenset(("timeout", "target")), _attempt),
    Contradiction(frozenset(("timeout", "run_timeout")), _whole_run),
    Contradiction(frozenset(("timeout", "run_timeout", "retention")), _record),
    Contradiction(frozenset(("timeout", "run_timeout", "retention", "retry")), _tries),
)
