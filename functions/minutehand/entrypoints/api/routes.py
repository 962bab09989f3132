"""The API's routes: a table of methods, paths, roles, endpoints, query parameters, and the documents in requests and answers.

The template's REST paths, the SDK's paths and the API reference are checked against it (`make lint`).
"""

from __future__ import annotations

from minutehand.domain.token import Role
from minutehand.entrypoints.api.agent_routes import AGENT_ROUTES, NODE
from minutehand.entrypoints.api.documents.audit import AuditRecordDocument, RevisionDiffDocument, RevisionDocument
from minutehand.entrypoints.api.documents.backfill import BackfillDocument, BackfillExtentDocument
from minutehand.entrypoints.api.documents.calendar import CalendarDocument, CalendarSummaryDocument
from minutehand.entrypoints.api.documents.endpoints import (
    JobEndpointsDocument,
    RegistrationDocument,
    RegistrationRequest,
    ServiceDocument,
)
from minutehand.entrypoints.api.documents.explanation import ExplanationDocument, PastRevisionDocument
from minutehand.entrypoints.api.documents.job import JobDocument, JobSummaryDocument, NextRunsDocument
from minutehand.entrypoints.api.documents.namespace import NamespaceDocument, QuotaDocument
from minutehand.entrypoints.api.documents.nodes import AskRequest, NodeDocument
from minutehand.entrypoints.api.documents.requests import (
    BackfillRequest,
    NamespaceRedriveRequest,
    PauseRequest,
    ProgressRequest,
    PurgeRequest,
    RedriveRequest,
    ReportRequest,
    ResumeRequest,
    ShadowRequest,
    TriggerRequest,
)
from minutehand.entrypoints.api.documents.run import (
    FoundRunsDocument,
    LogDocument,
    OutputDocument,
    PurgedDocument,
    RunDocument,
    StandingDocument,
)
from minutehand.entrypoints.api.documents.service import DiagnosisDocument, HealthDocument, ShardsDocument
from minutehand.entrypoints.api.documents.stats import StatsDocument
from minutehand.entrypoints.api.endpoints import (
    audit,
    backfills,
    calendars,
    callbacks,
    endpoints,
    explain,
    found_runs,
    job_lists,
    jobs,
    logs,
    namespaces,
    nodes,
    quotas,
    reference,
    revisions,
    runs,
    service,
    stats,
)
from minutehand.entrypoints.api.route import Route
from minutehand.entrypoints.api.stack_routes import STACK_ROUTES, TOKEN_ROUTES

