"""Errors of the domain and the use cases. Each message says what is wrong, where, and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple


class MinutehandError(Exception):
    """Root of every error this project raises on purpose."""


class FieldProblem(NamedTuple):
    """One problem with one field.

    Attributes:
        path: the field, as `target.url`; empty for the document as a whole.
        message: what is wrong.
        hint: how to correct it; may be empty.
        column: 0-based position in the field's text; None where a position would not help.
    """

    path: str
    message: str
    hint: str = ""
    column: int | None = None


class Invalid(MinutehandError):
    """The request is invalid. `problems` lists every problem found."""

    def __init__(self, *problems: FieldProblem) -> None:
        super().__init__("; ".join(f"{p.path}: {p.message}" if p.path else p.message for p in problems))
        self.problems = problems


class NotFound(MinutehandError):
    """The requested item does not exist."""


class Conflict(MinutehandError):
    """The request conflicts with the current state, or with concurrent updates. The message says whether trying again helps."""


class InUse(Conflict):
    """The item cannot be removed as long as jobs name it."""


class QuotaReached(Conflict):
    """The namespace's quota does not allow another job. Only the operator of the deployment can change a quota."""


class RunsQuotaReached(MinutehandError):
    """The namespace's quota does not let another run begin in this minute; `wait` says when one may."""

    def __init__(self, message: str, wait: timedelta) -> None:
        super().__init__(message)
        self.wait = wait


class KeyReused(Conflict):
    """The idempotency key was used for a different request. Send another key, or the same request."""


class NotAllowed(MinutehandError):
    """The caller is authenticated but not authorized."""


class Unidentified(MinutehandError):
    """The request proves no identity: what it carries is refused. The message says why."""


class Unavailable(MinutehandError):
    """A store or queue did not answer. Whether it did the work is unknown; trying again is safe."""


class Unreadable(Unavailable):
    """The store answered, but with an item that this version cannot read. Only what needs this item is affected."""


class IssuerUnavailable(Unavailable):
    """The OIDC issuer does not answer, and its keys are not known. The message says so."""


class NeedsNewerVersion(Unreadable):
    """A stored item needs features that this version does not know, so this version leaves it alone."""


Unread = Callable[[Unreadable], None]
"""Takes the error of each item that cannot be read, where the others are read nevertheless."""


def ignored(_trouble: Unreadable) -> None:
    """Take no notice of an item that cannot be read."""


def unanswered(trouble: BaseException) -> bool:
    """Whether an error means that a store or the queue did not answer, so that other jobs may have the same problem."""
    return isinstance(trouble, Unavailable) and not isinstance(trouble, Unreadable)
