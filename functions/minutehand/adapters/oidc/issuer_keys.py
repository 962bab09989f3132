"""The keys of an OIDC issuer, read when they are needed and kept for a while.

Discovery: OpenID Connect Discovery 1.0, section 4. Sets of keys: RFC 7517, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from minutehand.adapters.oidc.documents import Documents
from minutehand.domain.errors import IssuerUnavailable

READ_AGAIN_AFTER = timedelta(minutes=15)
"""From when on keys are read again: so long may a key that the issuer has withdrawn still count."""
KEPT = timedelta(hours=12)
"""How long keys count if the issuer does not answer meanwhile."""
PAUSE = timedelta(seconds=30)
"""Shortest time between two readings, whatever the reason: anybody can send JWTs with unknown keys."""
MOST_KEYS = 100


class IssuerKeys:
    """The keys of one issuer, as JSON Web Keys (RFC 7517), by their `kid`."""

    def __init__(self, issuer: str, documents: Documents) -> None:
        self._issuer = issuer
        self._documents = documents
        self._lock = Lock()
        self._keys: Mapping[str, Mapping[str, Any]] = {}
        self._read_at: datetime | None = None
        self._tried_at: datetime | None = None
        self._failure: IssuerUnavailable | None = None

    def get(self, kid: str, now: datetime) -> Mapping[str, Any] | None:
        """The key with this id; None if the issuer has none, as far as this process knows.

        Raises:
            IssuerUnavailable: when the issuer does not answer, and no keys are known, or only old ones.
        """
        with self._lock:
            stale = self._read_at is None or not timedelta(0) <= now - self._read_at < READ_AGAIN_AFTER
            if (stale or kid not in self._keys) and self._may_try(now):
                self._refresh(now)
            if self._read_at is None or not now - self._read_at < KEPT:
                raise self._failure or IssuerUnavailable(f"the keys of the OIDC issuer {self._issuer} are not known")
            return self._keys.get(kid)

    def _may_try(self, now: datetime) -> bool:
        # A clock that goes backwards must not stop readings.
        return self._tried_at is None or not timedelta(0) <= now - self._tried_at < PAUSE

    def _refresh(self, now: datetime) -> None:
        self._tried_at = now
        try:
            self._keys = self._read()
        except IssuerUnavailable as failure:
            self._failure = failure
        else:
            self._read_at, self._failure = now, None

    def _read(self) -> Mapping[str, Mapping[str, Any]]:
        found = self._documents.read(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != self._issuer:
            raise IssuerUnavailable(
                f"the description at {self._issuer} is of the issuer {found.get('issuer')!r:.200}; the parameter OidcIssuer must be this text"
            )
        address = found.get("jwks_uri")
        if not isinstance(address, str):
            raise IssuerUnavailable(f"the description of the OIDC issuer {self._issuer} names no keys (jwks_uri)")
        listed = self._documents.read(address).get("keys")
        if not isinstance(listed, list):
            raise IssuerUnavailable(f"the OIDC issuer {self._issuer} lists no keys")
        named = [key for key in listed[:MOST_KEYS] if isinstance(key, dict) and isinstance(key.get("kid"), str)]
        return {key["kid"]: key for key in named}
