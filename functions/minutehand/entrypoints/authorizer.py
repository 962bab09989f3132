"""Authorizer function: tells API Gateway whether the token of a request is known.

The answer lets a known token call every route, because the gateway caches one answer for all routes. The function behind the route reads the
token again, and decides what it may do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from minutehand.entrypoints.clients import clock, starts_from_a_snapshot
    from minutehand.entrypoints.telemetry import logger
    from minutehand.entrypoints.tokens import briefly, tokens
    from minutehand.usecases.authorize import authorize

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from minutehand.domain.token import Token
    from minutehand.usecases.ports.tokens import TokenLookup, Tokens


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Answer an event of a TOKEN or a REQUEST authorizer.

    Raises:
        Exception: with the text `Unauthorized`, which the gateway turns into 401, for an unknown or expired token.
    """
    return answer(event, tokens(), briefly, clock())


def answer(
    event: Mapping[str, Any], tokens: TokenLookup, noting: Callable[[], Tokens], now: datetime
) -> dict[str, Any]:
    """The answer to API Gateway: a policy that lets the token in the event call the API. Raises as `handler` does.

    Args:
        noting: makes the store that notes the use of the token.
    """
    token = authorize(tokens, _header(event), now)
    if token is None:
        logger.info("token refused", action="authorize")
        raise Exception("Unauthorized")  # noqa: TRY002 - the gateway answers 401 for exactly this text, else 500
    _note_use(token, noting, now)
    api, stage, *_ = event["methodArn"].split("/")  # arn:aws:execute-api:region:account:api/stage/GET/path
    whole_stage = f"{api}/{stage}/*"
    return {
        "principalId": token.name,
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": whole_stage}],
        },
    }


def _note_use(token: Token, noting: Callable[[], Tokens], now: datetime) -> None:
    """Note the use of a token, once an hour at most. No request fails of it."""
    if not token.use_to_note(now):
        return
    try:
        noting().note_use(token, now)
    except Exception:  # noqa: BLE001 - the request matters more
        logger.warning("the use of a token was not noted", action="note_use", token=token.id, exc_info=True)


def _header(event: Mapping[str, Any]) -> str | None:
    if event.get("type") != "REQUEST":
        return event.get("authorizationToken")
    headers: Mapping[str, str] = event.get("headers") or {}
    return next((value for name, value in headers.items() if name.lower() == "authorization"), None)


if starts_from_a_snapshot():
    tokens()
