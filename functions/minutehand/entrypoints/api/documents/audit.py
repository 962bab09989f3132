"""The documents of records of changes, and of earlier revisions of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from minutehand.domain.audit import Action
from minutehand.domain.declaration.field import LEFT_OUT, Field
from minutehand.domain.job_key import JobKey
from minutehand.entrypoints.api.documents.explanation import PastRevisionDocument


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferenceDocument:
    """A place at which two documents differ."""

    path: Annotated[str, Field("The place, as a JSON Pointer (RFC 6901) such as `/retry/max_attempts`.")]
    before: Annotated[Any, Field("The value before; absent where there was none.", optional=True)] = LEFT_OUT
    after: Annotated[Any, Field("The value afterwards; absent where there is none.", optional=True)] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditRecordDocument:
    """A change that somebody asked for."""

    at: Annotated[datetime, Field("When the change was made.")]
    actor: Annotated[str, Field("Name of the token that asked for the change.")]
    actor_id: Annotated[
        str | None,
        Field(
            "Id of that token: several may have one name. Null for people and principals, and in records of earlier versions."
        ),
    ]
    address: Annotated[str | None, Field("The IP address that the request came from, as API Gateway saw it.")]
    client: Annotated[str | None, Field("What the client calls itself (`User-Agent`), at most 200 characters.")]
    request_id: Annotated[str | None, Field("The request's id in the logs.")]
    action: Annotated[Action, Field("What the actor did.")]
    namespace: Annotated[str, Field("The namespace.")]
    job: Annotated[str | None, Field("Name of the job; null for a change of something else.")]
    calendar: Annotated[str | None, Field("Name of the calendar; null for a change of something else.")]
    revision: Annotated[int | None, Field("The revision that the change made; null where changes have no number.")]
    about: Annotated[
        Mapping[str, Any],
        Field("Further names and values, such as `run_id`, `backfill_id`, or `restored` (an earlier revision)."),
    ]
    changes: Annotated[
        tuple[DifferenceDocument, ...],
        Field("What differs, without secrets; of a long value the beginning, as text that ends with `…`."),
    ]
    changes_left_out: Annotated[int, Field("How many further differences there are.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RevisionDocument:
    """A job as it was under one revision."""

    summary: Annotated[PastRevisionDocument, Field(inline=True)]
    job: Annotated[
        Any,
        Field(
            "The job's document, as `PUT` takes it; null if the revision deleted the job, or was stored by a version of Minutehand "
            "that kept no definitions (`missing`)."
        ),
    ]
    missing: Annotated[bool, Field("Whether the job's document was never kept.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RevisionDiffDocument:
    """What differs between two revisions of a job."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    before: Annotated[int, Field("The older revision; 0 for the time before the first.", name="from")]
    after: Annotated[int, Field("The newer revision.", name="to")]
    items: Annotated[tuple[DifferenceDocument, ...], Field("What differs, in the order of the document's fields.")]
