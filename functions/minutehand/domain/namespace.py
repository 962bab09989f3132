"""A namespace: what is set for all of its jobs together. One that nobody has set anything of has no settings. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from minutehand.domain.declaration import Field
from minutehand.domain.instants import floor
from minutehand.domain.run import RunKey

MOST_AT_ONCE = 1000
"""The highest limit of a namespace's concurrency."""
PAUSES_KEPT = 20
"""Pauses that are remembered, so that what was to run in one is known to be skipped, however late a worker looks at it."""


class NamespacePause(NamedTuple):
    """A pause of a namespace.

    Attributes:
        begun: whole second; what is scheduled for later instants is kept from running.
        until: the first instant that runs again, if the pause ends by itself.
        who: who began it.
        ended: whole second at which somebody resumed the namespace; what is scheduled for later instants runs again.
        ended_by: who did.
    """

    begun: datetime
    until: datetime | None
    who: str
    ended: datetime | None = None
    ended_by: str = ""

    def is_on(self, now: datetime) -> bool:
        """Whether nothing may start now. It has begun by whoever's clock; one that is behind must not think otherwise."""
        return self.ended is None and (self.until is None or now < self.until)

    def covers(self, instant: datetime) -> bool:
        """Whether what is scheduled for an instant lies in it."""
        after_end = self.ended is not None and instant > self.ended
        return self.begun < instant and not after_end and (self.until is None or instant < self.until)

    @property
    def ends(self) -> datetime | None:
        """When it ended, or ends by itself; None when it goes on until somebody resumes the namespace."""
        return self.until if self.ended is None else self.ended


@dataclass(frozen=True, kw_only=True, slots=True)
class Namespace:
    """A namespace's settings.

    Attributes:
        max_concurrency: how many attempts of its jobs' runs may be under way at once; None for any number.
        halts: its pauses, oldest first.
        revision: grows by one with each change; 0 where nobody has made one.
        unknown: what a later version stored beside it.
    """

    name: Annotated[str, Field(apart=True)]
    max_concurrency: int | None = None
    pauses: tuple[NamespacePause, ...] = ()
    revision: int = 0
    updated_at: datetime | None = None
    updated_by: str = ""
    unknown: Annotated[Mapping[str, Any], Field(apart=True)] = field(default_factory=dict)

    def paused(self, now: datetime) -> NamespacePause | None:
        """The pause that is on, if one is."""
        return self.pauses[-1] if self.pauses and self.pauses[-1].is_on(now) else None

    def in_the_way_of(self, run: RunKey, now: datetime) -> NamespacePause | None:
        """The pause that keeps a run from starting: one that is on; for what a schedule named, also one that was on at its instant.

        What a person asks for by hand runs in a pause too.
        """
        if run.triggered_by_hand:
            return None
        named = run.named_by_schedule
        over = next((pause for pause in reversed(self.pauses) if named and pause.covers(run.scheduled_for)), None)
        return over or self.paused(now)

    def that_skipped(self, run: RunKey, then: datetime) -> NamespacePause | None:
        """The pause that kept a run from starting which a worker looked at then, as far as it is remembered."""
        over = (pause for pause in reversed(self.pauses) if run.named_by_schedule and pause.covers(run.scheduled_for))
        return next(over, None) or next((pause for pause in reversed(self.pauses) if pause.begun <= then), None)

    def limited(self, most: int | None) -> Namespace:
        """With another limit."""
        return replace(self, max_concurrency=most)

    def with_pause(self, until: datetime | None, *, now: datetime, who: str) -> Namespace:
        """Paused from now on; a pause that is on ends as this says."""
        on = self.paused(now)
        kept = self.pauses[:-1] if on else self.pauses
        pause = on._replace(until=until) if on else NamespacePause(begun=floor(now), until=until, who=who)
        return replace(self, pauses=(*kept, pause)[-PAUSES_KEPT:])

    def resumed(self, *, now: datetime, who: str) -> Namespace:
        """Not paused any more."""
        on = self.paused(now)
        return (
            self
            if on is None
            else replace(self, pauses=(*self.pauses[:-1], on._replace(ended=floor(now), ended_by=who)))
        )
