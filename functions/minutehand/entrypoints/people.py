"""People who prove who they are with a JSON Web Token (JWT) of an OIDC issuer, for the functions that identify callers.

The library that checks signatures is loaded with the first JWT: a stack without an issuer never loads it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from minutehand.entrypoints import clients

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from minutehand.adapters.oidc.people import People
    from minutehand.domain.caller import Caller
    from minutehand.entrypoints.settings import Settings


def people_of(settings: Settings) -> Callable[[str, datetime], Caller] | None:
    """What identifies people by their JWTs; None if the stack has no issuer."""
    return _identify if settings.oidc_issuer else None


def _identify(text: str, now: datetime) -> Caller:
    return _people().identify(text, now)


@cache
def _people() -> People:
    from minutehand.adapters.oidc.documents import HttpsDocuments  # noqa: PLC0415 - only a stack with an issuer has such callers
    from minutehand.adapters.oidc.issuer_keys import IssuerKeys  # noqa: PLC0415
    from minutehand.adapters.oidc.people import People  # noqa: PLC0415
    from minutehand.domain.oidc import OidcTerms  # noqa: PLC0415
    from minutehand.domain.role_map import parse_role_map  # noqa: PLC0415

    given = clients.settings()
    terms = OidcTerms(
        issuer=given.oidc_issuer,
        audiences=given.oidc_audiences,
        roles=parse_role_map(given.oidc_roles),
        roles_claim=given.oidc_roles_claim,
        name_claim=given.oidc_name_claim,
        skew=given.oidc_clock_skew,
    )
    return People(terms, IssuerKeys(terms.issuer, HttpsDocuments()))
