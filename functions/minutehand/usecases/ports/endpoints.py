"""Endpoints of services: those that registered themselves, and the state by which calls are shared among a job's endpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from minutehand.domain.balance import Balance, CallEnd, Hold
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.service import Registration, Service, ServiceKey
    from minutehand.usecases.ports.stores import Clock, Page


class Balances(Protocol):
    """The state of the endpoints of each job that has several. May raise `Unavailable`; a call is then made without it."""

    def get(self, job: JobKey) -> Balance:
        """Read the state; an empty one if nothing is stored."""

    def draw(self, job: JobKey, now: datetime) -> Balance:
        """Count one ticket, atomically, and return the state after it."""

    def take(self, job: JobKey, before: Balance, hold: Hold, now: datetime) -> Balance | None:
        """Count one ticket and one call in flight, if no other ticket was drawn since `before` was read; and drop the holds in it that
        are over. Returns None if that was done; otherwise the state as it is, and nothing is changed."""

    def record(self, job: JobKey, end: CallEnd, now: datetime) -> None:
        """Store what the end of a call says about its endpoint (`Balance.ended`). Each count changes atomically."""


class Services(Protocol):
    """Services whose endpoints register themselves."""

    def get(self, key: ServiceKey) -> Service | None:
        """Read a service, with registrations that may be over; None if none was made."""

    def renew(self, key: ServiceKey, registration: Registration, now: datetime) -> bool:
        """Replace the registration of the same name, if there is one, in one write; False if there is none."""

    def add(self, before: Service, registration: Registration, now: datetime) -> bool:
        """Add a registration, and drop those of `before` that are over. False, with nothing written, if since
        `before` was read another one was added, or one that was over was renewed or removed."""

    def remove(self, key: ServiceKey, name: str) -> bool:
        """Remove the registration of this name. False if there is none."""

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Service]:
        """A page of a namespace's services, by name, with registrations that may be over."""


class Discovery(Protocol):
    """Services outside, by the name of a namespace and a service."""

    def instances(self, namespace: str, service: str) -> Sequence[Mapping[str, str]]:
        """The attributes of the healthy instances. May raise `NotAllowed` and `Unavailable`."""


class Balancing(NamedTuple):
    """What calls of jobs with several endpoints need."""

    balances: Balances
    services: Services
    cloud_map: Discovery
    clock: Clock
