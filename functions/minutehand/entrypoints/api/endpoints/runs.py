"""The endpoints of runs."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.audit import Action
from minutehand.domain.errors import FieldProblem, Invalid, NotFound
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.entrypoints.api.call import Call, answered, page
from minutehand.entrypoints.api.documents.requests import RUN_ID, PurgeRequest, RedriveRequest, TriggerRequest
from minutehand.entrypoints.api.documents.run import PurgedDocument
from minutehand.entrypoints.api.forms.filters import given_interval_of
from minutehand.entrypoints.api.forms.invalid import read_body
from minutehand.entrypoints.api.forms.request import (
    limit_of,
    number_of,
    optional_object,
    states_of,
)
from minutehand.entrypoints.api.problems import invalid_as_bad_request
from minutehand.entrypoints.api.rendering.run import output_document, run_document, whole_document
from minutehand.entrypoints.metrics import count_end
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.operations.purge import purge
from minutehand.usecases.operations.redrive import Redriven, redrive, redrive_lost, redrive_lost_one, redrive_one
from minutehand.usecases.operations.trigger import payload_of, trigger
from minutehand.usecases.ports.stores import Payload
from minutehand.usecases.queries.lock_waits import LockWait, lock_waits
from minutehand.usecases.queries.run_nodes import nodes_of
from minutehand.usecases.queries.show_output import show_output
from minutehand.usecases.queries.slot_holders import slot_holders


def trigger_job(call: Call) -> Response[str]:
    """Start a run of a job now, only one for each idempotency key. The body may replace the job's payload."""
    request = read_body(call.event, TriggerRequest)
    payload = Payload(request.payload) if "payload" in optional_object(call.event) else None
    if request.payload_of is not None:
        if payload is not None:
            raise Invalid(FieldProblem("payload_of", "`payload` is given, too", "send one of the two"))
        payload = payload_of(call.ports, RunKey(call.key, request.payload_of))
    triggered = trigger(
        call.ports,
        call.key,
        idempotency_key=call.idempotency_key or secrets.token_hex(16),
        who=call.actor,
        payload=payload,
        ignore_overlap=request.ignore_overlap,
        only_node=request.node or "",
        only_if=call.only_if,
    )
    if triggered.created:
        call.log("trigger", run_id=triggered.run.key.run_id)
    return _whole(call, triggered.run, 202 if triggered.created else 200)


def list_runs(call: Call) -> Response[str]:
    """List a job's runs, newest first, optionally of an interval or in one state, even after the job was deleted."""
    limit, states = limit_of(call.query, 20), states_of(call.query)
    within = given_interval_of(call.query)
    with invalid_as_bad_request():
        found = call.ports.runs.page(call.key, limit, call.query.get("cursor"), states, within)
    if not found.items:
        call.require_job()
    return page(map(run_document, found.items), found.next)


def get_run(call: Call) -> Response[str]:
    """Get a run with its attempts and its result or error. Of a long output, the result has only the end."""
    run = run_of(call)
    holders = slot_holders(call.ports, [run]).get(run.key)
    wait = lock_waits(call.ports, call.key, [run]).get(run.key)
    return _whole(call, run, 200, holders, wait)


def cancel_run(call: Call) -> Response[str]:
    """Cancel a run: at once if it waits for a start, a retry or an answer without heartbeats, else when worker or target checks."""
    key, begun = _run_key(call), call.ports.clock()
    run = cancel(call.ports, key, who=call.actor)
    if run.finished_at is not None and run.finished_at >= begun:  # it was not cancelled before
        count_end(run)
    call.log("cancel", run_id=key.run_id, state=run.state.value)
    return _whole(call, run, 200 if run.state.finished else 202)


def redrive_job(call: Call) -> Response[str]:
    """Send all overdue runs of a job, or one, to the workers again; with `lost`, replace lost runs with new ones."""
    request = read_body(call.event, RedriveRequest)
    limit, cursor = limit_of(call.query, 20), call.query.get("cursor")
    call.require_job()
    if request.run_id is not None:
        key = RunKey(job=call.key, run_id=request.run_id)
        redriven = Redriven([(redrive_lost_one if request.lost else redrive_one)(call.ports, key)], None)
    else:
        with invalid_as_bad_request():
            redriven = (redrive_lost if request.lost else redrive)(call.ports, call.key, limit=limit, cursor=cursor)
    run_ids = [run.key.run_id for run in redriven.runs]
    call.log("redrive", lost=request.lost, run_ids=run_ids)
    call.record(Action.REDRIVE, runs=run_ids, lost=request.lost)
    return page(map(run_document, redriven.runs), redriven.next)


def purge_job(call: Call) -> Response[str]:
    """Remove a job's runs for good, with their payloads and outputs, page by page; also those of a deleted job."""
    request = read_body(call.event, PurgeRequest)
    limit, cursor = limit_of(call.query, 100), call.query.get("cursor")
    call.require_job()
    with invalid_as_bad_request():
        purged = purge(call.ports, call.key, before=request.before, limit=limit, cursor=cursor)
    touched = [*purged.removed, *purged.emptied]
    call.log("purge", removed=len(purged.removed), emptied=len(purged.emptied))
    call.record(Action.PURGE, runs=touched)
    return answered(200, PurgedDocument(**purged._asdict()))


def get_output(call: Call) -> Response[str]:
    """Get the whole output of an attempt, or a link to it."""
    run = run_of(call)
    attempt = number_of(call.query, "attempt", max(run.attempt, 1), "not an attempt number")
    shown = show_output(call.ports.outputs, run, attempt)
    return answered(200, output_document(run, shown))


def run_of(call: Call) -> Run:
    """The run that the path names. Raises NotFound if there is none."""
    key = _run_key(call)
    run = call.ports.runs.get([key]).get(key)
    if run is None:
        raise _no_run(call)
    return run


def _run_key(call: Call) -> RunKey:
    if not RUN_ID.fullmatch(call.path["run_id"]):
        raise _no_run(call)
    return RunKey(job=call.key, run_id=call.path["run_id"])


def _no_run(call: Call) -> NotFound:
    return NotFound(f"there is no run {call.path['run_id']!r:.80} of job {call.key}, or its retention is over")


def _whole(
    call: Call, run: Run, status: int, holders: Sequence[Run] | None = None, wait: LockWait | None = None
) -> Response[str]:
    output = call.ports.outputs.get(run.key, run.attempt) if run.detailed else None
    return answered(status, whole_document(run, output, holders, wait, nodes_of(call.ports, run)))
