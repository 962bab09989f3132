"""The one tree of errors that rules and use cases raise; each says what was wrong, where, and what would be right."""

from __future__ import annotations

from typing import NamedTuple


class MinutehandError(Exception):
    """Root of every error this project raises on purpose."""


class FieldProblem(NamedTuple):
    """One thing wrong with one field.

    Attributes:
        path: where, as `target.url`; empty for the document as a whole.
        message: what is wrong.
        hint: what would be right; may be empty.
        column: 0-based character in the field's text, where that helps.
    """

    path: str
    message: str
    hint: str = ""
    column: int | None = None


class Invalid(MinutehandError):
    """The caller's data cannot be accepted; every problem found is in `problems`."""

    def __init__(self, *problems: FieldProblem) -> None:
        super().__init__("; ".join(f"{p.path}: {p.message}" if p.path else p.message for p in problems))
        self.problems = problems


class NotFound(MinutehandError):
    """What was asked for does not exist."""


class Conflict(MinutehandError):
    """The thing changed while it was being changed; asking again is right."""


class InUse(Conflict):
    """What others use cannot be removed before they let go of it."""


class KeyReused(Conflict):
    """An idempotency key that was used for something else; another key, or the same request, would be right."""


class NotAllowed(MinutehandError):
    """The caller is known and may not do this."""


class Unavailable(MinutehandError):
    """A store or queue did not answer; nothing is known about what it did. Asking again is safe."""
