"""Secrets that jobs name by reference, and that only a worker reads."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol

from minutehand.domain.secret_reference import SecretReference


class Secrets(Protocol):
    """Reads secrets. Safe for many threads."""

    def __call__(self, reference: SecretReference, /) -> Future[str]:
        """The text of a whole secret, once it is read. Returns at once.

        Args:
            reference: without a key.

        Raises, when its result is asked for:
            NotFound: if there is no such secret.
            NotAllowed: if the worker may not read it.
            Unusable: if it is no text.
            Unavailable: if the store of secrets does not answer.
        """
