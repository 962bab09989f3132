"""The endpoints of jobs."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.conversion import shown
from minutehand.domain.definition import Definition
from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call, answered, page
from minutehand.entrypoints.api.documents.requests import ResumeRequest
from minutehand.entrypoints.api.endpoints.backfills import backfill_document
from minutehand.entrypoints.api.forms.accept import accept, accept_pause
from minutehand.entrypoints.api.forms.invalid import read_body
from minutehand.entrypoints.api.forms.request import (
    flag_of,
    instant_of,
    jobs_of,
    json_object,
    limit_of,
    number_of,
    optional_object,
)
from minutehand.entrypoints.api.problems import invalid_as_bad_request
from minutehand.entrypoints.api.rendering.job import (
    ahead_document,
    edit_document,
    job_document,
    job_summary,
    warning_documents,
)
from minutehand.usecases.authorize import require
from minutehand.usecases.definitions import manage
from minutehand.usecases.definitions.next_run import next_run_facts
from minutehand.usecases.definitions.preview import ahead_of, edit_of
from minutehand.usecases.operations.resume import resume

_COMING = 10
"""Default number of next runs."""


def put_job(call: Call) -> Response[str]:
    """Save a job, or with `dry_run` answer what would be saved and when it would run.

    A dry run takes the jobs in `expected` as existing. Both answer warnings about the schedule.
    """
    dry_run = flag_of(call.query, "dry_run")
    document = json_object(call.event)
    job = accept(document, call.key, call.deployment.terms, now=call.ports.clock())
    for parent in job.depends_on:  # its runs receive their results
        require(call.caller, Role.VIEWER, parent.job.namespace)
    # Without a field `paused`, the stored job's pause is kept.
    how: dict[str, Any] = {"keep_paused": "paused" not in document, "who": call.caller.name}
    expected = jobs_of(call.query, "expected", dry_run=dry_run)
    if dry_run:
        saved = manage.preview(call.ports, job, expected=expected, **how)
    else:
        saved = manage.save(call.ports, job, **how)
    if saved.changed and not dry_run:
        call.log("save", revision=saved.definition.revision, new=saved.created)
    answer = _document(call, saved.definition, preview=dry_run)
    zone = job.timezone if "timezone" in document else None
    answer["warnings"] = list(map(shown, warning_documents(job, now=call.ports.clock(), timezone=zone)))
    if dry_run:
        answer["preview"] = shown(edit_document(edit_of(call.ports, saved, count=_COMING)))
    return answered(201 if saved.created and not dry_run else 200, answer)


def get_job(call: Call) -> Response[str]:
    """Get a job, with its next run or why it has none."""
    return answered(200, _document(call, manage.get(call.ports, call.key)))


def next_runs(call: Call) -> Response[str]:
    """List a job's next runs, and the occurrences that calendars or clock changes skip."""
    count = number_of(call.query, "count", _COMING, "not a number of runs")
    after = instant_of(call.query, "after")
    ports, definition = call.ports, manage.get(call.ports, call.key)
    with invalid_as_bad_request():
        ahead = ahead_of(ports, definition, after=after or ports.clock(), count=count)
    return answered(200, ahead_document(ahead))


def delete_job(call: Call) -> Response[str]:
    """Delete a job. Its runs stay readable until their retention ends."""
    manage.delete(call.ports, call.key, who=call.caller.name)
    call.log("delete")
    return answered(204)


def list_jobs(call: Call) -> Response[str]:
    """List a namespace's jobs by name."""
    ports = call.ports
    limit = limit_of(call.query, 50)
    with invalid_as_bad_request():
        found = ports.definitions.page(call.namespace, limit, call.query.get("cursor"))
    now = ports.clock()
    seen = next_run_facts(ports, found.items, timers=False)
    items = [job_summary(each, seen[each.job.key], now=now) for each in found.items]
    return page(items, found.next)


def pause_job(call: Call) -> Response[str]:
    """Pause a job until it is resumed, or until an instant in the body."""
    until = accept_pause(optional_object(call.event))
    paused = manage.pause(call.ports, call.key, until=until, who=call.caller.name)
    if paused.changed:
        call.log("pause", revision=paused.definition.revision)
    return answered(200, _document(call, paused.definition))


def resume_job(call: Call) -> Response[str]:
    """Resume a paused job; with `catch_up`, replay occurrences of the pause."""
    catch_up = read_body(call.event, ResumeRequest).catch_up
    resumed = resume(call.ports, call.key, catch_up=catch_up, who=call.caller.name)
    if resumed.saved.changed:
        call.log("resume", revision=resumed.saved.definition.revision, catch_up=catch_up.value)
    caught_up = shown(backfill_document(resumed.backfill)) if resumed.backfill else None
    return answered(200, _document(call, resumed.saved.definition) | {"backfill": caught_up})


def _document(call: Call, definition: Definition, *, preview: bool = False) -> dict[str, Any]:
    facts = next_run_facts(call.ports, [definition], timers=not preview)[definition.job.key]
    if preview:  # the stored timer belongs to the stored definition, not to the previewed one
        facts = facts._replace(timer=None)
    return job_document(definition, facts, now=call.ports.clock())
