"""People who prove who they are with a JSON Web Token (JWT) of the stack's OIDC issuer: the check of its signature.

Only signatures with a public key count (RFC 7518, 3.1), and only with a key that the issuer itself lists, of the type that the algorithm needs.
Nothing that the JWT says of keys (`jku`, `jwk`, `x5u`, `x5c`) is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import jwt
from jwt.exceptions import InvalidKeyError, PyJWTError
from jwt.types import Options

from minutehand.adapters.oidc.issuer_keys import IssuerKeys
from minutehand.domain.caller import Caller
from minutehand.domain.errors import Unidentified
from minutehand.domain.oidc import OidcTerms, person_of

LONGEST_JWT = 8_192
"""Most characters of a JWT. API Gateway takes 10,240 bytes of headers altogether, for a private API 8,000."""
LONGEST_KID = 255
ALGORITHMS: Mapping[str, tuple[str, str]] = {
    "RS256": ("RSA", ""),
    "RS384": ("RSA", ""),
    "RS512": ("RSA", ""),
    "PS256": ("RSA", ""),
    "PS384": ("RSA", ""),
    "PS512": ("RSA", ""),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}
"""Accepted algorithms, each with the type of its keys (`kty`) and their curve (`crv`)."""
_OPTIONS: Options = {
    "require": ["exp", "iat", "iss", "aud", "sub"],
    "enforce_minimum_key_length": True,
    # The rules of the domain judge these, by the stack's clock (`person_of`).
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
    "verify_aud": False,
    "verify_iss": False,
}


class People:
    """Identifies people by their JWTs."""

    def __init__(self, terms: OidcTerms, keys: IssuerKeys) -> None:
        self._terms = terms
        self._keys = keys

    def identify(self, text: str, now: datetime) -> Caller:
        """The person whom a JWT is about.

        Raises:
            Unidentified: when it is not one of the issuer for this stack that holds at `now`; the message says why.
            IssuerUnavailable: when the issuer's keys are needed and cannot be read.
        """
        return person_of(self._claims(text, now), self._terms, now)

    def _claims(self, text: str, now: datetime) -> Mapping[str, Any]:
        if len(text) > LONGEST_JWT:
            raise Unidentified(f"the JWT has {len(text)} characters; {LONGEST_JWT} is the most")
        try:
            header = jwt.get_unverified_header(text)
        except (PyJWTError, ValueError, RecursionError):
            raise Unidentified("this is not a JWT that can be read: its form or its header is wrong") from None
        algorithm, kid = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            raise Unidentified(f"the JWT's algorithm is {algorithm!r:.40}; accepted are {', '.join(ALGORITHMS)}")
        if not isinstance(kid, str) or not 0 < len(kid) <= LONGEST_KID:
            raise Unidentified("the JWT's header names no key ('kid')")
        key = self._keys.get(kid, now)
        if key is None:
            raise Unidentified(f"the JWT's key {kid!r:.80} is not among those of the issuer {self._terms.issuer}")
        try:
            claims: Mapping[str, Any] = jwt.decode(
                text,
                _public_key(key, algorithm),
                algorithms=[algorithm],
                options=_OPTIONS,
            )
        except InvalidKeyError:
            raise Unidentified(f"the key {kid!r:.80} of the issuer is too short, or cannot be read") from None
        except (PyJWTError, ValueError, RecursionError) as error:
            raise Unidentified(f"the JWT is refused: {_line(error)}") from None
        return claims


def _public_key(key: Mapping[str, Any], algorithm: str) -> jwt.PyJWK:
    """A key of the issuer for one algorithm. Raises Unidentified for a key of another kind, or that is not for signatures."""
    kty, curve = ALGORITHMS[algorithm]
    fits = key.get("kty") == kty and (not curve or key.get("crv") == curve) and key.get("alg", algorithm) == algorithm
    # "d" is the private part of a key. An issuer that publishes it lets anybody sign.
    operations = key.get("key_ops", ["verify"])
    signs = key.get("use", "sig") == "sig" and isinstance(operations, list) and "verify" in operations
    if not fits or not signs or "d" in key:
        raise Unidentified(f"the JWT's key is not one for signatures with {algorithm}")
    return jwt.PyJWK(dict(key), algorithm)


def _line(error: Exception) -> str:
    return re.sub(r"[^ -~]", "?", str(error))[:200]
