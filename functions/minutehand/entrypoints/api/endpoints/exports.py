"""The endpoints that export what people declared, and import it into another stack."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.declaration.conversion import shown
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import from_text, to_text
from minutehand.domain.job_document import job_document, paused_of
from minutehand.domain.namespace import Namespace
from minutehand.domain.token import Role
from minutehand.entrypoints.api.bulk import Budget, Change, Entry, jobs_in_order, of_change
from minutehand.entrypoints.api.call import MOST_BYTES, Call, answered, page
from minutehand.entrypoints.api.documents.export import ExportedDocument, ImportRequest
from minutehand.entrypoints.api.documents.requests import PauseRequest
from minutehand.entrypoints.api.endpoints.calendars import calendar_document
from minutehand.entrypoints.api.forms.accept import accept_calendar, accept_namespace
from minutehand.entrypoints.api.forms.filters import cursor_at, no_cursor, place_of
from minutehand.entrypoints.api.forms.invalid import name_problem, problems_in, read_body
from minutehand.entrypoints.api.forms.request import json_kind, limit_of
from minutehand.entrypoints.api.problems import BadRequest, invalid_as_bad_request, problem_document
from minutehand.entrypoints.api.saving import SaveOptions, save_job
from minutehand.usecases.authorize import require
from minutehand.usecases.definitions import calendars
from minutehand.usecases.definitions.named_limits import Others
from minutehand.usecases.definitions.read_ahead import read_ahead
from minutehand.usecases.definitions.restore import Settings, restore_namespace, still_paused
from minutehand.usecases.definitions.revise import NeverRuns
from minutehand.usecases.queries.export import CALENDARS, JOBS, Exported, ExportPlace, export_page

_LISTING = "export"


def export(call: Call) -> Response[str]:
    """Export jobs, calendars, settings and pauses of a namespace, or of all that the token may see."""
    limit, place = limit_of(call.query, 50), place_of(call.event, call.query, _LISTING)
    begin = None if place is None else _read_place(place)
    with invalid_as_bad_request():
        found = export_page(call.ports, _namespaces(call), begin=begin, limit=limit)
    items: list[dict[str, Any]] = []
    following, size = found.following, 0
    for count, each in enumerate(found.items):
        items.append(_exported(each, call.ports.clock()))
        size += len(json.dumps(items[-1]))
        if size > MOST_BYTES and each.following is not None and count + 1 < len(found.items):
            following = each.following
            break
    written = None if following is None else "/".join(following)
    return page(items, cursor_at(written, call.event, call.query, _LISTING))


def import_all(call: Call) -> Response[str]:
    """Save exported jobs, calendars, settings and pauses, each by itself.

    The answer is 200 even if things are refused: each has a result. Sending the request again changes nothing more.
    """
    request = read_body(call.event, ImportRequest)
    budget = Budget(call)
    found: dict[int, dict[str, Any]] = {}
    entries = {
        kind: [Entry(each.document, n) for n, each in enumerate(request.items) if each.kind == kind]
        for kind in ("namespace", "calendar", "job")
    }
    for entry in entries["namespace"]:
        found[entry.place] = budget.spend(call, entry, lambda each: _import_namespace(call, each)) | {"name": ""}
    for entry in entries["calendar"]:
        found[entry.place] = budget.spend(call, entry, lambda each: _import_calendar(call, each))
    others = Others(call.ports)
    found |= jobs_in_order(
        call, entries["job"], lambda over, each: _import_job(over, each, others), budget, ahead=read_ahead
    )
    items = [{"kind": each.kind} | found[n] for n, each in enumerate(request.items)]
    refused = sum(item["result"] == "refused" for item in items)
    return answered(200, {"items": items, "refused": refused, "left": budget.left})


def _namespaces(call: Call) -> tuple[str, ...]:
    name = call.query.get("namespace")
    if name is None:
        return tuple(call.visible())
    require(call.caller, Role.VIEWER, name)
    if problem := name_problem("namespace", name):
        raise BadRequest(problem)
    return (name,)


def _read_place(text: str) -> ExportPlace:
    namespace, _, rest = text.partition("/")
    stage, _, after = rest.partition("/")
    if stage not in (CALENDARS, JOBS):
        raise no_cursor()
    return ExportPlace(namespace, stage, after)


def _exported(each: Exported, now: datetime) -> dict[str, Any]:
    thing = each.thing
    if isinstance(thing, Namespace):
        pause = thing.paused(now)
        until = None if pause is None or pause.until is None else {"until": to_text(pause.until)}
        paused = until or pause is not None
        document = {
            "namespace": thing.name,
            "max_concurrency": thing.max_concurrency,
            "paused": paused,
            "shadow": thing.shadow,
        }
        return shown(ExportedDocument(kind="namespace", document=document))
    if isinstance(thing, Calendar):
        document = shown(calendar_document(thing))
        del document["status"]
        return shown(ExportedDocument(kind="calendar", document=document))
    return shown(ExportedDocument(kind="job", document=job_document(thing.job) | {"paused": paused_of(thing.job, now)}))


def _import_namespace(call: Call, entry: Entry) -> Change:
    name, document = entry.key.namespace, dict(entry.document)
    paused = still_paused(document.pop("paused", False), call.ports.clock())
    shadow = document.pop("shadow", False)
    problems = [*_pause_problems(paused), *_shadow_problems(shadow)]
    try:
        settings = accept_namespace(document, name)
    except Invalid as error:
        raise Invalid(*error.problems, *problems) from None
    if problems:
        raise Invalid(*problems)
    until = from_text(paused["until"]) if isinstance(paused, Mapping) else None
    wanted = Settings(settings.max_concurrency, shadow, until or paused)
    restored = restore_namespace(call.ports, name, wanted, who=call.actor)
    if restored.changed:
        call.log("save", what="namespace", named=name, revision=restored.namespace.revision)
    result = of_change(created=restored.created, changed=restored.changed)
    return Change(result, restored.namespace.revision)


def _import_calendar(call: Call, entry: Entry) -> Change:
    key = CalendarKey(*entry.key)
    saved = calendars.save(call.ports, key, accept_calendar(entry.document, key), who=call.actor)
    if saved.changed:
        call.log("save", what="calendar", named=str(key), revision=saved.calendar.revision, new=saved.created)
    return Change(of_change(created=saved.created, changed=saved.changed), saved.calendar.revision)


def _import_job(call: Call, entry: Entry, others: Others) -> Change:
    document = dict(entry.document)
    if "paused" in document:
        document["paused"] = still_paused(document["paused"], call.ports.clock())
    try:
        done = save_job(call, document, entry.key, SaveOptions(keep_shadow=True, others=others))
    except NeverRuns as over:
        _, problem = problem_document(over, request_id=call.request_id, document=document)
        return Change("over", None, (), {"problem": shown(problem)})
    result = of_change(created=done.saved.created, changed=done.saved.changed)
    return Change(result, done.saved.definition.revision, done.warnings)


def _shadow_problems(shadow: Any) -> Iterator[FieldProblem]:
    if not isinstance(shadow, bool):
        yield FieldProblem("shadow", f"this must be true or false, not {json_kind(shadow)}", "leave out quotes")


def _pause_problems(paused: Any) -> Iterator[FieldProblem]:
    if isinstance(paused, Mapping):
        for problem in problems_in(paused, PauseRequest):
            yield problem._replace(path=f"paused.{problem.path}")
    elif not isinstance(paused, bool):
        message = f'this must be true, false or {{"until": …}}, not {json_kind(paused)}'
        yield FieldProblem("paused", message, "leave out quotes")
