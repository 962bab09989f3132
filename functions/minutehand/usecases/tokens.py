"""Make, list and revoke bearer tokens. Nobody makes, sees or revokes a token that may do more than the caller's own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from minutehand.domain.errors import FieldProblem, Invalid, KeyReused, NotAllowed, NotFound
from minutehand.domain.instants import to_text
from minutehand.domain.token import EVERYWHERE, Token

if TYPE_CHECKING:
    from datetime import datetime

    from minutehand.usecases.ports.stores import Page
    from minutehand.usecases.ports.tokens import Tokens

KEYS_COUNT_FOR = timedelta(days=1)
"""How long an idempotency key makes no second token."""


def create(tokens: Tokens, token: Token, by: Token, *, key: str | None, now: datetime) -> None:
    """Store a new token.

    Args:
        token: the token, with the digest of a new secret.
        by: the token of the caller: an admin, whose role is the highest.
        key: the caller's idempotency key, if any.

    Raises:
        Invalid: for repeated namespaces, names beside `*`, no namespace, or an expiry that is not in the future.
        NotAllowed: for a token that has more namespaces than the caller's own, or lasts longer.
        KeyReused: when the caller's key has made a token already. Its secret is not stored, so it cannot be answered again.
    """
    problems = list(_problems(token, now))
    if problems:
        raise Invalid(*problems)
    _refuse_more_than(by, token)
    earlier = tokens.add(token, key=f"{by.digest} {key}" if key else "", until=now + KEYS_COUNT_FOR)
    if earlier is not None:
        raise KeyReused(
            f"this Idempotency-Key has made the token {earlier}, whose secret was answered only then; if that answer was lost, revoke "
            "the token, and send the request with another key"
        )


def get(tokens: Tokens, token_id: str, by: Token) -> Token:
    """A token by its id.

    Raises:
        NotFound: when there is none, or it reaches namespaces that the caller's does not.
    """
    found = tokens.find(token_id)
    if found is None or not by.reaches(found.namespaces):
        raise NotFound(
            f"there is no token {token_id!r:.80} in the namespaces of this token; minutehand token list shows those"
        )
    return found


def page(tokens: Tokens, by: Token, *, limit: int, cursor: str | None) -> Page[Token]:
    """A page of the tokens that reach no more namespaces than the caller's. It may be short or empty before the last page.

    Raises:
        Invalid: for a cursor of another list.
    """
    found = tokens.page(limit, cursor)
    return found._replace(items=tuple(token for token in found.items if by.reaches(token.namespaces)))


def revoke(tokens: Tokens, token_id: str, by: Token) -> Token:
    """Delete a token, and return it. Raises NotFound as `get` does."""
    found = get(tokens, token_id, by)
    tokens.remove(found)
    return found


def _problems(token: Token, now: datetime) -> Iterator[FieldProblem]:
    if not token.namespaces:
        yield FieldProblem("namespaces", "this is empty", 'name namespaces, or write ["*"] for all')
    elif EVERYWHERE in token.namespaces and len(token.namespaces) > 1:
        yield FieldProblem(
            "namespaces", "`*` means all namespaces, so that others beside it have no effect", 'write ["*"]'
        )
    elif len(set(token.namespaces)) < len(token.namespaces):
        yield FieldProblem("namespaces", "a namespace is named twice", "name each once")
    if token.expired(now):
        yield FieldProblem("expires_at", "this is not in the future", "give a later instant, or leave it out")


def _refuse_more_than(by: Token, token: Token) -> None:
    if not by.reaches(token.namespaces):
        own = ", ".join(map(repr, by.namespaces)) or "no namespace"
        beyond = [name for name in token.namespaces if not by.reaches((name,))]
        named = "every namespace" if EVERYWHERE in beyond else ", ".join(map(repr, beyond[:10]))
        raise NotAllowed(f"the token {by.name!r} has {own}, and cannot make a token for {named}")
    if by.expires_at is not None and (token.expires_at is None or token.expires_at > by.expires_at):
        until = to_text(by.expires_at)
        raise NotAllowed(f"the token {by.name!r} expires at {until}, and cannot make a token that lasts longer")
