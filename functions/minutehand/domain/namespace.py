"""Namespace: the concurrency limit, the quota and the pauses of all jobs of a namespace. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from minutehand.domain.declaration.field import Field
from minutehand.domain.instants import floor
from minutehand.domain.quota import UNLIMITED, Quota
from minutehand.domain.run_key import RunKey

PAUSES_KEPT = 20
"""Number of newest pauses that a namespace keeps, so that a run scheduled in one is skipped however late a worker handles it."""


class NamespacePause(NamedTuple):
    """A pause of a namespace.

    Attributes:
        begun: whole second; occurrences after it do not run.
        until: the first instant whose occurrences run again, for a pause that ends by itself.
        who: name of the token that paused.
        ended: whole second at which the namespace was resumed; occurrences after it run again.
        ended_by: name of the token that resumed.
    """

    begun: datetime
    until: datetime | None
    who: str
    ended: datetime | None = None
    ended_by: str = ""

    def is_on(self, now: datetime) -> bool:
        """Whether the pause keeps runs from starting now. `begun` is not compared, since this function's clock may be behind
        the one that set it."""
        return self.ended is None and (self.until is None or now < self.until)

    def covers(self, instant: datetime) -> bool:
        """Whether an occurrence at an instant falls into the pause."""
        after_end = self.ended is not None and instant > self.ended
        return self.begun < instant and not after_end and (self.until is None or instant < self.until)

    @property
    def ends(self) -> datetime | None:
        """When the pause ended, or ends by itself; None when it lasts until the namespace is resumed."""
        return self.until if self.ended is None else self.ended


@dataclass(frozen=True, kw_only=True, slots=True)
class Namespace:
    """A namespace's settings.

    Attributes:
        max_concurrency: most attempts of all its jobs in progress at once, as its admin chose; None for no limit.
        quota: what the operator of the deployment allows.
        shadow: whether none of its jobs calls its target.
        pauses: oldest first, at most `PAUSES_KEPT`.
        revision: grows by one with each change; 0 for a namespace without settings.
        unknown: fields that a later version stored, kept unread.
    """

    name: Annotated[str, Field(apart=True)]
    max_concurrency: int | None = None
    shadow: Annotated[bool, Field(needs="shadow")] = False
    pauses: tuple[NamespacePause, ...] = ()
    revision: int = 0
    updated_at: datetime | None = None
    updated_by: str = ""
    quota: Quota = UNLIMITED
    unknown: Annotated[Mapping[str, Any], Field(apart=True)] = field(default_factory=dict, hash=False)

    @property
    def most_at_once(self) -> int | None:
        """Most attempts in progress at once: the lower of the namespace's own limit and its quota; None for no limit."""
        return min((each for each in (self.max_concurrency, self.quota.concurrency) if each is not None), default=None)

    @property
    def quota_is_lower(self) -> bool:
        """Whether the quota, and not the namespace's own limit, sets `most_at_once`."""
        own, quota = self.max_concurrency, self.quota.concurrency
        return quota is not None and (own is None or quota < own)

    def paused(self, now: datetime) -> NamespacePause | None:
        """The pause that is on at `now`; None without one."""
        return self.pauses[-1] if self.pauses and self.pauses[-1].is_on(now) else None

    def pause_stopping(self, run: RunKey, now: datetime) -> NamespacePause | None:
        """The pause that keeps a run from starting: one that is on, or for a scheduled run also one that was on at its instant.

        Triggered runs start even during a pause.
        """
        if run.triggered_by_hand:
            return None
        named = run.named_by_schedule
        over = next((pause for pause in reversed(self.pauses) if named and pause.covers(run.scheduled_for)), None)
        return over or self.paused(now)

    def pause_that_skipped(self, run: RunKey, then: datetime) -> NamespacePause | None:
        """The pause that made a worker skip a run at `then`; None when it is no longer kept."""
        over = (pause for pause in reversed(self.pauses) if run.named_by_schedule and pause.covers(run.scheduled_for))
        return next(over, None) or next((pause for pause in reversed(self.pauses) if pause.begun <= then), None)

    def with_pause(self, until: datetime | None, *, now: datetime, who: str) -> Namespace:
        """A copy that is paused from now on. If a pause is on already, that gets the new end."""
        on = self.paused(now)
        kept = self.pauses[:-1] if on else self.pauses
        pause = on._replace(until=until) if on else NamespacePause(begun=floor(now), until=until, who=who)
        return replace(self, pauses=(*kept, pause)[-PAUSES_KEPT:])

    def resumed(self, *, now: datetime, who: str) -> Namespace:
        """A copy in which the pause that is on, if any, ends now."""
        on = self.paused(now)
        if on is None:
            return self
        return replace(self, pauses=(*self.pauses[:-1], on._replace(ended=floor(now), ended_by=who)))
