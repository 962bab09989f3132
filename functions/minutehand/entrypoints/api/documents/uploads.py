"""The documents of the requests by which agents upload the logs of attempts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from minutehand.domain.attempt_log import LONGEST_LOG, MOST_PARTS
from minutehand.domain.declaration.field import Field
from minutehand.domain.job_key import JobKey
from minutehand.entrypoints.api.documents.nodes import (
    MOST_AT_ONCE,
    AttemptNumber,
    AttemptToken,
    JobName,
    RunId,
    Session,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadRequest:
    """A part of an attempt's log, or the whole."""

    job: JobName
    run_id: RunId
    attempt: AttemptNumber
    token: AttemptToken
    part: Annotated[
        int | None, Field("Number of the part, from 1; null for the whole log.", least=1, most=MOST_PARTS)
    ] = None
    bytes: Annotated[int, Field("Its length as it is uploaded: of a part, up to 2 MiB.", least=1, most=LONGEST_LOG)]


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadsRequest:
    """What an agent wants to upload."""

    session: Session
    uploads: Annotated[tuple[UploadRequest, ...], Field("Parts and wholes of logs.", most=MOST_AT_ONCE)]


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadDocument:
    """Where an agent uploads one of them."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    run_id: Annotated[str, Field("The run's id.")]
    attempt: Annotated[int, Field("Number of the attempt.")]
    url: Annotated[
        str | None,
        Field("Where to PUT exactly as many bytes as asked, within 5 minutes and without a token; null if it may not."),
    ]
    problem: Annotated[str | None, Field("Why it may not, for good; null if it may.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadsDocument:
    """Where an agent uploads, and how often."""

    items: Annotated[tuple[UploadDocument, ...], Field("An answer for each upload, in the order of the request.")]
    every: Annotated[int, Field("Seconds between two parts of a log: few while somebody follows one of these.")]
