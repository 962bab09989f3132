"""Routes of the whole stack, a part of the table of routes: bulk saves, schedules that no job has yet, export and import, tokens."""

from __future__ import annotations

from minutehand.domain.token import Role
from minutehand.entrypoints.api.documents.bulk import BulkDocument, BulkRequest
from minutehand.entrypoints.api.documents.export import ExportedDocument, ImportedDocument, ImportRequest
from minutehand.entrypoints.api.documents.schedule import (
    DescribedScheduleDocument,
    PreviewedScheduleDocument,
    ScheduleDiffDocument,
    ScheduleDiffRequest,
    SchedulePreviewRequest,
    ScheduleRequest,
)
from minutehand.entrypoints.api.documents.tokens import (
    CallerDocument,
    CreatedTokenDocument,
    TokenDocument,
    TokenRequest,
)
from minutehand.entrypoints.api.endpoints import bulk_jobs, exports, schedules, tokens
from minutehand.entrypoints.api.route import Route

_SCHEDULES = "/v1/schedules"
_TOKENS = "/v1/tokens"
_TOKEN = f"{_TOKENS}/{{token_id}}"

STACK_ROUTES = (
    Route(
        "POST",
        "/v1/jobs",
        Role.ADMIN,
        bulk_jobs.save_jobs,
        BulkDocument,
        query=("dry_run", "preview"),
        takes=BulkRequest,
        somewhere=True,
    ),
    Route(
        "POST",
        f"{_SCHEDULES}/describe",
        Role.VIEWER,
        schedules.describe_schedule,
        DescribedScheduleDocument,
        takes=ScheduleRequest,
        somewhere=True,
    ),
    Route(
        "POST",
        f"{_SCHEDULES}/preview",
        Role.VIEWER,
        schedules.preview_schedule,
        PreviewedScheduleDocument,
        takes=SchedulePreviewRequest,
        somewhere=True,
    ),
    Route(
        "POST",
        f"{_SCHEDULES}/diff",
        Role.VIEWER,
        schedules.diff_schedules,
        ScheduleDiffDocument,
        takes=ScheduleDiffRequest,
        somewhere=True,
    ),
    Route(
        "GET",
        "/v1/export",
        Role.VIEWER,
        exports.export,
        ExportedDocument,
        query=("limit", "cursor", "namespace"),
        pages=True,
        somewhere=True,
    ),
    Route("POST", "/v1/import", Role.ADMIN, exports.import_all, ImportedDocument, takes=ImportRequest, somewhere=True),
)
"""The routes, in the order of the reference."""
TOKEN_ROUTES = (
    Route("GET", "/v1/token", Role.VIEWER, tokens.get_own_token, CallerDocument, agents=True, somewhere=True),
    Route(
        "GET",
        _TOKENS,
        Role.ADMIN,
        tokens.list_tokens,
        TokenDocument,
        query=("limit", "cursor"),
        pages=True,
        somewhere=True,
        function="Access",
    ),
    Route(
        "POST",
        _TOKENS,
        Role.ADMIN,
        tokens.create_token,
        CreatedTokenDocument,
        takes=TokenRequest,
        statuses=(201,),
        somewhere=True,
        function="Access",
        keyed=True,
    ),
    Route("GET", _TOKEN, Role.ADMIN, tokens.get_token, TokenDocument, somewhere=True, function="Access"),
    Route(
        "DELETE",
        _TOKEN,
        Role.ADMIN,
        tokens.revoke_token,
        statuses=(204,),
        somewhere=True,
        function="Access",
        conditional=True,
    ),
)
"""The routes of tokens, which the function `access` serves, and of the caller's own."""
