"""In-memory store of calendars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minutehand.adapters import cursors
from minutehand.adapters.memory.state import MemoryState
from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.usecases.ports.stores import Page


class MemoryCalendars:
    """The port `Calendars` over a `MemoryState`."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def get(self, calendars: Sequence[CalendarKey]) -> Mapping[CalendarKey, Calendar]:
        """See `Calendars.get`."""
        with self._state.lock:
            return {key: self._state.calendars[key] for key in calendars if key in self._state.calendars}

    def save(self, before: Calendar | None, after: Calendar) -> bool:
        """See `Calendars.save`."""
        with self._state.lock:
            stored = self._state.calendars.get(after.key)
            if _version(stored) != _version(before):
                return False
            self._state.calendars[after.key] = after._replace(users=stored.users if stored else 0)
            return True

    def delete(self, calendar: Calendar) -> bool:
        """See `Calendars.delete`."""
        with self._state.lock:
            stored = self._state.calendars.get(calendar.key)
            if stored is None or _version(stored) != _version(calendar) or stored.users:
                return False
            del self._state.calendars[calendar.key]
            return True

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Calendar]:
        """See `Calendars.page`."""
        after = cursors.decode(cursor, listing="calendars", of=namespace) if cursor is not None else ""
        with self._state.lock:
            names = sorted(key.name for key in self._state.calendars if key.namespace == namespace and key.name > after)
            found = tuple(self._state.calendars[CalendarKey(namespace, name)] for name in names[:limit])
        more = len(names) > limit
        return Page(
            items=found,
            next=cursors.encode(listing="calendars", of=namespace, last=names[limit - 1]) if more else None,
        )


def _version(calendar: Calendar | None) -> object:
    return calendar and (calendar.revision, calendar.updated_at)
