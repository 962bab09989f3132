"""Make, list and revoke bearer tokens, each change with its records for the audit. Nobody makes, sees or revokes a token that may do more
than the caller's own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.audit import Action, AuditRecord, audit_record
from minutehand.domain.errors import FieldProblem, Invalid, KeyReused, NotAllowed, NotFound
from minutehand.domain.instants import ceiling, to_text
from minutehand.domain.precondition import ALWAYS, Precondition, Version
from minutehand.domain.token import EVERYWHERE, LONGEST_VALID, MOST_NAMESPACES, Role, Token

if TYPE_CHECKING:
    from datetime import datetime

    from minutehand.domain.actor import Actor
    from minutehand.domain.caller import Caller
    from minutehand.usecases.ports.stores import Page
    from minutehand.usecases.ports.tokens import Tokens

KEYS_COUNT_FOR = timedelta(days=1)
"""How long an idempotency key makes no second token."""


class Asking(NamedTuple):
    """A request for a change of a token.

    Attributes:
        by: the caller: an admin of some namespace. Admin is the highest role.
        who: the same caller, as records of changes name it.
        kept: how long such records are kept.
    """

    by: Caller
    who: Actor
    now: datetime
    kept: timedelta


def version_of(token: Token) -> Version:
    """The version of a token. Nobody changes one, so that it has only one."""
    return Version(token.id, 1, token.created_at, token.created_by or "")


def create(tokens: Tokens, token: Token, asking: Asking, *, key: str | None) -> None:
    """Store a new token.

    Args:
        token: the token, with the digest of a new secret.
        key: the caller's idempotency key, if any.

    Raises:
        Invalid: for repeated namespaces, names beside `*`, no namespace, or an expiry that is not in the future or too far in it.
        NotAllowed: for namespaces of which the caller is no admin, or a token that lasts longer than the caller's own.
        KeyReused: when the caller's key has made a token already. Its secret is not stored, so it cannot be answered again.
    """
    problems = list(_problems(token, asking.now))
    if problems:
        raise Invalid(*problems)
    _refuse_more_than(asking.by, token)
    earlier = tokens.add(
        token,
        key=f"{asking.by.digest} {key}" if key else "",
        until=asking.now + KEYS_COUNT_FOR,
        audits=_records(asking, Action.CREATE_TOKEN, token),
    )
    if earlier is not None:
        raise KeyReused(
            f"this Idempotency-Key has made the token {earlier}, whose secret was answered only then; if that answer was lost, revoke "
            "the token, and send the request with another key"
        )


def get(tokens: Tokens, token_id: str, by: Caller) -> Token:
    """A token by its id.

    Raises:
        NotFound: when there is none, or it reaches namespaces of which the caller is no admin.
    """
    found = tokens.find(token_id)
    if found is None or not by.manages(found.namespaces):
        raise _no_token(token_id)
    return found


def page(tokens: Tokens, by: Caller, *, limit: int, cursor: str | None) -> Page[Token]:
    """A page of the tokens that reach only namespaces of which the caller is an admin. It may be short or empty before the last page.

    Raises:
        Invalid: for a cursor of another list.
    """
    found = tokens.page(limit, cursor)
    return found._replace(items=tuple(token for token in found.items if by.manages(token.namespaces)))


def revoke(tokens: Tokens, token_id: str, asking: Asking, *, only_if: Precondition = ALWAYS) -> Token:
    """Delete a token, and return it.

    Raises:
        NotFound: as `get` does, and when another request has deleted it meanwhile.
        ChangedMeanwhile: when it is not as `only_if` demands.
    """
    found = get(tokens, token_id, asking.by)
    only_if.check(version_of(found), f"token {found.id}")
    if not tokens.remove(found, _records(asking, Action.REVOKE_TOKEN, found)):
        raise _no_token(token_id)
    return found


def _records(asking: Asking, action: Action, token: Token) -> list[AuditRecord]:
    """The records of a change of a token: one among those of no single namespace, and one in each namespace that the token names.

    A record in a namespace names no other, since its readers may not learn of others.
    """
    named = [name for name in token.namespaces if name != EVERYWHERE][:MOST_NAMESPACES]
    made = action is Action.CREATE_TOKEN
    return [
        audit_record(
            asking.who,
            action,
            asking.now,
            namespace=place,
            before=None if made else _document(token, shown),
            after=_document(token, shown) if made else None,
            kept=asking.kept,
            token_id=token.id,
        )
        for place, shown in ((EVERYWHERE, [*token.namespaces]), *((name, [name]) for name in named))
    ]


def _document(token: Token, namespaces: list[str]) -> dict[str, object]:
    """What records of changes show of a token: neither its secret nor the hash of that."""
    document: dict[str, object] = {"name": token.name, "role": token.role.value, "namespaces": namespaces}
    return document | ({"expires_at": to_text(ceiling(token.expires_at))} if token.expires_at else {})


def _no_token(token_id: str) -> NotFound:
    return NotFound(
        f"there is no token {token_id!r:.80} in the namespaces of this caller; minutehand token list shows those"
    )


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
    elif token.expires_at is not None and token.expires_at - now > LONGEST_VALID:
        message = f"this is more than {LONGEST_VALID.days} days from now"
        yield FieldProblem(
            "expires_at", message, "give an earlier instant, or leave it out: the token then does not expire"
        )


def _refuse_more_than(by: Caller, token: Token) -> None:
    if not by.manages(token.namespaces):
        managed = [name for grant in by.grants if grant.role is Role.ADMIN for name in grant.namespaces]
        own = ", ".join(map(repr, managed)) or "no namespace"
        beyond = [name for name in token.namespaces if not by.may(Role.ADMIN, name)]
        named = "every namespace" if EVERYWHERE in beyond else ", ".join(map(repr, beyond[:10]))
        raise NotAllowed(f"{by} has {own}, and cannot make a token for {named}")
    if by.expires_at is not None and (token.expires_at is None or token.expires_at > by.expires_at):
        until = to_text(by.expires_at)
        raise NotAllowed(f"{by} expires at {until}, and cannot make a token that lasts longer")
