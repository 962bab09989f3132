"""The endpoints of backfills."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.backfill import Backfill, BackfillState, Extent, Order
from minutehand.domain.errors import Invalid, NotFound
from minutehand.domain.instants import from_text, to_text
from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call, Endpoint, answered
from minutehand.entrypoints.api.forms.reading import idempotency_key, limit_of, no_body
from minutehand.entrypoints.api.forms.requests import BackfillRequest, read_request
from minutehand.entrypoints.api.problems import BadRequest
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.operations.trigger import identity_of

_BACKFILLS = "/v1/namespaces/{namespace}/jobs/{name}/backfills"


def start_backfill(call: Call) -> Response[str]:
    """Replay a range of a job's past, once per idempotency key; with `dry_run`, answer what that would be."""
    key = idempotency_key(call.event)
    form = read_request(call.event, BackfillRequest)
    asked = BackfillSpec(
        start=from_text(form.start),
        end=from_text(form.end),
        order=Order(form.order),
        concurrency=form.concurrency,
        ignore_overlap=form.ignore_overlap,
    )
    if form.dry_run:
        return answered(200, extent_document(asked, backfill.preview(call.ports, call.key, asked)))
    started = backfill.start(call.ports, call.key, asked, identity=identity_of(key), who=call.caller.name)
    if started.created:
        call.log("backfill", backfill=started.backfill.id, occurrences=started.backfill.total)
    return answered(202 if started.created else 200, backfill_document(started.backfill))


def list_backfills(call: Call) -> Response[str]:
    """A job's backfills, newest first; also those that a deleted job left."""
    limit = limit_of(call.query, 20)
    try:
        page = call.ports.backfills.page(call.key, limit, call.query.get("cursor"))
    except Invalid as error:
        raise BadRequest(*error.problems) from None
    if not page.items and call.key not in call.ports.definitions.get([call.key]):
        raise NotFound(f"there is no job {call.key}, and there never was one")
    return answered(200, {"items": [backfill_document(found) for found in page.items], "next": page.next})


def get_backfill(call: Call) -> Response[str]:
    """A backfill, with how far it has come."""
    return answered(200, backfill_document(backfill.get(call.ports, call.key, call.backfill_id)))


def cancel_backfill(call: Call) -> Response[str]:
    """Take nothing more, and cancel what waits."""
    no_body(call.event)
    found = backfill.cancel(call.ports, call.key, call.backfill_id, who=call.caller.name)
    call.log("cancel", backfill=found.id)
    return answered(200, backfill_document(found))


def backfill_document(found: Backfill) -> dict[str, Any]:
    """A backfill, with how far it has come."""
    return {
        "id": found.id,
        "job": str(found.job),
        "from": to_text(found.start),
        "to": to_text(found.end),
        "order": found.order.value,
        "concurrency": found.concurrency,
        "ignore_overlap": found.ignore_overlap,
        "state": found.state.value,
        "occurrences": found.total,
        "remaining": found.remaining,
        "active": [found.run(instant).run_id for instant in sorted(found.active)],
        "ended": {state.value: count for state, count in sorted(found.counts.items(), key=lambda each: each[0].value)},
        "created_at": to_text(found.created_at),
        "created_by": found.created_by,
        "finished_at": to_text(found.finished_at) if found.finished_at else None,
        "reason": _reason(found),
    }


def extent_document(asked: BackfillSpec, found: Extent) -> dict[str, Any]:
    """What a range would come to."""
    return {
        "from": to_text(asked.start),
        "to": to_text(asked.end),
        "occurrences": found.total,
        "first": to_text(found.first),
        "last": to_text(found.last),
    }


def _reason(found: Backfill) -> str | None:
    if found.state is not BackfillState.CANCELLED:
        return None
    if found.cancelled_by:
        return f"cancelled by {found.cancelled_by}"
    return "the job was deleted; what was left was not run"


BACKFILLS = (
    Endpoint(method="POST", path=_BACKFILLS, role=Role.OPERATOR, answer=start_backfill),
    Endpoint(
        method="GET", path=_BACKFILLS, role=Role.VIEWER, answer=list_backfills, query=frozenset(("limit", "cursor"))
    ),
    Endpoint(method="GET", path=f"{_BACKFILLS}/{{backfill_id}}", role=Role.VIEWER, answer=get_backfill),
    Endpoint(method="POST", path=f"{_BACKFILLS}/{{backfill_id}}/cancel", role=Role.OPERATOR, answer=cancel_backfill),
)
