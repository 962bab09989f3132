"""Reads ahead of many saves: what each of them reads first is read for all of them with a few calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from minutehand.domain.definition import Definition
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.ports.bundle import Ports

if TYPE_CHECKING:
    from minutehand.usecases.ports.settings import Calendars, Namespaces
    from minutehand.usecases.ports.stores import Definitions, Timers

K = TypeVar("K")
V = TypeVar("V")


def read_ahead(ports: Ports, jobs: Sequence[JobKey]) -> Ports:
    """Ports for the saves of these jobs. Their definitions and timers are read now, each for its first reader: a save that fails since
    they have changed reads them again, and so sees the change."""
    definitions = _Once(jobs, ports.definitions.get(jobs))
    timers = _Once(jobs, ports.timers.of_jobs(jobs))
    return ports._replace(
        definitions=cast("Definitions", _AheadDefinitions(ports.definitions, definitions)),
        timers=cast("Timers", _AheadTimers(ports.timers, timers)),
    )


def remembering(ports: Ports, jobs: Sequence[JobKey]) -> Ports:
    """Ports for dry runs of these jobs, which see everything as it is when it is first read."""
    definitions = _Memory(ports.definitions, ports.definitions.get)
    definitions.get(jobs)
    return ports._replace(
        definitions=cast("Definitions", definitions),
        namespaces=cast("Namespaces", _Memory(ports.namespaces, ports.namespaces.get)),
        calendars=cast("Calendars", _Memory(ports.calendars, ports.calendars.get)),
    )


class _Other:
    """A store of which one method is replaced."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class _Once(Generic[V]):
    """What was read, each for one reader; None for what does not exist."""

    def __init__(self, jobs: Sequence[JobKey], found: Mapping[JobKey, V]) -> None:
        self._found: dict[JobKey, V | None] = {job: found.get(job) for job in jobs}

    def __contains__(self, job: JobKey) -> bool:
        return job in self._found

    def take(self, job: JobKey) -> V | None:
        """What was read of a job."""
        return self._found.pop(job)


class _AheadDefinitions(_Other):
    def __init__(self, store: Definitions, ahead: _Once[Definition]) -> None:
        super().__init__(store)
        self._ahead = ahead

    def get(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Definition]:
        """As `Definitions.get`."""
        ahead = {job: self._ahead.take(job) for job in jobs if job in self._ahead}
        others = [job for job in jobs if job not in ahead]
        found: dict[JobKey, Definition] = dict(self._store.get(others)) if others else {}
        return found | {job: definition for job, definition in ahead.items() if definition is not None}


class _AheadTimers(_Other):
    def __init__(self, store: Timers, ahead: _Once[Timer | BrokenTimer]) -> None:
        super().__init__(store)
        self._ahead = ahead

    def get(self, job: JobKey) -> Timer | BrokenTimer | None:
        """As `Timers.get`."""
        if job in self._ahead:
            return self._ahead.take(job)
        found: Timer | BrokenTimer | None = self._store.get(job)
        return found


class _Memory(_Other, Generic[K, V]):
    """A store whose method `get` reads each key once."""

    def __init__(self, store: Any, get: Callable[[Sequence[K]], Mapping[K, V]]) -> None:
        super().__init__(store)
        self._get = get
        self._read: dict[K, V | None] = {}

    def get(self, keys: Sequence[K]) -> Mapping[K, V]:
        """As the store's method."""
        unread = [key for key in keys if key not in self._read]
        if unread:
            found = self._get(unread)
            self._read |= {key: found.get(key) for key in unread}
        return {key: value for key in keys if (value := self._read[key]) is not None}
