"""The SDK: Minutehand's API from Python.

with Client(url, token) as client:
    client.apply_job({"name": "hello", "schedule": "@hourly", "target": {"type": "http", "url": "https://example.com/hook"}})
    run = wait_for_run(client, client.trigger("hello"), timeout=60)
"""

from typing import TYPE_CHECKING, Any

from minutehand.client.api import Client
from minutehand.client.calls import TriggerOptions
from minutehand.client.errors import (
    AnswerError,
    ChangedMeanwhile,
    ConfigurationError,
    Conflict,
    Invalid,
    MinutehandError,
    NotAllowed,
    NotFound,
    Refused,
    StillRunning,
    Unreachable,
)
from minutehand.client.following import RunFollower, follow_backfill, follow_runs, is_due, wait_for_run
from minutehand.client.lists import JobFilters, RunFilters
from minutehand.client.logs import read_log
from minutehand.client.models import (
    Attempt,
    AuditRecord,
    Backfill,
    BackfillExtent,
    Backoff,
    BlockedRuns,
    Calendar,
    CalendarSummary,
    Caller,
    ComingRun,
    CreatedToken,
    Dependency,
    Diagnosis,
    Difference,
    Edit,
    Explanation,
    FieldError,
    Finding,
    Grant,
    Health,
    Job,
    JobEndpoint,
    JobEndpoints,
    JobStatus,
    JobSummary,
    LastRun,
    Log,
    LogEntry,
    Namespace,
    NamespacePause,
    NamespaceStatus,
    NextRuns,
    Node,
    Output,
    PastRevision,
    Pause,
    Percentiles,
    Preview,
    Progress,
    Quota,
    QuotaLimits,
    QuotaUse,
    Registration,
    Retry,
    Revision,
    RevisionDiff,
    Run,
    RunError,
    RunKey,
    RunOutput,
    Shards,
    SkippedTimes,
    Standing,
    Stats,
    StatsBucket,
    SummaryStatus,
    TicksAround,
    Token,
    Usage,
)
from minutehand.client.results import Applied, AppliedCalendar, Page, Problem, RunPage, SavedJob
from minutehand.client.revisions import AuditFilter

if TYPE_CHECKING:
    from minutehand.client.config import Settings, find_settings
    from minutehand.client.late_answer import LateAnswer

__all__ = [
    "AnswerError",
    "Applied",
    "AppliedCalendar",
    "Attempt",
    "AuditFilter",
    "AuditRecord",
    "Backfill",
    "BackfillExtent",
    "Backoff",
    "BlockedRuns",
    "Calendar",
    "CalendarSummary",
    "Caller",
    "ChangedMeanwhile",
    "Client",
    "ComingRun",
    "ConfigurationError",
    "Conflict",
    "CreatedToken",
    "Dependency",
    "Diagnosis",
    "Difference",
    "Edit",
    "Explanation",
    "FieldError",
    "Finding",
    "Grant",
    "Health",
    "Invalid",
    "Job",
    "JobEndpoint",
    "JobEndpoints",
    "JobFilters",
    "JobStatus",
    "JobSummary",
    "LastRun",
    "LateAnswer",
    "Log",
    "LogEntry",
    "MinutehandError",
    "Namespace",
    "NamespacePause",
    "NamespaceStatus",
    "NextRuns",
    "Node",
    "NotAllowed",
    "NotFound",
    "Output",
    "Page",
    "PastRevision",
    "Pause",
    "Percentiles",
    "Preview",
    "Problem",
    "Progress",
    "Quota",
    "QuotaLimits",
    "QuotaUse",
    "Refused",
    "Registration",
    "Retry",
    "Revision",
    "RevisionDiff",
    "Run",
    "RunError",
    "RunFilters",
    "RunFollower",
    "RunKey",
    "RunOutput",
    "RunPage",
    "SavedJob",
    "Settings",
    "Shards",
    "SkippedTimes",
    "Standing",
    "Stats",
    "StatsBucket",
    "StillRunning",
    "SummaryStatus",
    "TicksAround",
    "Token",
    "TriggerOptions",
    "Unreachable",
    "Usage",
    "find_settings",
    "follow_backfill",
    "follow_runs",
    "is_due",
    "read_log",
    "wait_for_run",
]

_AT_FIRST_USE = {"LateAnswer": "late_answer", "Settings": "config", "find_settings": "config"}
"""The names, with their modules, that most programs do without."""


def __getattr__(name: str) -> Any:
    """Load a name of `_AT_FIRST_USE`."""
    if name in _AT_FIRST_USE:
        from importlib import import_module  # noqa: PLC0415 - see _AT_FIRST_USE

        return getattr(import_module(f"minutehand.client.{_AT_FIRST_USE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
