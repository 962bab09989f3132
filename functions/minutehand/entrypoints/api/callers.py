"""Who sends a request: the token in its header, checked again by each function that serves the API.

The gateway keeps an answer of the authorizer for a minute. So this function reads the token itself, every 30 seconds at most, and compares
its expiry at each request. It also needs no authorizer: some emulators of API Gateway never call one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from minutehand.domain.throttle import Level, Throttle
from minutehand.domain.token import Token
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.forms.request import header_of
from minutehand.entrypoints.api.problems import Throttled, Unauthenticated
from minutehand.entrypoints.settings import Settings
from minutehand.usecases.authorize import authorize
from minutehand.usecases.recent_tokens import RecentTokens

MOST_LEVELS = 1_000
"""Tokens whose requests a process counts; beyond them, it forgets the one that it has not seen for the longest time."""


def throttle_of(settings: Settings) -> Throttle | None:
    """The limits of each token's requests that the template configures; None for no limit."""
    return Throttle(settings.token_rate, settings.token_burst) if settings.token_rate else None


class Callers:
    """Identifies and throttles the callers of one process."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._tokens = RecentTokens(deployment.tokens_of, deployment.clock, deployment.tokens_kept)
        self._levels: OrderedDict[str, Level] = OrderedDict()

    def identify(self, event: Mapping[str, Any]) -> Token:
        """The token of a request.

        Raises:
            Unauthenticated: without a token that is stored and has not expired.
            Throttled: when the token has sent too many requests.
        """
        header = header_of(event, "authorization")
        if not header:
            raise Unauthenticated("no token; send the header 'Authorization: Bearer TOKEN'")
        token = authorize(self._tokens, header, self._deployment.clock())
        if token is None:
            raise Unauthenticated(
                "the header 'Authorization' has no token of this stack, or one that has expired or was revoked; send 'Bearer TOKEN' with "
                "one that is valid. An emulator that skips the template's custom resource (LocalStack without an account) stores the first "
                "token only when 'python -m localstack deploy' or its ready hook deploys the stack"
            )
        self._throttle(token)
        return token

    def _throttle(self, token: Token) -> None:
        throttle = self._deployment.throttle
        if throttle is None:
            return
        level, wait = throttle.take(self._levels.pop(token.digest, None), self._deployment.clock())
        self._levels[token.digest] = level
        if len(self._levels) > MOST_LEVELS:
            self._levels.popitem(last=False)
        if wait:
            raise Throttled(
                f"the token {token.name!r} sends more than {throttle.rate} requests a second to one instance of the function; wait, as "
                "the header 'Retry-After' says",
                wait,
            )
