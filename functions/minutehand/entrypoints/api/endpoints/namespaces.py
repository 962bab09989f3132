"""The endpoints of namespaces: the settings and pauses that apply to all jobs of a namespace."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.audit import Action
from minutehand.domain.namespace import Namespace
from minutehand.domain.quota import UNLIMITED
from minutehand.entrypoints.api.call import Call, answered, page
from minutehand.entrypoints.api.documents.namespace import (
    NamespaceDocument,
    NamespacePauseDocument,
    NamespaceStatusDocument,
)
from minutehand.entrypoints.api.documents.requests import NamespaceRedriveRequest, ShadowRequest
from minutehand.entrypoints.api.forms.accept import accept_namespace, accept_pause
from minutehand.entrypoints.api.forms.filters import cursor_at, place_of
from minutehand.entrypoints.api.forms.invalid import read_body
from minutehand.entrypoints.api.forms.request import json_object, limit_of, optional_object
from minutehand.entrypoints.api.problems import invalid_as_bad_request
from minutehand.entrypoints.api.rendering.run import run_document
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.operations import redrive


def list_namespaces(call: Call) -> Response[str]:
    """List the namespaces that the token may see and that have, or had, a job, a quota or settings: their settings, quotas and pauses."""
    limit, after = limit_of(call.query, 50), place_of(call.event, call.query, "namespaces") or ""
    names = [name for name in call.visible() if name > after]
    shown, more = names[:limit], len(names) > limit
    stored = call.ports.namespaces.get(shown)
    items = [_document(call, stored.get(name) or Namespace(name=name)) for name in shown]
    return page(items, cursor_at(shown[-1] if more else None, call.event, call.query, "namespaces"))


def get_namespace(call: Call) -> Response[str]:
    """Get a namespace's settings, quota and pauses."""
    return _answered(call, namespaces.get(call.ports, call.namespace))


def put_namespace(call: Call) -> Response[str]:
    """Replace a namespace's settings. A paused namespace stays paused, and one in shadow stays in shadow. Its quota stays."""
    settings = accept_namespace(json_object(call.event), call.namespace)
    limited = namespaces.limit(
        call.ports, call.namespace, settings.max_concurrency, who=call.actor, only_if=call.only_if
    )
    return _changed(call, "save", limited)


def pause_namespace(call: Call) -> Response[str]:
    """Pause a namespace's jobs until it is resumed, or until an instant in the body."""
    until = accept_pause(optional_object(call.event))
    paused = namespaces.pause(call.ports, call.namespace, until=until, who=call.actor, only_if=call.only_if)
    return _changed(call, "pause", paused)


def resume_namespace(call: Call) -> Response[str]:
    """Resume a paused namespace."""
    resumed = namespaces.resume(call.ports, call.namespace, who=call.actor, only_if=call.only_if)
    return _changed(call, "resume", resumed)


def shadow_namespace(call: Call) -> Response[str]:
    """Put a namespace's jobs in shadow, so that they call no target, or take them out of it. Runs that have begun continue."""
    on = read_body(call.event, ShadowRequest).shadow
    changed = namespaces.shadow(call.ports, call.namespace, on=on, who=call.actor, only_if=call.only_if)
    return _changed(call, "shadow", changed)


def redrive_namespace(call: Call) -> Response[str]:
    """Send all overdue runs of a namespace to the workers again; with `lost`, replace lost runs with new ones."""
    request = read_body(call.event, NamespaceRedriveRequest)
    limit, cursor = limit_of(call.query, 20), call.query.get("cursor")
    call.only_if.check(namespaces.version_of(namespaces.get(call.ports, call.namespace)), f"namespace {call.namespace}")
    with invalid_as_bad_request():
        redriven = redrive.redrive_namespace(call.ports, call.namespace, lost=request.lost, limit=limit, cursor=cursor)
    runs = [f"{run.key.job} {run.key.run_id}" for run in redriven.runs]
    call.log("redrive", what="namespace", lost=request.lost, runs=runs)
    call.record(Action.REDRIVE, runs=runs, lost=request.lost)
    return page(map(run_document, redriven.runs), redriven.next)


def _changed(call: Call, action: str, saved: namespaces.Saved) -> Response[str]:
    if saved.changed:
        call.log(action, what="namespace", revision=saved.namespace.revision)
    return _answered(call, saved.namespace)


def _answered(call: Call, namespace: Namespace) -> Response[str]:
    return answered(200, _document(call, namespace), namespaces.version_of(namespace))


def _document(call: Call, namespace: Namespace) -> NamespaceDocument:
    paused = namespace.paused(call.ports.clock())
    return NamespaceDocument(
        namespace=namespace.name,
        max_concurrency=namespace.max_concurrency,
        status=NamespaceStatusDocument(
            paused=paused is not None,
            paused_until=paused.until if paused else None,
            pauses=tuple(
                NamespacePauseDocument(begun=each.begun, who=each.who, ends=each.ends, ended_by=each.ended_by or None)
                for each in reversed(namespace.pauses)
            ),
            quota=None if namespace.quota == UNLIMITED else namespace.quota.limits,
            shadow=namespace.shadow,
            revision=namespace.revision,
            updated_at=namespace.updated_at,
            updated_by=namespace.updated_by or None,
        ),
    )
