"""The context that sentences need besides a finding, and phrases that several of them share."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.instants import floor, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.namespace import Namespace, NamespacePause


class Context(NamedTuple):
    """The facts that sentences need besides a finding.

    Attributes:
        definition: the job as it is now.
        deleted_parents: those of its parents that were deleted.
        look_ahead: how long before an occurrence a tick may claim it.
        namespace: the settings of its namespace, if any.
    """

    definition: Definition
    deleted_parents: Collection[JobKey]
    look_ahead: timedelta
    namespace: Namespace | None
    now: datetime


def pause_text(pause: NamespacePause) -> str:
    """When a namespace was paused, and by which token."""
    resumed = f"; resumed by {pause.ended_by}" if pause.ended_by else ""
    ends = f"to {instant_text(pause.ends)}" if pause.ends else "on"
    return f"paused from {instant_text(pause.begun)} {ends} by {pause.who}{resumed}"


def instant_text(instant: datetime | None) -> str:
    """An instant as text, in UTC and whole seconds."""
    return "an unknown time" if instant is None else to_text(floor(instant))
