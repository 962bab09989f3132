"""Authorizer function: tells API Gateway whether the token of a request is known, or its JSON Web Token (JWT) valid.

The answer lets a known caller call every route, because the gateway caches one answer for all routes. The function behind the route checks
token or JWT again, and decides what the caller may do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from minutehand.domain.errors import Unidentified
    from minutehand.entrypoints.clients import clock, settings, starts_from_a_snapshot
    from minutehand.entrypoints.metrics import measured
    from minutehand.entrypoints.people import people_of
    from minutehand.entrypoints.telemetry import logger
    from minutehand.entrypoints.tokens import briefly, tokens
    from minutehand.usecases.authorize import authorize, jwt_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from minutehand.domain.caller import Caller
    from minutehand.domain.token import Token
    from minutehand.usecases.ports.tokens import TokenLookup, Tokens


@measured
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Answer an event of a TOKEN or a REQUEST authorizer.

    Raises:
        Exception: with the text `Unauthorized`, which the gateway turns into 401, for an unknown or expired token or JWT. Any other, such as
            that of a table or an issuer that does not answer, is 503 (`AUTHORIZER_FAILURE` in the template).
    """
    return answer(event, tokens(), briefly, clock(), people_of(settings()))


def answer(
    event: Mapping[str, Any],
    tokens: TokenLookup,
    noting: Callable[[], Tokens],
    now: datetime,
    people: Callable[[str, datetime], Caller] | None = None,
) -> dict[str, Any]:
    """The answer to API Gateway: a policy that lets the caller in the event call the API. Raises as `handler` does.

    Args:
        noting: makes the store that notes the use of a token.
        people: identifies people by their JWTs; None if the stack has no OIDC issuer.
    """
    header = _header(event)
    text = jwt_in(header) if people else None
    name = _person(people, text, now) if people and text else _token(tokens, header, noting, now)
    api, stage, *_ = event["methodArn"].split("/")  # arn:aws:execute-api:region:account:api/stage/GET/path
    whole_stage = f"{api}/{stage}/*"
    return {
        "principalId": name,
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": whole_stage}],
        },
    }


def _person(people: Callable[[str, datetime], Caller], text: str, now: datetime) -> str:
    try:
        return people(text, now).name
    except Unidentified as refused:
        raise _unauthorized(f"JWT refused: {refused}") from None


def _token(tokens: TokenLookup, header: str | None, noting: Callable[[], Tokens], now: datetime) -> str:
    token = authorize(tokens, header, now)
    if token is None:
        raise _unauthorized("token refused")
    _note_use(token, noting, now)
    return token.name


def _unauthorized(reason: str) -> Exception:
    logger.info(reason, action="authorize")
    return Exception("Unauthorized")  # the gateway answers 401 for exactly this text


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
