"""In-memory stores of services and of the state of jobs' endpoints."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from minutehand.adapters.cursors import page_of
from minutehand.adapters.memory.state import MemoryStore
from minutehand.domain.balance import Balance, CallEnd, Hold
from minutehand.domain.job_key import JobKey
from minutehand.domain.service import Registration, Service, ServiceKey
from minutehand.usecases.ports.stores import Page


class MemoryBalances(MemoryStore):
    """In-memory implementation of the port `Balances` over a `MemoryState`."""

    def get(self, job: JobKey) -> Balance:
        with self._state.lock:
            return self._state.balances.get(job, Balance())

    def draw(self, job: JobKey, now: datetime) -> Balance:  # noqa: ARG002 - the port's signature
        with self._state.lock:
            self._state.balances[job] = after = self.get(job).drawn()
            return after

    def take(self, job: JobKey, before: Balance, hold: Hold, now: datetime) -> Balance | None:
        with self._state.lock:
            stored = self.get(job)
            if stored.tickets != before.tickets:
                return stored
            self._state.balances[job] = stored.took(hold, now)
            return None

    def record(self, job: JobKey, end: CallEnd, now: datetime) -> None:
        with self._state.lock:
            self._state.balances[job] = self.get(job).ended(end, now)


class MemoryServices(MemoryStore):
    """In-memory implementation of the port `Services` over a `MemoryState`."""

    def get(self, key: ServiceKey) -> Service | None:
        with self._state.lock:
            return self._state.services.get(key)

    def renew(self, key: ServiceKey, registration: Registration, now: datetime) -> bool:  # noqa: ARG002 - the port's signature
        with self._state.lock:
            stored = self._state.services.get(key)
            if stored is None or registration.name not in {each.name for each in stored.registrations}:
                return False
            self._state.services[key] = replace(stored, registrations=_with(stored, registration))
            return True

    def add(self, before: Service, registration: Registration, now: datetime) -> bool:
        with self._state.lock:
            stored = self._state.services.get(before.key) or Service(key=before.key)
            over = {each.name: each.until for each in before.registrations if each.until <= now}
            over.pop(registration.name, None)
            known = {each.name: each.until for each in stored.registrations}
            if stored.changes != before.changes or not over.items() <= known.items():
                return False
            kept = replace(stored, registrations=tuple(each for each in stored.registrations if each.name not in over))
            self._state.services[before.key] = replace(
                kept, registrations=_with(kept, registration), changes=stored.changes + 1
            )
            return True

    def remove(self, key: ServiceKey, name: str) -> bool:
        with self._state.lock:
            stored = self._state.services.get(key)
            if stored is None or name not in {each.name for each in stored.registrations}:
                return False
            left = tuple(each for each in stored.registrations if each.name != name)
            self._state.services[key] = replace(stored, registrations=left)
            return True

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Service]:
        with self._state.lock:
            found = [service for key, service in self._state.services.items() if key.namespace == namespace]
        return page_of(found, lambda each: each.key.name, listing="services", of=namespace, limit=limit, cursor=cursor)


def _with(service: Service, registration: Registration) -> tuple[Registration, ...]:
    """The registrations of a service, with this one instead of that of the same name."""
    others = (each for each in service.registrations if each.name != registration.name)
    return tuple(sorted((*others, registration)))
