"""Store of answers to CloudFormation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class StackAnswers(Protocol):
    """Answers to requests of CloudFormation, by a digest of each request."""

    def get(self, digest: str) -> str | None:
        """Read an answer; None when there is none, or when it has expired and was removed."""

    def put(self, digest: str, answer: str, *, expires_at: datetime) -> None:
        """Store an answer, replacing an earlier one of the same request."""
