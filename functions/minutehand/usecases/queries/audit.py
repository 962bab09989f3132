"""Records of changes of one namespace, or of all by turns, those of no single namespace first."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from minutehand.domain.audit import Action
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.token import EVERYWHERE
from minutehand.usecases.ports.stores import Page

if TYPE_CHECKING:
    from minutehand.domain.audit import AuditRecord
    from minutehand.usecases.ports.audits import Audits, Wanted
    from minutehand.usecases.ports.bundle import Ports

PAGES = 10
"""Most pages of records that one call for all namespaces reads, to bound its time."""
_OF_TOKENS = (Action.CREATE_TOKEN, Action.REVOKE_TOKEN)


def audit_of_all(ports: Ports, audits: Audits, wanted: Wanted, limit: int, cursor: str | None) -> Page[AuditRecord]:
    """Records of all namespaces by name, of each newest first; before them, those of no single namespace. One call goes through `PAGES` pages at most, so a page may be short or empty
    without being the last.

    Raises:
        Invalid: for a cursor that no page of the same question gave.
    """
    question = hashlib.sha256(wanted.query("*").encode()).hexdigest()[:12]
    namespace, inner = _position(cursor, question)
    names = [name for name in (EVERYWHERE, *ports.definitions.namespaces()) if name >= namespace]
    found: list[AuditRecord] = []
    for number, name in enumerate(names):
        if number == PAGES or len(found) == limit:
            return Page(tuple(found), f"{question}:{name}:")
        at = (inner or None) if name == namespace else None
        page = audits.page(name, wanted, limit - len(found), at)
        # The record of a token is also in each namespace that the token names.
        found += [record for record in page.items if name == EVERYWHERE or record.action not in _OF_TOKENS]
        if page.next is not None:
            return Page(tuple(found), f"{question}:{name}:{page.next}")
    return Page(tuple(found), None)


def _position(cursor: str | None, question: str) -> tuple[str, str]:
    """The namespace where a page begins, and the cursor in it; empty where there is none."""
    if cursor is None:
        return "", ""
    match cursor.split(":"):
        case [its_question, namespace, inner] if its_question == question:
            return namespace, inner
    raise Invalid(
        FieldProblem("cursor", "this is not a cursor of this question", "send `next` of the previous page, unchanged")
    )
