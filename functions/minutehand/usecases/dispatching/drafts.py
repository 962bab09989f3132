"""Drafts of runs: what is known of planned occurrences before the entry that names them, and so before their runs."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.instants import floor
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey

if TYPE_CHECKING:
    from minutehand.domain.planning import Plan
    from minutehand.domain.timer import Timer


class Draft(NamedTuple):
    """What an entry needs to know of a run before it is created."""

    key: RunKey
    timer: Timer
    start_delay: timedelta
    expires_at: datetime


def draft(planned: Plan, instant: datetime, now: datetime) -> Draft:
    """The draft of a planned occurrence's run."""
    timer = planned.timer
    jitter = planned.rule.jitter_of(timer.job, instant)
    expires_at = floor(max(instant + jitter, now)) + timer.retention
    return Draft(RunKey.scheduled(timer.job, instant), timer, jitter, expires_at)


def new_run(wanted: Draft, now: datetime, *, entry: str = "") -> Run:
    """The run of a draft. entry: the id of the entry that names it, if any."""
    timer = wanted.timer
    return Run(
        key=wanted.key,
        target=timer.target,
        revision=timer.revision,
        claimed_at=now,
        expires_at=wanted.expires_at,
        start_delay=wanted.start_delay,
        entry=entry,
    )
