"""Secrets that jobs name by reference, and that only a worker resolves."""

from __future__ import annotations

from typing import Protocol


class Secrets(Protocol):
    """Resolves references to secrets. Safe for many threads."""

    def __call__(self, reference: str, namespace: str, /) -> str:
        """The text of a secret.

        Args:
            reference: such as `ssm:/shop/signing-key`.
            namespace: that of the job, which may only be allowed some secrets.

        Raises:
            NotFound: if there is no such secret.
            NotAllowed: if the namespace may not use it.
            Unavailable: if the store of secrets does not answer.
        """
