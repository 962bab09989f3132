"""The endpoints of jobs."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.declaration.conversion import shown
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.job import NextRunsDocument
from minutehand.entrypoints.api.documents.requests import ResumeRequest
from minutehand.entrypoints.api.endpoints.backfills import backfill_document
from minutehand.entrypoints.api.forms.accept import accept_pause
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
from minutehand.entrypoints.api.rendering.schedule import coming_document, meaning_of
from minutehand.entrypoints.api.saving import COMING, SaveOptions, answered_save, described_job, save_job
from minutehand.usecases.definitions import manage
from minutehand.usecases.definitions.asked import version_of
from minutehand.usecases.operations.resume import resume
from minutehand.usecases.queries.next_run import facts_of
from minutehand.usecases.queries.preview import ahead_of


def put_job(call: Call) -> Response[str]:
    """Save a job, or with `dry_run` answer what would be saved and when it would run.

    A dry run treats the jobs in `expected` as if they existed. A save and a dry run both answer warnings about the schedule and the limits.
    """
    dry_run = dry_run_of(call.query)
    expected = expected_of(call.query, dry_run=dry_run)
    how = SaveOptions(only_if=call.only_if, dry_run=dry_run, expected=expected)
    return answered_save(save_job(call, json_object(call.event), call.key, how))


def get_job(call: Call) -> Response[str]:
    """Get a job, with its next run or why it has none."""
    definition, overview = manage.overview(call.ports, call.key)
    facts = facts_of(call.ports, definition, overview)
    return answered(200, described_job(call, definition, facts), version_of(definition))


def next_runs(call: Call) -> Response[str]:
    """List a job's next runs, and the occurrences that calendars or clock changes skip."""
    count = number_of(call.query, "count", COMING, "not a number of runs")
    after = instant_of(call.query, "after")
    ports, definition = call.ports, manage.get(call.ports, call.key)
    with invalid_as_bad_request():
        ahead = ahead_of(ports, definition, after=after or ports.clock(), count=count)
    meaning = meaning_of(ahead.rule.schedule if ahead.rule else None)
    document = NextRunsDocument(
        meaning=meaning,
        coming=coming_document(ahead),
        idle_because=ahead.idle_because,
        shadow_of=ahead.shadow_of,
    )
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
    return answered(200, described_job(call, paused.definition), version_of(paused.definition))


def resume_job(call: Call) -> Response[str]:
    """Resume a paused job; with `catch_up`, replay occurrences of the pause."""
    catch_up = read_body(call.event, ResumeRequest).catch_up
    resumed = resume(call.ports, call.key, catch_up=catch_up, who=call.actor, only_if=call.only_if)
    if resumed.saved.changed:
        call.log("resume", revision=resumed.saved.definition.revision, catch_up=catch_up.value)
    caught_up = shown(backfill_document(resumed.backfill)) if resumed.backfill else None
    definition = resumed.saved.definition
    return answered(200, described_job(call, definition) | {"backfill": caught_up}, version_of(definition))
