"""In-memory store of the records of changes."""

from __future__ import annotations

from minutehand.adapters import cursors
from minutehand.adapters.memory.state import MemoryState, MemoryStore
from minutehand.domain.audit import AuditRecord
from minutehand.usecases.ports.audits import MOST_RECORDS_LOOKED_AT, Wanted
from minutehand.usecases.ports.stores import Page


class MemoryAudits(MemoryStore):
    """In-memory implementation of the port `Audits` over a `MemoryState`."""

    def add(self, record: AuditRecord) -> None:
        with self._state.lock:
            recorded(self._state, record)

    def page(self, namespace: str, wanted: Wanted, limit: int, cursor: str | None) -> Page[AuditRecord]:
        of = wanted.query(namespace)
        last = cursors.decode(cursor, listing="audit", of=of) if cursor is not None else None
        with self._state.lock:
            kept = [
                record
                for record in self._state.audits.values()
                if record.namespace == namespace
                and wanted.job in ("", record.job)
                and (wanted.start is None or record.at >= wanted.start)
                and (wanted.end is None or record.at < wanted.end)
                and (last is None or record.id < last)
            ]
        kept.sort(key=lambda record: record.id, reverse=True)
        filtered = bool(wanted.actor or wanted.action)
        seen = kept[: MOST_RECORDS_LOOKED_AT if filtered else limit + 1]
        found = [
            record
            for record in seen
            if wanted.actor in ("", record.actor.name) and wanted.action in (None, record.action)
        ]
        ends = found[limit - 1] if len(found) > limit else seen[-1] if len(seen) < len(kept) else None
        return Page(
            items=tuple(found[:limit]), next=cursors.encode(listing="audit", of=of, last=ends.id) if ends else None
        )


def recorded(state: MemoryState, record: AuditRecord | None) -> None:
    """Store a record, unless it is stored already; the caller holds the lock."""
    if record is not None:
        state.audits.setdefault((record.namespace, record.id), record)
