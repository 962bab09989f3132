"""A request for a change of a job: who asks for it, on which condition, and its record for the audit."""

from __future__ import annotations

from typing import Any, NamedTuple

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, AuditRecord, audit_record
from minutehand.domain.definition import Definition
from minutehand.domain.job_document import job_document
from minutehand.domain.precondition import ALWAYS, Precondition, Version
from minutehand.usecases.ports.bundle import Ports


class Asked(NamedTuple):
    """A request for a change: who asks for what, and what must be stored for it to be made.

    Attributes:
        restored: number of the revision that is saved again.
    """

    who: Actor
    action: Action
    only_if: Precondition = ALWAYS
    restored: int | None = None


def version_of(definition: Definition | None) -> Version | None:
    """The version of a stored job; None if there is no job. Numbers of revisions are never used twice for one name."""
    if definition is None or definition.deleted:
        return None
    return Version(str(definition.revision), definition.revision, definition.updated_at, definition.updated_by)


def audited(before: Definition | None, after: Definition, asked: Asked, ports: Ports) -> AuditRecord:
    """The record of a change of a job. Where there is no job before or after, only the fields that were set are named."""
    key, existed = after.job.key, before is not None and not before.deleted
    brief = not existed or after.deleted
    return audit_record(
        asked.who,
        asked.action,
        ports.clock(),
        namespace=key.namespace,
        job=key.name,
        revision=after.revision,
        before=_document(before, brief=brief) if before is not None and existed else None,
        after=None if after.deleted else _document(after, brief=brief),
        kept=ports.audit_retention,
        restored=asked.restored,
    )


def _document(definition: Definition, *, brief: bool) -> dict[str, Any]:
    document = job_document(definition.job, brief=brief)
    return {name: value for name, value in document.items() if name not in ("namespace", "name")}
