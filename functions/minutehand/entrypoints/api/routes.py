"""The API's routes: a table of methods, paths, roles, endpoints, query parameters, and the documents in requests and answers.

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
from minutehand.entrypoints.api.documents.endpoints import (
    JobEndpointsDocument,
    RegistrationDocument,
    RegistrationRequest,
)
from minutehand.entrypoints.api.documents.explanation import ExplanationDocument
from minutehand.entrypoints.api.documents.job import JobDocument, JobSummaryDocument, NextRunsDocument
from minutehand.entrypoints.api.documents.namespace import NamespaceDocument
from minutehand.entrypoints.api.documents.requests import (
    BackfillRequest,
    NamespaceRedriveRequest,
    PauseRequest,
    ProgressRequest,
    RedriveRequest,
    ReportRequest,
    ResumeRequest,
    TriggerRequest,
)
from minutehand.entrypoints.api.documents.run import OutputDocument, RunDocument, StandingDocument
from minutehand.entrypoints.api.documents.service import HealthDocument, ShardsDocument
from minutehand.entrypoints.api.documents.stats import StatsDocument
from minutehand.entrypoints.api.endpoints import (
    backfills,
    calendars,
    callbacks,
    endpoints,
    explain,
    found_runs,
    job_lists,
    jobs,
    namespaces,
    runs,
    service,
    stats,
)


@dataclass(frozen=True, slots=True)
class Route:
    """One route: a method and a path.

    Attributes:
        path: as in template.yaml, with placeholders such as `{name}`.
        role: the least role of a caller's token; None if no token is required.
        answer: the endpoint.
        answers: the type of the answered document, or of the items of an answered list; None if the answer has no body.
        query: the known query parameters; any other is refused.
        repeatable: those of them that may be given several times.
        across: whether it answers about all namespaces that the caller's token may see, which its endpoint finds out.
        takes: the type of its body; without one, a POST refuses a body.
    """

    method: str
    path: str
    role: Role | None
    answer: Callable[[Call], Response[str]]
    answers: type | None = None
    query: tuple[str, ...] = ()
    repeatable: tuple[str, ...] = ()
    across: bool = False
    takes: type | None = None

    @property
    def checks_names(self) -> bool:
        """Whether the endpoint itself checks the names in the path, together with the body. Endpoints that save do."""
        return self.method == "PUT"

    def match(self, path: str) -> re.Match[str] | None:
        """Match a request's path with the route's; the match has a group for each placeholder. None if it does not match."""
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
_ENDPOINTS = f"{_NAMESPACE}/services/{{service}}/endpoints"
_ENDPOINT = f"{_ENDPOINTS}/{{endpoint}}"
_ATTEMPT = "/v1/callbacks/{namespace}/{name}/{run_id}/{attempt}"
_PAGE = ("limit", "cursor")
"""The query parameters of a route that answers a page of a list."""
_JOB_LIST = (*_PAGE, "label", "paused", "target", "q", "last")
_STATS = ("from", "to", "per")
_V, _O, _A = Role.VIEWER, Role.OPERATOR, Role.ADMIN


ROUTES = (
    Route("GET", "/v1/health", None, service.health, HealthDocument),
    Route("GET", "/v1/namespaces", _V, namespaces.list_namespaces, NamespaceDocument, query=_PAGE, across=True),
    Route(
        "GET",
        "/v1/jobs",
        _V,
        job_lists.list_all_jobs,
        JobSummaryDocument,
        query=_JOB_LIST,
        repeatable=("label",),
        across=True,
    ),
    Route(
        "GET",
        "/v1/runs",
        _V,
        found_runs.list_runs_of_all,
        RunDocument,
        query=(*_PAGE, "namespace", "state", "label", "target", "from", "to"),
        repeatable=("label",),
        across=True,
    ),
    Route("GET", _NAMESPACE, _V, namespaces.get_namespace, NamespaceDocument),
    Route("PUT", _NAMESPACE, _A, namespaces.put_namespace, NamespaceDocument, takes=NamespaceDocument),
    Route("POST", f"{_NAMESPACE}/pause", _O, namespaces.pause_namespace, NamespaceDocument, takes=PauseRequest),
    Route("POST", f"{_NAMESPACE}/resume", _O, namespaces.resume_namespace, NamespaceDocument),
    Route(
        "POST",
        f"{_NAMESPACE}/redrive",
        _A,
        namespaces.redrive_namespace,
        RunDocument,
        query=_PAGE,
        takes=NamespaceRedriveRequest,
    ),
    Route("GET", f"{_NAMESPACE}/stats", _V, stats.get_namespace_stats, StatsDocument, query=_STATS),
    Route("GET", _JOBS, _V, job_lists.list_jobs, JobSummaryDocument, query=_JOB_LIST, repeatable=("label",)),
    Route("GET", _JOB, _V, jobs.get_job, JobDocument),
    Route("PUT", _JOB, _A, jobs.put_job, JobDocument, query=("dry_run", "expected"), takes=JobDocument),
    Route("DELETE", _JOB, _A, jobs.delete_job),
    Route("GET", f"{_JOB}/next", _V, jobs.next_runs, NextRunsDocument, query=("count", "after")),
    Route("GET", f"{_JOB}/explain", _V, explain.explain_job, ExplanationDocument, query=("at", "from", "to")),
    Route("GET", f"{_JOB}/stats", _V, stats.get_job_stats, StatsDocument, query=_STATS),
    Route("GET", f"{_JOB}/endpoints", _V, endpoints.get_job_endpoints, JobEndpointsDocument),
    Route("POST", f"{_JOB}/pause", _O, jobs.pause_job, JobDocument, takes=PauseRequest),
    Route("POST", f"{_JOB}/resume", _O, jobs.resume_job, JobDocument, takes=ResumeRequest),
    Route("POST", f"{_JOB}/trigger", _O, runs.trigger_job, RunDocument, takes=TriggerRequest),
    Route("POST", f"{_JOB}/redrive", _A, runs.redrive_job, RunDocument, query=_PAGE, takes=RedriveRequest),
    Route("GET", _RUNS, _V, runs.list_runs, RunDocument, query=(*_PAGE, "state", "from", "to")),
    Route("GET", _RUN, _V, runs.get_run, RunDocument),
    Route("GET", f"{_RUN}/output", _V, runs.get_output, OutputDocument, query=("attempt",)),
    Route("POST", f"{_RUN}/cancel", _O, runs.cancel_run, RunDocument),
    Route("GET", _BACKFILLS, _V, backfills.list_backfills, BackfillDocument, query=_PAGE),
    Route("POST", _BACKFILLS, _O, backfills.start_backfill, BackfillDocument, takes=BackfillRequest),
    Route("GET", _BACKFILL, _V, backfills.get_backfill, BackfillDocument),
    Route("POST", f"{_BACKFILL}/cancel", _O, backfills.cancel_backfill, BackfillDocument),
    Route("GET", _CALENDARS, _V, calendars.list_calendars, CalendarSummaryDocument, query=_PAGE),
    Route("GET", _CALENDAR, _V, calendars.get_calendar, CalendarDocument),
    Route("PUT", _CALENDAR, _A, calendars.put_calendar, CalendarDocument, query=("dry_run",), takes=CalendarDocument),
    Route("DELETE", _CALENDAR, _A, calendars.delete_calendar),
    Route("GET", _ENDPOINTS, _V, endpoints.list_registered, RegistrationDocument),
    Route("PUT", _ENDPOINT, _O, endpoints.put_registered, RegistrationDocument, takes=RegistrationRequest),
    Route("DELETE", _ENDPOINT, _O, endpoints.delete_registered),
    Route("POST", f"{_ATTEMPT}/report", None, callbacks.report, StandingDocument, takes=ReportRequest),
    Route("POST", f"{_ATTEMPT}/progress", None, callbacks.progress, StandingDocument, takes=ProgressRequest),
    Route("POST", f"{_ATTEMPT}/heartbeat", None, callbacks.heartbeat, StandingDocument, takes=ProgressRequest),
    Route("GET", "/v1/shards", _A, service.get_shards, ShardsDocument),
)
"""Every route of the API."""
