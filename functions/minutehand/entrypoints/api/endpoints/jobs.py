"""The endpoints of jobs."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.declaration.conversion import shown
from minutehand.domain.definition import Definition
from minutehand.domain.instants import SECOND
from minutehand.domain.job_document import paused_of
from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.job import (
    BlockedRunsDocument,
    ComingDocument,
    ComingRunDocument,
    EditDocument,
    JobDocument,
    JobStatusDocument,
    NextRunsDocument,
    PreviewDocument,
    ScheduleDocument,
    SkippedTimesDocument,
)
from minutehand.entrypoints.api.documents.requests import ResumeRequest
from minutehand.entrypoints.api.endpoints.backfills import backfill_document
from minutehand.entrypoints.api.forms.accept import accept, accept_pause
from minutehand.entrypoints.api.forms.invalid import read_body
from minutehand.entrypoints.api.forms.request import (
    dry_run_of,
    expected_of,
    instant_of,
    json_object,
    number_of,
    optional_object,
)
from minutehand.entrypoints.api.problems import invalid_as_bad_request
from minutehand.entrypoints.api.rendering.job import status_of
from minutehand.entrypoints.api.rendering.warnings import limit_warnings, schedule_warnings
from minutehand.schedule import Schedule, wall_clock
from minutehand.usecases.authorize import require
from minutehand.usecases.definitions import manage
from minutehand.usecases.definitions.asked import version_of
from minutehand.usecases.definitions.named_limits import disagreements
from minutehand.usecases.operations.resume import resume
from minutehand.usecases.queries.next_run import next_run_facts, rule_of_definition
from minutehand.usecases.queries.preview import Ahead, Edit, ahead_of, edit_of

_COMING = 10
"""Number of next runs in an answer, unless the request gives one."""


def put_job(call: Call) -> Response[str]:
    """Save a job, or with `dry_run` answer what would be saved and when it would run.

    A dry run treats the jobs in `expected` as if they existed. A save and a dry run both answer warnings about the schedule and the limits.
    """
    return save_job(call, json_object(call.event), dry_run=dry_run_of(call.query))


def save_job(
    call: Call, document: dict[str, Any], *, dry_run: bool = False, restored: int | None = None
) -> Response[str]:
    """Check a job's document and save it, or answer what would be saved. See `put_job`, and `manage.save` for `restored`."""
    job = accept(document, call.key, call.deployment.terms, now=call.ports.clock())
    for parent in job.depends_on:  # the job's target receives the results of its parents' runs
        require(call.caller, Role.VIEWER, parent.job.namespace)
    # Without a field `paused`, the stored job's pause is kept.
    how: dict[str, Any] = {"keep_paused": "paused" not in document, "who": call.actor, "only_if": call.only_if}
    expected = expected_of(call.query, dry_run=dry_run)
    if dry_run:
        saved = manage.preview(call.ports, job, expected=expected, **how)
    else:
        saved = manage.save(call.ports, job, restored=restored, **how)
    if saved.changed and not dry_run:
        if restored is None:
            call.log("save", revision=saved.definition.revision, new=saved.created)
        else:
            call.log("restore", revision=saved.definition.revision, new=saved.created, restored=restored)
    answer = _document(call, saved.definition, preview=dry_run)
    zone = job.timezone if "timezone" in document else None
    warnings = [
        *schedule_warnings(job, now=call.ports.clock(), timezone=zone),
        *limit_warnings(disagreements(call.ports, job)),
    ]
    answer["warnings"] = list(map(shown, warnings))
    if dry_run:
        answer["preview"] = shown(_preview(edit_of(call.ports, saved, count=_COMING)))
    status = 201 if saved.created and not dry_run else 200
    return answered(status, answer, None if dry_run else version_of(saved.definition))


def get_job(call: Call) -> Response[str]:
    """Get a job, with its next run or why it has none."""
    definition = manage.get(call.ports, call.key)
    return answered(200, _document(call, definition), version_of(definition))


def next_runs(call: Call) -> Response[str]:
    """List a job's next runs, and the occurrences that calendars or clock changes skip."""
    count = number_of(call.query, "count", _COMING, "not a number of runs")
    after = instant_of(call.query, "after")
    ports, definition = call.ports, manage.get(call.ports, call.key)
    with invalid_as_bad_request():
        ahead = ahead_of(ports, definition, after=after or ports.clock(), count=count)
    meaning = _meaning(ahead.rule.schedule if ahead.rule else None)
    document = NextRunsDocument(meaning=meaning, coming=_coming(ahead), idle_because=ahead.idle_because)
    return answered(200, document)


