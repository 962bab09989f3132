"""Secrets in memory, for tests."""

from __future__ import annotations

from collections.abc import Mapping

from minutehand.domain.errors import NotFound, Unavailable
from minutehand.domain.secret_reference import SecretReference, Unusable


class MemorySecretStores:
    """Reads secrets that are given to it; the `Fetch` of a `SecretCache`.

    Attributes:
        texts: the secrets, by their references without a key; None for a secret that is not a text.
        reads: the references that were read, in order.
        answers: whether the stores answer.
    """

    def __init__(self, texts: Mapping[str, str | None]) -> None:
        """Begin with these secrets."""
        self.texts = dict(texts)
        self.reads: list[str] = []
        self.answers = True

    def __call__(self, reference: SecretReference) -> str:
        """The text of a secret; see `Secrets`."""
        self.reads.append(str(reference))
        if not self.answers:
            raise Unavailable(f"{reference.store.value} did not answer: InternalServerError")
        if str(reference) not in self.texts:
            raise NotFound(f"there is no secret {reference} in this account and region")
        text = self.texts[str(reference)]
        if text is None:
            raise Unusable(f"{reference} is not a text but binary")
        return text
