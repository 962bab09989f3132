"""Bearer tokens: each gives its bearer a role in some namespaces."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime, timedelta
from enum import Enum
from typing import Annotated, NamedTuple

from minutehand.domain.declaration.field import Field

EVERYWHERE = "*"
MOST_NAMESPACES = 90
"""Most namespaces of a token: the record of its change is stored in the list of each, and DynamoDB limits a transaction to 100 items."""
LONGEST_VALID = timedelta(days=3650)
"""Longest time for which a token that expires may be valid."""
USE_NOTED_EVERY = timedelta(hours=1)
"""Shortest time between two writes of a token's last use."""
_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"


class Role(Enum):
    """Role of a token in its namespaces. Each of viewer, operator and admin includes the ones before it."""

    VIEWER = "viewer"
    """May read jobs, runs and calendars."""
    OPERATOR = "operator"
    """May do what a viewer may, and also pause, resume and trigger."""
    ADMIN = "admin"
    """May do what an operator may, and also save and delete jobs and calendars, and make tokens."""
    AGENT = "agent"
    """For machines: may only list, register and remove endpoints of services. No other role includes it, and it includes none."""

    def covers(self, needed: Role) -> bool:
        """Whether this role includes `needed`."""
        if Role.AGENT in (self, needed):
            return self is needed
        order = list(Role)
        return order.index(self) >= order.index(needed)


class Token(NamedTuple):
    """A bearer token as stored, with the hash of its secret only.

    Attributes:
        digest: hash of the secret, by `digest_of`.
    """

    digest: Annotated[str, Field(hidden=True)]
    name: Annotated[str, Field("The token's name, shown as the author of changes.")]
    role: Annotated[Role, Field("What the token may do in its namespaces.")]
    namespaces: Annotated[tuple[str, ...], Field("Names of namespaces, or `*` for all.")]
    created_at: Annotated[datetime | None, Field("When the token was made; null if that was not recorded.")] = None
    created_by: Annotated[str | None, Field("Name of the token that made it; null if that was not recorded.")] = None
    expires_at: Annotated[datetime | None, Field("From when on the token is refused; null if it does not expire.")] = (
        None
    )
    last_used_at: Annotated[
        datetime | None, Field("When the token was used, as noted once an hour at most; null if it never was.")
    ] = None

    @property
    def id(self) -> str:
        """The token's public name in the API: short, and of no help in finding the secret."""
        return id_of(self.digest)

    def expired(self, now: datetime) -> bool:
        """Whether the token is refused at `now` because of its age."""
        return self.expires_at is not None and self.expires_at <= now

    def use_to_note(self, now: datetime) -> bool:
        """Whether a use at `now` is to be written down: the last one that was is an hour ago."""
        return self.last_used_at is None or self.last_used_at + USE_NOTED_EVERY <= now


def id_of(digest: str) -> str:
    """The id of the token with this digest: `t-` and ten letters and digits, the first 50 bits of the digest in base32."""
    bits = int(digest[:13], 16) >> 2
    return "t-" + "".join(_BASE32[bits >> place & 31] for place in range(45, -5, -5))


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
