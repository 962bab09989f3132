"""Services: groups of endpoints that register themselves for a time. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.endpoint import MOST_ENDPOINTS, Endpoint

MOST_REGISTERED = MOST_ENDPOINTS
"""Most endpoints that a service has at a time."""
SHORTEST_TTL, LONGEST_TTL = timedelta(seconds=10), timedelta(days=1)


class ServiceKey(NamedTuple):
    """A service, in its namespace."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class Registration(NamedTuple):
    """An endpoint that registered itself under a name of its choice, such as that of its machine. It counts before `until`."""

    name: str
    endpoint: Endpoint
    until: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Service:
    """A service.

    Attributes:
        changes: how often a registration was added; not counted are renewals and removals.
        registrations: by name, also those that are over.
    """

    key: ServiceKey
    changes: int = 0
    registrations: tuple[Registration, ...] = ()

    def alive(self, now: datetime) -> tuple[Registration, ...]:
        """The registrations that count at an instant, by name."""
        return tuple(sorted(each for each in self.registrations if now < each.until))
