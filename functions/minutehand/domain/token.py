"""Bearer tokens: each gives its bearer a role in some namespaces."""

from __future__ import annotations

import hashlib
import re
from enum import Enum
from typing import NamedTuple

EVERYWHERE = "*"


class Role(Enum):
    """Role of a token in its namespaces. Each role includes the ones before it."""

    VIEWER = "viewer"
    """May read jobs, runs and calendars."""
    OPERATOR = "operator"
    """May do what a viewer may, and also pause, resume and trigger."""
    ADMIN = "admin"
    """May do what an operator may, and also save and delete jobs and calendars."""

    def covers(self, needed: Role) -> bool:
        """Whether this role includes `needed`."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


class Token(NamedTuple):
    """A bearer token as stored, with the hash of its secret only.

    Attributes:
        digest: hash of the secret, by `digest_of`.
        name: shown as the author of changes.
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
    """The digest that a run keeps of its attempt's token: 128 bits, as 32 hexadecimal digits."""
    return digest_of(token)[:32]


def attempt_token_in(text: str, nonce: str) -> str:
    """The token of an attempt, if a text quotes it; otherwise an empty text. A worker makes tokens of 32 letters, digits, - and _."""
    found = re.finditer(r"(?<![\w-])[\w-]{32}(?![\w-])", text, re.ASCII)
    return next((each[0] for each in found if attempt_nonce(each[0]) == nonce), "")


def digest_of(secret: str) -> str:
    """SHA-256 of a secret in hex. Secrets are 40 random characters, so a slow hash is not needed."""
    return hashlib.sha256(secret.encode()).hexdigest()