def delete_job(call: Call) -> Response[str]:
    """Delete a job. Its runs stay readable until their retention ends."""
    manage.delete(call.ports, call.key, who=call.actor, only_if=call.only_if)
    call.log("delete")
    return answered(204)


def pause_job(call: Call) -> Response[str]:
    """Pause a job until it is resumed, or until an instant in the body."""
    until = accept_pause(optional_object(call.event))
    paused = manage.pause(call.ports, call.key, until=until, who=call.actor, only_if=call.only_if)
    if paused.changed:
        call.log("pause", revision=paused.definition.revision)
    return answered(200, _document(call, paused.definition), version_of(paused.definition))


def resume_job(call: Call) -> Response[str]:
    """Resume a paused job; with `catch_up`, replay occurrences of the pause."""
    catch_up = read_body(call.event, ResumeRequest).catch_up
    resumed = resume(call.ports, call.key, catch_up=catch_up, who=call.actor, only_if=call.only_if)
    if resumed.saved.changed:
        call.log("resume", revision=resumed.saved.definition.revision, catch_up=catch_up.value)
    caught_up = shown(backfill_document(resumed.backfill)) if resumed.backfill else None
    definition = resumed.saved.definition
    return answered(200, _document(call, definition) | {"backfill": caught_up}, version_of(definition))


def _document(call: Call, definition: Definition, *, preview: bool = False) -> dict[str, Any]:
    """A job with its status and the meaning of its schedule."""
    facts = next_run_facts(call.ports, [definition], timers=not preview)[definition.job.key]
    if preview:  # the stored timer belongs to the stored definition, not to the previewed one
        facts = facts._replace(timer=None)
    now = call.ports.clock()
    try:
        meaning = _meaning(rule_of_definition(definition).schedule)
    except ValueError:  # the schedule cannot be read; the status says so in idle_because
        meaning = _meaning(None)
    status = JobStatusDocument(
        summary=status_of(definition, facts, now),
        meaning=meaning,
        children=tuple(child for child in sorted(definition.children) if call.caller.may(Role.VIEWER, child.namespace)),
        deleted_parents=tuple(sorted(facts.deleted_parents)),
    )
    return shown(JobDocument(job=definition.job, status=status)) | {"paused": paused_of(definition.job, now)}


def _meaning(schedule: Schedule | None) -> ScheduleDocument:
    """The meaning of a schedule: a description, the time zone and the dialect."""
    if schedule is None:
        return ScheduleDocument()
    return ScheduleDocument(description=schedule.describe(), timezone=schedule.timezone, dialect=schedule.dialect)


def _preview(edit: Edit) -> PreviewDocument:
    """The field `preview` of a dry run's answer."""
    diff, found = None, edit.difference
    if found:
        days = (found.until - edit.start) / timedelta(days=1)
        diff = EditDocument(
            start=edit.start,
            until=found.until,
            added_per_day=round(found.added / days, 2),
            removed_per_day=round(found.removed / days, 2),
            kept_per_day=round(found.kept / days, 2),
        )
    return PreviewDocument(coming=_coming(edit.ahead), diff=diff)


def _coming(ahead: Ahead) -> ComingDocument:
    clock = wall_clock(ahead.rule.schedule.timezone if ahead.rule else "UTC")

    def local(instant: datetime) -> str:
        """The local time with its offset: `2026-11-20T18:00:00+09:00`."""
        offset = (clock.local(instant) - instant.replace(tzinfo=None)) // SECOND
        return instant.astimezone(timezone(timedelta(seconds=offset))).isoformat()

    notes = {note.at: note.text for note in ahead.notes if note.skipped is None}
    return ComingDocument(
        items=tuple(
            ComingRunDocument(
                at=each.at,
                local=local(each.at),
                starts_at=each.starts_at,
                moved=each.moved_from is not None,
                moved_from=each.moved_from,
                note=notes.get(each.at),
                estimated=each.estimated,
            )
            for each in ahead.occurrences
        ),
        blocked=tuple(
            BlockedRunsDocument(
                at=blocked.first,
                local=local(blocked.first),
                until=blocked.until,
                times=blocked.times,
                calendar=blocked.calendar,
                moved_to=blocked.moved_to,
            )
            for blocked in ahead.blocked
        ),
        skipped=tuple(
            SkippedTimesDocument(
                at=note.at,
                local=note.skipped.isoformat(),
                timezone=note.timezone,
                times=note.times,
                note=note.text,
            )
            for note in ahead.notes
            if note.skipped is not None
        ),
        cut=ahead.cut,
    )
