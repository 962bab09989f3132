"""Store of the records of changes. See `ports` for what every store promises."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from minutehand.domain.instants import to_text

if TYPE_CHECKING:
    from minutehand.domain.audit import Action, AuditRecord
    from minutehand.usecases.ports.stores import Page

MOST_RECORDS_LOOKED_AT = 500
"""Most records that are read for one page."""


class Wanted(NamedTuple):
    """Which records of a namespace are wanted: those of a job, by an actor, of an action, made at `start` or later and before `end`. An empty
    text or None wants all."""

    job: str = ""
    actor: str = ""
    action: Action | None = None
    start: datetime | None = None
    end: datetime | None = None

    def query(self, namespace: str) -> str:
        """The whole question as text: a cursor belongs to one question."""
        span = ("" if instant is None else to_text(instant) for instant in (self.start, self.end))
        return " ".join((namespace, self.job, self.actor, self.action.value if self.action else "", *span))


class Audits(Protocol):
    """Records of changes. They are stored with the changes, by the stores of what is changed, and never changed or removed; they expire."""

    def add(self, record: AuditRecord) -> None:
        """Store the record of a change that no transaction covers. Storing it again changes nothing."""

    def page(self, namespace: str, wanted: Wanted, limit: int, cursor: str | None) -> Page[AuditRecord]:
        """A namespace's records, newest first. At most `MOST_RECORDS_LOOKED_AT` are read, so a page may be short or empty without being
        the last. `Invalid` for a cursor that this did not return for the same question."""
