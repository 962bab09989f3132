"""In-memory stores of calendars, of namespaces' settings, of tokens and of answers to CloudFormation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from minutehand.adapters.cursors import page_of
from minutehand.adapters.memory.audits import recorded
from minutehand.adapters.memory.quota_use import MemoryQuotaUse
from minutehand.adapters.memory.state import MemoryStore
from minutehand.domain.audit import AuditRecord
from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.instants import ceiling
from minutehand.domain.namespace import Namespace
from minutehand.domain.token import Token
from minutehand.usecases.ports.stores import Page


class MemoryCalendars(MemoryStore):
    """In-memory implementation of the port `Calendars` over a `MemoryState`."""

    def get(self, calendars: Sequence[CalendarKey]) -> Mapping[CalendarKey, Calendar]:
        with self._state.lock:
            return {key: self._state.calendars[key] for key in calendars if key in self._state.calendars}

    def save(self, before: Calendar | None, after: Calendar, audit: AuditRecord | None = None) -> bool:
        with self._state.lock:
            stored = self._state.calendars.get(after.key)
            if _version(stored) != _version(before):
                return False
            self._state.calendars[after.key] = after._replace(users=stored.users if stored else 0)
            self._state.namespaces.add(after.key.namespace)
            recorded(self._state, audit)
            return True

    def delete(self, calendar: Calendar, audit: AuditRecord | None = None) -> bool:
        with self._state.lock:
            stored = self._state.calendars.get(calendar.key)
            if stored is None or _version(stored) != _version(calendar) or stored.users:
                return False
            del self._state.calendars[calendar.key]
            recorded(self._state, audit)
            return True

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Calendar]:
        with self._state.lock:
            found = [calendar for key, calendar in self._state.calendars.items() if key.namespace == namespace]
        return page_of(found, lambda each: each.key.name, listing="calendars", of=namespace, limit=limit, cursor=cursor)


def _version(calendar: Calendar | None) -> object:
    return calendar and (calendar.revision, calendar.updated_at)


class MemoryNamespaces(MemoryQuotaUse):
    """In-memory implementation of the port `Namespaces` over a `MemoryState`."""

    def get(self, names: Sequence[str]) -> Mapping[str, Namespace]:
        with self._state.lock:
            return {name: self._state.settings[name] for name in names if name in self._state.settings}

    def save(self, before: Namespace | None, after: Namespace, audit: AuditRecord | None = None) -> bool:
        with self._state.lock:
            stored = self._state.settings.get(after.name)
            if (stored and stored.revision) != (before and before.revision):
                return False
            self._state.settings[after.name] = after
            self._state.namespaces.add(after.name)
            recorded(self._state, audit)
            return True


class MemoryTokens(MemoryStore):
    """In-memory implementation of the port `Tokens` over a `MemoryState`."""

    def get(self, digest: str) -> Token | None:
        with self._state.lock:
            return self._state.tokens.get(digest)

    def put(self, token: Token) -> None:
        with self._state.lock:
            self._state.tokens[token.digest] = token

    def add(self, token: Token, *, key: str, until: datetime, audits: Sequence[AuditRecord] = ()) -> str | None:  # noqa: ARG002 - in memory, nothing expires
        with self._state.lock:
            if key and key in self._state.token_keys:
                return self._state.token_keys[key]
            if key:
                self._state.token_keys[key] = token.id
            self.put(token)
            for audit in audits:
                recorded(self._state, audit)
            return None

    def find(self, token_id: str) -> Token | None:
        with self._state.lock:
            return next((token for token in self._state.tokens.values() if token.id == token_id), None)

    def page(self, limit: int, cursor: str | None) -> Page[Token]:
        with self._state.lock:
            found = list(self._state.tokens.values())
        return page_of(found, lambda each: each.id, listing="tokens", of="TOKENS", limit=limit, cursor=cursor)

    def remove(self, token: Token, audits: Sequence[AuditRecord] = ()) -> bool:
        with self._state.lock:
            if self._state.tokens.pop(token.digest, None) is None:
                return False
            for audit in audits:
                recorded(self._state, audit)
            return True

    def note_use(self, token: Token, now: datetime) -> None:
        with self._state.lock:
            stored = self._state.tokens.get(token.digest)
            if stored is not None and stored.use_to_note(now):
                self._state.tokens[token.digest] = stored._replace(last_used_at=ceiling(now))


class MemoryStackAnswers(MemoryStore):
    """In-memory implementation of the port `StackAnswers` over a `MemoryState`. Nothing removes expired answers."""

    def get(self, digest: str) -> str | None:
        with self._state.lock:
            answer, _ = self._state.stack_answers.get(digest, (None, None))
            return answer

    def put(self, digest: str, answer: str, *, expires_at: datetime) -> None:
        with self._state.lock:
            self._state.stack_answers[digest] = answer, expires_at
