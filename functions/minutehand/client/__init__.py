"""The SDK: Minutehand's API from Python.

with Client(url, token) as client:
    client.apply_job({"name": "hello", "schedule": "@hourly", "target": {"type": "http", "url": "https://example.com/hook"}})
    run = wait_for_run(client, client.trigger("hello"), timeout=60)
"""

from minutehand.client.ahead_shapes import BlockedRuns, Coming, ComingRun, Edit, NextRuns, Preview, SkippedTimes
from minutehand.client.api import Client
from minutehand.client.backfill_shapes import Backfill, BackfillExtent
from minutehand.client.calendar_shapes import AppliedCalendar, Calendar, CalendarSummary
from minutehand.client.calls import TriggerOptions
from minutehand.client.config import Settings, find_settings
from minutehand.client.due import is_due
from minutehand.client.errors import (
    AnswerError,
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
from minutehand.client.explained import Explanation, Finding, PastRevision, TicksAround
from minutehand.client.following import RunFollower, follow_runs
from minutehand.client.late_answer import LateAnswer
from minutehand.client.namespaces import Namespace, NamespacePause, NamespaceStatus
from minutehand.client.shapes import (
    Applied,
    Attempt,
    Backoff,
    Dependency,
    FieldError,
    Health,
    Job,
    JobStatus,
    JobSummary,
    Output,
    Page,
    ParentRun,
    Pause,
    Problem,
    Progress,
    Retry,
    Run,
    RunError,
    RunOutput,
    Standing,
    SummaryStatus,
    Usage,
)
from minutehand.client.shards import Shards
from minutehand.client.waiting import follow_backfill, wait_for_run

__all__ = [
    "AnswerError",
    "Applied",
    "AppliedCalendar",
    "Attempt",
    "Backfill",
    "BackfillExtent",
    "Backoff",
    "BlockedRuns",
    "Calendar",
    "CalendarSummary",
    "Client",
    "Coming",
    "ComingRun",
    "ConfigurationError",
    "Conflict",
    "Dependency",
    "Edit",
    "Explanation",
    "FieldError",
    "Finding",
    "Health",
    "Invalid",
    "Job",
    "JobStatus",
    "JobSummary",
    "LateAnswer",
    "MinutehandError",
    "Namespace",
    "NamespacePause",
    "NamespaceStatus",
    "NextRuns",
    "NotAllowed",
    "NotFound",
    "Output",
    "Page",
    "ParentRun",
    "PastRevision",
    "Pause",
    "Preview",
    "Problem",
    "Progress",
    "Refused",
    "Retry",
    "Run",
    "RunError",
    "RunFollower",
    "RunOutput",
    "Settings",
    "Shards",
    "SkippedTimes",
    "Standing",
    "StillRunning",
    "SummaryStatus",
    "TicksAround",
    "TriggerOptions",
    "Unreachable",
    "Usage",
    "find_settings",
    "follow_backfill",
    "follow_runs",
    "is_due",
    "wait_for_run",
]
