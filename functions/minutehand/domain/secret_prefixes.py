"""Prefixes of secrets: which secrets the jobs of a namespace may use, by the setting of the operator. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minutehand.domain.declaration.checks import NAME, NAME_RULE
from minutehand.domain.declaration.field import Refused
from minutehand.domain.secret_reference import SecretReference, Store, check_name

EVERY = "*"
_OWN = "{namespace}"
_SHAPE = "write namespace=ssm:/path/ or namespace=secretsmanager:path/, with * for every namespace"


class SecretPrefix(NamedTuple):
    """The secrets below a path, for the jobs of one namespace or of every one.

    Attributes:
        namespace: a name, or `*` for every namespace.
        path: such as `ssm:/shop/`. Without `/` at its end it names one secret. `{namespace}` in it stands for the namespace of the job.
    """

    namespace: str
    path: str

    @classmethod
    def parse(cls, text: str) -> SecretPrefix:
        """Read an entry such as `shop=ssm:/shop/`.

        Raises:
            ValueError: for any other text, with what would be right.
        """
        namespace, equals, path = text.partition("=")
        if not equals:
            raise ValueError(f"{text!r} names no namespace; {_SHAPE}")
        if namespace != EVERY and not NAME.fullmatch(namespace):
            raise ValueError(f"{namespace!r} in {text!r} is no namespace; write *, or {NAME_RULE}")
        store, _, name = path.partition(":")
        if store not in [*Store]:
            raise ValueError(f"{store!r} in {text!r} is no store of secrets; {_SHAPE}")
        try:
            check_name(Store(store), name.replace(_OWN, "a").removesuffix("/"))
        except Refused as error:
            raise ValueError(f"{text!r}: {error.message}; {error.hint}") from None
        return cls(namespace, path)

    def path_of(self, namespace: str) -> str:
        """The path for the jobs of a namespace."""
        return self.path.replace(_OWN, namespace)

    def covers(self, reference: SecretReference, namespace: str) -> bool:
        """Whether the jobs of a namespace may use a secret."""
        if self.namespace not in (EVERY, namespace):
            return False
        path, wanted = self.path_of(namespace), str(reference.whole)
        return wanted.startswith(path) if path.endswith("/") else wanted == path


def parse_prefixes(text: str) -> tuple[SecretPrefix, ...]:
    """Read entries that are separated by commas. No entry allows no secret.

    Raises:
        ValueError: for an entry that cannot be read.
    """
    return tuple(SecretPrefix.parse(entry.strip()) for entry in text.split(",") if entry.strip())


def refusal(prefixes: Sequence[SecretPrefix], reference: SecretReference, namespace: str) -> tuple[str, str] | None:
    """Why the jobs of a namespace may not use a secret, with a hint; None if they may."""
    if any(entry.covers(reference, namespace) for entry in prefixes):
        return None
    known = ", ".join(entry.path_of(namespace) for entry in prefixes if entry.namespace in (EVERY, namespace))
    allowed = f"allowed are secrets below {known}" if known else "none is allowed"
    return (
        f"jobs of the namespace {namespace} may not use the secret {reference}",
        f"{allowed}; the operator of this service can add to them (SecretPrefixes)",
    )
