"""OIDC: who the claims of a verified JSON Web Token (JWT) say that a person is, and what that person may do. Pure.

The claims are those of RFC 7519 and of OpenID Connect Core 1.0, section 5.1. The adapter has checked the signature before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from minutehand.domain.caller import Caller, CallerKind
from minutehand.domain.errors import Unidentified
from minutehand.domain.role_map import Entry, grants_of_groups
from minutehand.domain.token import digest_of

LONGEST_NAME = 150
_LATEST = 1e12
_SPACED = ("scope", "scp")
"""Claims whose values are words in one text (RFC 8693, 4.2)."""


class OidcTerms(NamedTuple):
    """What a stack accepts of an issuer.

    Attributes:
        issuer: the claim `iss`, letter by letter; also the address of the issuer's description.
        audiences: accepted values of the claim `aud`; a JWT needs one of them.
        roles: what the groups of people may do.
        roles_claim: the claim that names a person's groups; `a.b` also means the claim `b` in the object `a`.
        name_claim: the claim by which people are named; without it, they are named by `sub`.
        skew: by how much the issuer's clock may differ from ours.
    """

    issuer: str
    audiences: tuple[str, ...]
    roles: tuple[Entry, ...]
    roles_claim: str = "groups"
    name_claim: str = "email"
    skew: timedelta = timedelta(seconds=60)


def person_of(claims: Mapping[str, Any], terms: OidcTerms, now: datetime) -> Caller:
    """The person whom these claims are about.

    Raises:
        Unidentified: when they are another issuer's or for another audience, or do not hold at `now`.
    """
    issuer, subject = claims.get("iss"), claims.get("sub")
    if issuer != terms.issuer:
        raise Unidentified(f"the JWT is of the issuer {issuer!r:.200}; this stack accepts {terms.issuer!r}")
    _check_audience(claims.get("aud"), terms.audiences)
    _check_times(claims, terms.skew, now)
    if not isinstance(subject, str) or not subject or len(subject) > 255:
        raise Unidentified("the JWT has no claim 'sub' of 1 to 255 characters")
    groups = _groups(_claim(claims, terms.roles_claim), spaced=terms.roles_claim in _SPACED)
    return Caller(
        digest=digest_of(f"oidc {terms.issuer} {subject}"),
        name=f"{_name(claims, terms.name_claim, subject)} ({terms.issuer})",
        kind=CallerKind.PERSON,
        grants=grants_of_groups(terms.roles, groups),
    )


def _check_audience(given: object, accepted: Collection[str]) -> None:
    named = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    if not any(isinstance(each, str) and each in accepted for each in named):
        wanted = " or ".join(map(repr, accepted))
        raise Unidentified(f"the JWT is for the audience {given!r:.200}; this stack accepts {wanted}")


def _check_times(claims: Mapping[str, Any], skew: timedelta, now: datetime) -> None:
    at, leeway = now.timestamp(), skew.total_seconds()
    if _number(claims, "exp") + leeway <= at:
        raise Unidentified("the JWT has expired; get a new one from the issuer")
    for name in ("iat", "nbf"):
        if name in claims and _number(claims, name) - leeway > at:
            raise Unidentified(f"the JWT is not valid yet: its claim {name!r} is later than this stack's clock")


def _number(claims: Mapping[str, Any], name: str) -> float:
    """A claim that is a number of seconds since 1970 (RFC 7519, 2)."""
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LATEST:
        raise Unidentified(f"the JWT has no claim {name!r} that is a number of seconds since 1970")
    return value


def _claim(claims: Mapping[str, Any], name: str) -> object:
    """A claim by its whole name, or else by its path, as `realm_access.roles`."""
    if name in claims:
        return claims[name]
    value: object = claims
    for part in name.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value


def _groups(value: object, *, spaced: bool) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset(value.split() if spaced else [value])
    return frozenset(each for each in value if isinstance(each, str)) if isinstance(value, list) else frozenset()


def _name(claims: Mapping[str, Any], claim: str, subject: str) -> str:
    """The name of a person on one line. An e-mail address counts only if the issuer says that it has verified it: at many issuers, people
    may write any there."""
    found = _claim(claims, claim)
    known = isinstance(found, str) and (claim != "email" or claims.get("email_verified") is True)
    text = found if known and isinstance(found, str) else subject
    line = "".join(each if each.isprintable() and each not in "()" else "?" for each in text[:LONGEST_NAME]).strip()
    return line or "?"
