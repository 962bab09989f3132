"""About: what sentences need besides a finding, and what several of them say."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.instants import floor, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.namespace import Namespace, NamespacePause


class About(NamedTuple):
    """What sentences need besides a finding.

    Attributes:
        definition: the job as it stands.
        gone: those of its parents that are not there any more.
        look_ahead: how far ahead of an occurrence ticks work.
        namespace: the settings of its namespace, where there are any.
    """

    definition: Definition
    gone: Collection[JobKey]
    look_ahead: timedelta
    namespace: Namespace | None
    now: datetime


def pause_text(pause: NamespacePause) -> str:
    """When a namespace was paused, and by whom."""
    resumed = f"; resumed by {pause.ended_by}" if pause.ended_by else ""
    ends = f"to {instant_text(pause.ends)}" if pause.ends else "on"
    return f"paused from {instant_text(pause.begun)} {ends} by {pause.who}{resumed}"


def instant_text(instant: datetime | None) -> str:
    """In UTC and whole seconds."""
    return "an unknown time" if instant is None else to_text(floor(instant))
