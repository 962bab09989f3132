"""Executions whose ends attempts wait for: which attempt began which."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, Protocol

from minutehand.domain.run_key import RunKey


class Awaiting(NamedTuple):
    """The attempt that waits for the end of an execution.

    Attributes:
        nonce: the digest of the attempt's token (`attempt_nonce`).
    """

    run: RunKey
    attempt: int
    nonce: str


class Executions(Protocol):
    """Executions by their ARN. AWS tells the end of one by its ARN alone: not always by its input, which a long output pushes out."""

    def expect(self, execution: str, awaiting: Awaiting, until: datetime) -> None:
        """Store who waits for the end of an execution, before it starts; forgotten some time after `until`. Repeating it changes nothing.

        Raises:
            Unavailable: when the store does not answer.
        """

    def awaiting(self, execution: str) -> Awaiting | None:
        """Read consistently who waits for the end of an execution; None if nobody does.

        Raises:
            Unavailable: when the store does not answer.
        """
