"""Tokens: who may do what, where."""

from __future__ import annotations

import hashlib
from enum import Enum
from typing import NamedTuple

EVERYWHERE = "*"


class Role(Enum):
    """What a token may do in its namespaces; each role may do what the ones before it may."""

    VIEWER = "viewer"
    """Reads jobs, runs and calendars."""
    OPERATOR = "operator"
    """Also pauses, resumes and triggers."""
    ADMIN = "admin"
    """Also saves and deletes jobs and calendars."""

    def covers(self, needed: Role) -> bool:
        """Whether this role may do what `needed` may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


class Token(NamedTuple):
    """A bearer token as stored: its secret is known by hash alone.

    Attributes:
        digest: `digest_of` the secret.
        name: shown as who made a change.
        namespaces: names, or `*` for all.
    """

    digest: str
    name: str
    role: Role
    namespaces: tuple[str, ...]

    def may(self, needed: Role, namespace: str) -> bool:
        """Whether the token may act as `needed` in `namespace`."""
        return self.role.covers(needed) and (EVERYWHERE in self.namespaces or namespace in self.namespaces)


def attempt_nonce(token: str) -> str:
    """What a run keeps of the token of an attempt: half of its digest, 128 bits, as 32 hexadecimal digits."""
    return digest_of(token)[:32]


def digest_of(secret: str) -> str:
    """SHA-256 in hex: secrets are 40 random characters, so no slow hash is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()
