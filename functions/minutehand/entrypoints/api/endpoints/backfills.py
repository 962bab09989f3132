"""The endpoints of backfills."""

from __future__ import annotations

import secrets

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.backfill import Backfill, BackfillState
from minutehand.entrypoints.api.call import Call, answered, page
from minutehand.entrypoints.api.documents.backfill import BackfillDocument, BackfillExtentDocument
from minutehand.entrypoints.api.documents.requests import BackfillRequest
from minutehand.entrypoints.api.forms.invalid import read_body
from minutehand.entrypoints.api.forms.request import limit_of
from minutehand.entrypoints.api.problems import invalid_as_bad_request
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.operations.trigger import identity_of


def start_backfill(call: Call) -> Response[str]:
    """Start a backfill of a job's past range, only once for each idempotency key. With `dry_run`, answer what it would replay."""
    request = read_body(call.event, BackfillRequest)
    spec = BackfillSpec(
        start=request.start,
        end=request.end,
        order=request.order,
        concurrency=request.concurrency,
        ignore_overlap=request.ignore_overlap,
    )
    if request.dry_run:
        found = backfill.preview(call.ports, call.key, spec, only_if=call.only_if)
        extent = BackfillExtentDocument(
            start=spec.start, end=spec.end, occurrences=found.total, first=found.first, last=found.last
        )
        return answered(200, extent)
    identity = identity_of(call.idempotency_key or secrets.token_hex(16))
    started = backfill.start(call.ports, call.key, spec, identity=identity, who=call.actor, only_if=call.only_if)
    if started.created:
        call.log("backfill", backfill=started.backfill.id, occurrences=started.backfill.total)
    return answered(202 if started.created else 200, backfill_document(started.backfill))


def list_backfills(call: Call) -> Response[str]:
    """List a job's backfills, newest first, even after the job was deleted."""
    limit = limit_of(call.query, 20)
    with invalid_as_bad_request():
        found = call.ports.backfills.page(call.key, limit, call.query.get("cursor"))
    if not found.items:
        call.require_job()
    return page(map(backfill_document, found.items), found.next)


def get_backfill(call: Call) -> Response[str]:
    """Get a backfill with its progress."""
    return answered(200, backfill_document(backfill.get(call.ports, call.key, call.path["backfill_id"])))


def cancel_backfill(call: Call) -> Response[str]:
    """Stop a backfill and cancel its runs that have not started."""
    found = backfill.cancel(call.ports, call.key, call.path["backfill_id"], who=call.actor)
    call.log("cancel", backfill=found.id)
    return answered(200, backfill_document(found))


def backfill_document(found: Backfill) -> BackfillDocument:
    """The document of a backfill, with its progress."""
    deleted = "the job was deleted; the remaining occurrences were not run"
    reason = f"cancelled by {found.cancelled_by}" if found.cancelled_by else deleted
    return BackfillDocument(
        id=found.id,
        job=found.job,
        start=found.start,
        end=found.end,
        order=found.order,
        concurrency=found.concurrency,
        ignore_overlap=found.ignore_overlap,
        state=found.state,
        occurrences=found.total,
        remaining=found.remaining,
        active=tuple(found.run(instant).run_id for instant in sorted(found.active)),
        ended=dict(sorted(found.counts.items(), key=lambda each: each[0].value)),
        created_at=found.created_at,
        created_by=found.created_by,
        finished_at=found.finished_at,
        reason=reason if found.state is BackfillState.CANCELLED else None,
    )
