"""A job as a document of the API: what a `PUT` takes, and what records of changes compare. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from minutehand.domain.declaration.conversion import shown, shown_briefly
from minutehand.domain.instants import to_text
from minutehand.domain.job import Job


def job_document(job: Job, *, brief: bool = False) -> dict[str, Any]:
    """The document of a job, without its status; if `brief`, without the fields that are at their defaults."""
    paused = paused_of(job)
    if not brief:
        return shown(job) | {"paused": paused}
    target = {"type": job.target.type, **shown_briefly(job.target)}
    return shown_briefly(job) | {"target": target} | ({"paused": paused} if paused else {})


def paused_of(job: Job, now: datetime | None = None) -> bool | dict[str, str]:
    """The value of a document's field `paused`; false for a pause whose end has passed by `now`."""
    until = job.paused_until
    ends_later = until is not None and not job.paused and (now is None or now < until)
    return {"until": to_text(until)} if until is not None and ends_later else job.paused
