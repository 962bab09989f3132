"""Who sends a request: identified again by each function that serves the API, whatever the gateway said.

- **A bearer token.** The gateway keeps an answer of the authorizer for a minute. So this function reads the token itself, every 30 seconds at
  most, and compares its expiry at each request. It also needs no authorizer: some emulators of API Gateway never call one.
- **A person**, with a JSON Web Token (JWT) of the stack's OIDC issuer in the same header: its signature and its claims are checked again.
- **A principal of AWS IAM.** API Gateway itself checks the signature of its request, and says whose it is. That counts only in the stage
  `iam` of the API for principals: the permissions of the function let no other API invoke it with this stage's name. There, no token counts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from minutehand.domain.caller import Caller, CallerKind
from minutehand.domain.role_map import Entry, grants_of_principal, parse_principals
from minutehand.domain.throttle import Level, Throttle
from minutehand.domain.token import digest_of
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.forms.request import header_of
from minutehand.entrypoints.api.problems import Throttled, Unauthenticated
from minutehand.entrypoints.settings import Settings
from minutehand.usecases.authorize import authorize, jwt_in
from minutehand.usecases.recent_tokens import RecentTokens

IAM_STAGE = "iam"
"""Stage of the API whose requests principals of AWS IAM sign, as template.yaml names it."""
MOST_LEVELS = 1_000
"""Callers whose requests a process counts; beyond them, it forgets the one that it has not seen for the longest time."""


def throttle_of(settings: Settings) -> Throttle | None:
    """The limits of each caller's requests that the template configures; None for no limit."""
    return Throttle(settings.token_rate, settings.token_burst) if settings.token_rate else None


def principals_of(settings: Settings) -> tuple[Entry, ...] | None:
    """What principals of AWS IAM may do; None if the stack has no API for them."""
    return parse_principals(settings.iam_roles) if settings.iam_roles else None


class Callers:
    """Identifies and throttles the callers of one process."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._tokens = RecentTokens(deployment.tokens_of, deployment.clock, deployment.tokens_kept)
        self._levels: OrderedDict[str, Level] = OrderedDict()

    def identify(self, event: Mapping[str, Any]) -> Caller:
        """The caller of a request.

        Raises:
            Unidentified: without a token that is stored and has not expired, a valid JWT, or a signature of AWS.
            IssuerUnavailable: for a JWT, when the keys of the issuer cannot be read.
            Throttled: when the caller has sent too many requests.
        """
        context: Mapping[str, Any] = event.get("requestContext") or {}
        signed = self._deployment.principals is not None and context.get("stage") == IAM_STAGE
        caller = self._principal(context) if signed else self._bearer(event)
        self._throttle(caller)
        return caller

    def _principal(self, context: Mapping[str, Any]) -> Caller:
        arn = (context.get("identity") or {}).get("userArn")
        if not isinstance(arn, str) or not arn:
            raise Unauthenticated(
                "the gateway names no principal of AWS; sign the request with credentials of AWS IAM (SigV4, service execute-api)"
            )
        grants = grants_of_principal(self._deployment.principals or (), arn)
        return Caller(digest=digest_of(f"iam {arn}"), name=arn, kind=CallerKind.PRINCIPAL, grants=grants)

    def _bearer(self, event: Mapping[str, Any]) -> Caller:
        header = header_of(event, "authorization")
        if not header:
            raise Unauthenticated("no token; send the header 'Authorization: Bearer TOKEN'")
        now, people = self._deployment.clock(), self._deployment.people
        if people is not None and (text := jwt_in(header)) is not None:
            return people(text, now)
        token = authorize(self._tokens, header, now)
        if token is None:
            raise Unauthenticated(
                "the header 'Authorization' has no token of this stack, or one that has expired or was revoked; send 'Bearer TOKEN' with "
                "one that is valid. An emulator that skips the template's custom resource (LocalStack without an account) stores the first "
                "token only when 'python -m localstack deploy' or its ready hook deploys the stack"
            )
        return Caller.of(token)

    def _throttle(self, caller: Caller) -> None:
        throttle = self._deployment.throttle
        if throttle is None:
            return
        level, wait = throttle.take(self._levels.pop(caller.digest, None), self._deployment.clock())
        self._levels[caller.digest] = level
        if len(self._levels) > MOST_LEVELS:
            self._levels.popitem(last=False)
        if wait:
            raise Throttled(
                f"{caller} sends more than {throttle.rate} requests a second to one instance of the function; wait, as "
                "the header 'Retry-After' says",
                wait,
            )
