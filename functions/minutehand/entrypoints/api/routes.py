"""The API's routes: one table of methods, paths, roles, query parameters, and documents taken and answered.

The template's REST paths, the SDK's paths and the API reference are checked against it (`make lint`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call
from minutehand.entrypoints.api.documents.backfill import BackfillDocument
from minutehand.entrypoints.api.documents.calendar import CalendarDocument, CalendarSummaryDocument
from minutehand.entrypoints.api.documents.explanation import ExplanationDocument
from minutehand.entrypoints.api.documents.job import JobDocument, JobSummaryDocument
from minutehand.entrypoints.api.documents.namespace import NamespaceDocument
from minutehand.entrypoints.api.documents.next_runs import NextRunsDocument
from minutehand.entrypoints.api.documents.requests import (
    BackfillRequest,
    PauseRequest,
    ProgressRequest,
    RedriveRequest,
    ReportRequest,
    ResumeRequest,
    TriggerRequest,
)
from minutehand.entrypoints.api.documents.run import OutputDocument, RunDocument, StandingDocument
from minutehand.entrypoints.api.documents.service import HealthDocument, ShardsDocument
from minutehand.entrypoints.api.endpoints import (
    backfills,
    calendars,
    callbacks,
    explain,
    jobs,
    namespaces,
    runs,
    service,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """One route: a method and a path.

    Attributes:
        path: as in template.yaml, with placeholders such as `{name}`.
        role: the least role of a caller's token; None if no token is required.
        answer: the endpoint.
        query: the known query parameters; any other is refused.
        takes: the type of its body; None for no body.
        answers: the type of its answer; None for no body.
        listed: whether it answers a page of them.
        checks_names: whether the endpoint itself checks the names in the path, together with the body.
    """

    method: str
    path: str
    role: Role | None
    answer: Callable[[Call], Response[str]]
    query: tuple[str, ...] = ()
    takes: type | None = None
    answers: type | None = None
    listed: bool = False
    checks_names: bool = False

    def match(self, path: str) -> re.Match[str] | None:
        """Match a path, with the placeholders as groups."""
        return re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path) + "/?", path)


_NAMESPACE = "/v1/namespaces/{namespace}"
_JOBS = f"{_NAMESPACE}/jobs"
_JOB = f"{_JOBS}/{{name}}"
_RUNS = f"{_JOB}/runs"
_RUN = f"{_RUNS}/{{run_id}}"
_BACKFILLS = f"{_JOB}/backfills"
_BACKFILL = f"{_BACKFILLS}/{{backfill_id}}"
_CALENDARS = f"{_NAMESPACE}/calendars"
_CALENDAR = f"{_CALENDARS}/{{name}}"
_ATTEMPT = "/v1/callbacks/{namespace}/{name}/{run_id}/{attempt}"
_PAGE = ("limit", "cursor")
"""The parameters of a list."""
_V, _O, _A = Role.VIEWER, Role.OPERATOR, Role.ADMIN


def _get(path: str, role: Role | None, answer: Callable[[Call], Response[str]], answers: type, *query: str) -> Route:
    return Route(method="GET", path=path, role=role, answer=answer, answers=answers, query=query)


def _list(path: str, answer: Callable[[Call], Response[str]], answers: type, *query: str) -> Route:
    return Route(method="GET", path=path, role=_V, answer=answer, answers=answers, listed=True, query=(*_PAGE, *query))


def _put(path: str, answer: Callable[[Call], Response[str]], document: type, *query: str) -> Route:
    return Route(
        method="PUT",
        path=path,
        role=_A,
        answer=answer,
        takes=document,
        answers=document,
        query=query,
        checks_names=True,
    )


def _post(
    path: str, role: Role | None, answer: Callable[[Call], Response[str]], takes: type | None, answers: type
) -> Route:
    return Route(method="POST", path=path, role=role, answer=answer, takes=takes, answers=answers)


ROUTES = (
    _get("/v1/health", None, service.health, HealthDocument),
    _get(_NAMESPACE, _V, namespaces.get_namespace, NamespaceDocument),
    _put(_NAMESPACE, namespaces.put_namespace, NamespaceDocument),
    _post(f"{_NAMESPACE}/pause", _O, namespaces.pause_namespace, PauseRequest, NamespaceDocument),
    _post(f"{_NAMESPACE}/resume", _O, namespaces.resume_namespace, None, NamespaceDocument),
    _list(_JOBS, jobs.list_jobs, JobSummaryDocument),
    _get(_JOB, _V, jobs.get_job, JobDocument),
    _put(_JOB, jobs.put_job, JobDocument, "dry_run", "expected"),
    Route(method="DELETE", path=_JOB, role=_A, answer=jobs.delete_job),
    _get(f"{_JOB}/next", _V, jobs.next_runs, NextRunsDocument, "count", "after"),
    _get(f"{_JOB}/explain", _V, explain.explain_job, ExplanationDocument, "at", "from", "to"),
    _post(f"{_JOB}/pause", _O, jobs.pause_job, PauseRequest, JobDocument),
    _post(f"{_JOB}/resume", _O, jobs.resume_job, ResumeRequest, JobDocument),
    _post(f"{_JOB}/trigger", _O, runs.trigger_job, TriggerRequest, RunDocument),
    Route(
        method="POST",
        path=f"{_JOB}/redrive",
        role=_A,
        answer=runs.redrive_job,
        query=_PAGE,
        takes=RedriveRequest,
        answers=RunDocument,
        listed=True,
    ),
    _list(_RUNS, runs.list_runs, RunDocument, "state"),
    _get(_RUN, _V, runs.get_run, RunDocument),
    _get(f"{_RUN}/output", _V, runs.get_output, OutputDocument, "attempt"),
    _post(f"{_RUN}/cancel", _O, runs.cancel_run, None, RunDocument),
    _list(_BACKFILLS, backfills.list_backfills, BackfillDocument),
    _post(_BACKFILLS, _O, backfills.start_backfill, BackfillRequest, BackfillDocument),
    _get(_BACKFILL, _V, backfills.get_backfill, BackfillDocument),
    _post(f"{_BACKFILL}/cancel", _O, backfills.cancel_backfill, None, BackfillDocument),
    _list(_CALENDARS, calendars.list_calendars, CalendarSummaryDocument),
    _get(_CALENDAR, _V, calendars.get_calendar, CalendarDocument),
    _put(_CALENDAR, calendars.put_calendar, CalendarDocument, "dry_run"),
    Route(method="DELETE", path=_CALENDAR, role=_A, answer=calendars.delete_calendar),
    _post(f"{_ATTEMPT}/report", None, callbacks.report, ReportRequest, StandingDocument),
    _post(f"{_ATTEMPT}/progress", None, callbacks.progress, ProgressRequest, StandingDocument),
    _post(f"{_ATTEMPT}/heartbeat", None, callbacks.heartbeat, ProgressRequest, StandingDocument),
    _get("/v1/shards", _A, service.get_shards, ShardsDocument),
)
"""Every route of the API."""
