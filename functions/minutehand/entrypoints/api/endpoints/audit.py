"""The endpoint of records of changes."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.audit import Action, AuditRecord
from minutehand.entrypoints.api.call import Call, page
from minutehand.entrypoints.api.documents.audit import AuditRecordDocument
from minutehand.entrypoints.api.forms.invalid import name_problem
from minutehand.entrypoints.api.forms.request import instant_of, limit_of
from minutehand.entrypoints.api.problems import BadRequest, bad_request, invalid_as_bad_request
from minutehand.entrypoints.api.rendering.differences import difference_documents
from minutehand.usecases.ports.audits import Wanted
from minutehand.usecases.queries.audit import audit_of_all


def list_audit(call: Call) -> Response[str]:
    """List who changed what, newest first: in a namespace, or by turns in all. A page may be short or empty without being the last."""
    limit, cursor, namespace = limit_of(call.query, 50), call.query.get("cursor"), call.query.get("namespace")
    wanted = _wanted(call, namespace)
    with invalid_as_bad_request():
        found = (
            audit_of_all(call.ports, call.audits, wanted, limit, cursor)
            if namespace is None
            else call.audits.page(namespace, wanted, limit, cursor)
        )
    return page(map(_document, found.items), found.next)


def _wanted(call: Call, namespace: str | None) -> Wanted:
    """The parameters of the request. Raises BadRequest."""
    given = {name: call.query[name] for name in ("namespace", "job") if name in call.query}
    if wrong := [found for name, text in given.items() if (found := name_problem(name, text))]:
        raise BadRequest(*wrong)
    if "job" in given and namespace is None:
        raise bad_request("job", "this requires a namespace", "give the job's namespace too")
    action = call.query.get("action")
    if action is not None and action not in {each.value for each in Action}:
        known = ", ".join(each.value for each in Action)
        raise bad_request("action", f"{action!r:.60} is not an action", f"give one of: {known}")
    return Wanted(
        job=given.get("job", ""),
        actor=call.query.get("actor", ""),
        action=Action(action) if action is not None else None,
        start=instant_of(call.query, "from"),
        end=instant_of(call.query, "to"),
    )


def _document(record: AuditRecord) -> AuditRecordDocument:
    actor = record.actor
    return AuditRecordDocument(
        at=record.at,
        actor=actor.name,
        actor_id=actor.token_id or None,
        address=actor.address or None,
        client=actor.client or None,
        request_id=actor.request or None,
        action=record.action,
        namespace=record.namespace,
        job=record.job or None,
        calendar=record.calendar or None,
        revision=record.revision,
        about=dict(record.about),
        changes=difference_documents(record.changes),
        changes_left_out=record.left_out,
    )
