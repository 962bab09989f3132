"""The endpoints of quotas: what the operator of the deployment allows a namespace."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.namespace import Namespace
from minutehand.domain.quota import UNLIMITED
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.namespace import QuotaDocument, QuotaUseDocument
from minutehand.entrypoints.api.forms.accept import accept_quota
from minutehand.entrypoints.api.forms.request import json_object
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.queries.quota_use import quota_use


def get_quota(call: Call) -> Response[str]:
    """Get a namespace's quota, and how much of it is used now."""
    return _answered(call, namespaces.get(call.ports, call.namespace))


def put_quota(call: Call) -> Response[str]:
    """Replace a namespace's quota. Jobs and attempts that exceed it already stay."""
    limits = accept_quota(json_object(call.event), call.namespace).limits
    saved = namespaces.set_quota(call.ports, call.namespace, limits, who=call.actor, only_if=call.only_if)
    if saved.changed:
        call.log("quota", what="namespace", revision=saved.namespace.revision)
    return _answered(call, saved.namespace)


def delete_quota(call: Call) -> Response[str]:
    """Remove a namespace's quota."""
    saved = namespaces.set_quota(call.ports, call.namespace, UNLIMITED, who=call.actor, only_if=call.only_if)
    if saved.changed:
        call.log("remove_quota", what="namespace", revision=saved.namespace.revision)
    return answered(204)


def _answered(call: Call, namespace: Namespace) -> Response[str]:
    used = quota_use(call.ports, namespace)
    document = QuotaDocument(
        namespace=namespace.name,
        limits=namespace.quota.limits,
        used=QuotaUseDocument(jobs=used.jobs, runs_this_minute=used.runs_this_minute),
    )
    return answered(200, document, namespaces.version_of(namespace))