_NAMESPACE = "/v1/namespaces/{namespace}"
_QUOTA = f"{_NAMESPACE}/quota"
_JOBS = f"{_NAMESPACE}/jobs"
_JOB = f"{_JOBS}/{{name}}"
_RUNS = f"{_JOB}/runs"
_RUN = f"{_RUNS}/{{run_id}}"
_REVISIONS = f"{_JOB}/revisions"
_REVISION = f"{_REVISIONS}/{{revision}}"
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
    Route(
        "GET",
        "/v1/namespaces",
        _V,
        namespaces.list_namespaces,
        NamespaceDocument,
        query=_PAGE,
        pages=True,
        somewhere=True,
    ),
    Route(
        "GET",
        "/v1/jobs",
        _V,
        job_lists.list_all_jobs,
        JobSummaryDocument,
        query=_JOB_LIST,
        repeatable=("label",),
        pages=True,
        somewhere=True,
    ),
    Route(
        "GET",
        "/v1/runs",
        _V,
        found_runs.list_runs_of_all,
        RunDocument,
        query=(*_PAGE, "namespace", "state", "label", "target", "from", "to"),
        repeatable=("label",),
        pages=True,
        somewhere=True,
        beside=FoundRunsDocument,
    ),
    *STACK_ROUTES,
    Route("GET", _NAMESPACE, _V, namespaces.get_namespace, NamespaceDocument),
    Route(
        "PUT", _NAMESPACE, _A, namespaces.put_namespace, NamespaceDocument, takes=NamespaceDocument, conditional=True
    ),
    Route(
        "POST",
        f"{_NAMESPACE}/pause",
        _O,
        namespaces.pause_namespace,
        NamespaceDocument,
        takes=PauseRequest,
        conditional=True,
    ),
    Route("POST", f"{_NAMESPACE}/resume", _O, namespaces.resume_namespace, NamespaceDocument, conditional=True),
    Route(
        "POST",
        f"{_NAMESPACE}/shadow",
        _A,
        namespaces.shadow_namespace,
        NamespaceDocument,
        takes=ShadowRequest,
        conditional=True,
    ),
    Route(
        "POST",
        f"{_NAMESPACE}/redrive",
        _A,
        namespaces.redrive_namespace,
        RunDocument,
        query=_PAGE,
        takes=NamespaceRedriveRequest,
        pages=True,
        conditional=True,
    ),
    Route("GET", _QUOTA, _V, quotas.get_quota, QuotaDocument),
    Route("PUT", _QUOTA, _A, quotas.put_quota, QuotaDocument, takes=QuotaDocument, everywhere=True, conditional=True),
    Route("DELETE", _QUOTA, _A, quotas.delete_quota, statuses=(204,), everywhere=True, conditional=True),
    Route("GET", f"{_NAMESPACE}/stats", _V, stats.get_namespace_stats, StatsDocument, query=_STATS),
    Route(
        "GET", _JOBS, _V, job_lists.list_jobs, JobSummaryDocument, query=_JOB_LIST, repeatable=("label",), pages=True
    ),
    Route("GET", _JOB, _V, jobs.get_job, JobDocument),
    Route(
        "PUT",
        _JOB,
        _A,
        jobs.put_job,
        JobDocument,
        query=("dry_run", "expected"),
        takes=JobDocument,
        statuses=(200, 201),
        conditional=True,
    ),
    Route("DELETE", _JOB, _A, jobs.delete_job, statuses=(204,), conditional=True),
    Route("GET", f"{_JOB}/next", _V, jobs.next_runs, NextRunsDocument, query=("count", "after")),
    Route("GET", f"{_JOB}/explain", _V, explain.explain_job, ExplanationDocument, query=("at", "from", "to")),
    Route("GET", f"{_JOB}/stats", _V, stats.get_job_stats, StatsDocument, query=_STATS),
    Route("GET", f"{_JOB}/endpoints", _V, endpoints.get_job_endpoints, JobEndpointsDocument),
    Route("GET", _REVISIONS, _V, revisions.list_revisions, PastRevisionDocument, query=_PAGE, pages=True),
    Route("GET", _REVISION, _V, revisions.show_revision, RevisionDocument),
    Route("GET", f"{_REVISION}/diff", _V, revisions.diff_revision, RevisionDiffDocument, query=("against",)),
    Route("POST", f"{_REVISION}/restore", _A, revisions.restore_revision, JobDocument, conditional=True),
    Route("POST", f"{_JOB}/pause", _O, jobs.pause_job, JobDocument, takes=PauseRequest, conditional=True),
    Route("POST", f"{_JOB}/resume", _O, jobs.resume_job, JobDocument, takes=ResumeRequest, conditional=True),
    Route(
        "POST",
        f"{_JOB}/trigger",
        _O,
        runs.trigger_job,
        RunDocument,
        takes=TriggerRequest,
        statuses=(200, 202),
        keyed=True,
        conditional=True,
    ),
    Route(
        "POST", f"{_JOB}/purge", _A, runs.purge_job, PurgedDocument, query=_PAGE, takes=PurgeRequest, conditional=True
    ),
    Route(
        "POST",
        f"{_JOB}/redrive",
        _A,
        runs.redrive_job,
        RunDocument,
        query=_PAGE,
        takes=RedriveRequest,
        pages=True,
        conditional=True,
    ),
    Route("GET", _RUNS, _V, runs.list_runs, RunDocument, query=(*_PAGE, "state", "from", "to"), pages=True),
    Route("GET", _RUN, _V, runs.get_run, RunDocument),
    Route("GET", f"{_RUN}/output", _V, runs.get_output, OutputDocument, query=("attempt",)),
    Route("GET", f"{_RUN}/log", _V, logs.get_log, LogDocument, query=("attempt", "cursor", "limit")),
    Route("POST", f"{_RUN}/cancel", _O, runs.cancel_run, RunDocument, statuses=(200, 202)),
    Route("GET", _BACKFILLS, _V, backfills.list_backfills, BackfillDocument, query=_PAGE, pages=True),
    Route(
        "POST",
        _BACKFILLS,
        _O,
        backfills.start_backfill,
        BackfillDocument,
        takes=BackfillRequest,
        statuses=(200, 202),
        foretells=BackfillExtentDocument,
        keyed=True,
        conditional=True,
    ),
    Route("GET", _BACKFILL, _V, backfills.get_backfill, BackfillDocument),
    Route("POST", f"{_BACKFILL}/cancel", _O, backfills.cancel_backfill, BackfillDocument),
    Route("GET", _CALENDARS, _V, calendars.list_calendars, CalendarSummaryDocument, query=_PAGE, pages=True),
    Route("GET", _CALENDAR, _V, calendars.get_calendar, CalendarDocument),
    Route(
        "PUT",
        _CALENDAR,
        _A,
        calendars.put_calendar,
        CalendarDocument,
        query=("dry_run",),
        takes=CalendarDocument,
        statuses=(200, 201),
        conditional=True,
    ),
    Route("DELETE", _CALENDAR, _A, calendars.delete_calendar, statuses=(204,), conditional=True),
    Route("GET", f"{_NAMESPACE}/services", _V, endpoints.list_services, ServiceDocument, query=_PAGE, pages=True),
    Route("GET", _ENDPOINTS, _V, endpoints.list_registered, RegistrationDocument, pages=True, agents=True),
    Route(
        "PUT",
        _ENDPOINT,
        _O,
        endpoints.put_registered,
        RegistrationDocument,
        takes=RegistrationRequest,
        statuses=(200, 201),
        agents=True,
    ),
    Route("DELETE", _ENDPOINT, _O, endpoints.delete_registered, statuses=(204,), agents=True),
    Route("GET", f"{_NAMESPACE}/nodes", _V, nodes.list_nodes, NodeDocument, query=_PAGE, pages=True),
    Route("GET", NODE, _V, nodes.get_node, NodeDocument),
    Route("POST", f"{NODE}/ask", _O, nodes.ask_node, NodeDocument, takes=AskRequest),
    *AGENT_ROUTES,
    Route("POST", f"{_ATTEMPT}/report", None, callbacks.report, StandingDocument, takes=ReportRequest),
    Route("POST", f"{_ATTEMPT}/progress", None, callbacks.progress, StandingDocument, takes=ProgressRequest),
    Route("POST", f"{_ATTEMPT}/heartbeat", None, callbacks.heartbeat, StandingDocument, takes=ProgressRequest),
    Route(
        "GET",
        "/v1/audit",
        _V,
        audit.list_audit,
        AuditRecordDocument,
        query=(*_PAGE, "namespace", "job", "actor", "action", "from", "to"),
        pages=True,
    ),
    Route("GET", "/v1/diagnosis", _V, service.get_diagnosis, DiagnosisDocument),
    Route("GET", "/v1/shards", _A, service.get_shards, ShardsDocument),
    Route("GET", "/v1/openapi.json", None, reference.get_openapi, for_people=True),
    Route("GET", "/docs", None, reference.get_docs, for_people=True),
    Route("GET", "/docs/{asset}", None, reference.get_asset, for_people=True),
    *TOKEN_ROUTES,
)
"""Every route of the API."""


def served_by(*functions: str) -> tuple[Route, ...]:
    """The routes that a function serves (`Route.function`), or several."""
    return tuple(route for route in ROUTES if route.function in functions)
