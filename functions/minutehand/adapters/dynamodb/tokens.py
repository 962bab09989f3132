"""Store of tokens, in the Jobs table: an item for each token, under its digest, and one for its entry in the list of tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, instant, read_instant, read_text, text, whole
from minutehand.domain.token import USE_NOTED_EVERY, Role, Token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.audit import AuditRecord
    from minutehand.usecases.ports.stores import Page

KEPT_AFTER_EXPIRY = timedelta(days=30)
"""How long an expired token stays listed. Then DynamoDB deletes its items by their time to live."""
LAST_USED_AT = "last_used_at"
"""The only attribute that the role of the authorizer may write."""


class DynamoTokens(Store):
    """DynamoDB implementation of the port `Tokens`, over the Jobs table."""

    def get(self, digest: str) -> Token | None:
        item = self._table.get(keys.token(digest))
        return None if item is None else self._table.decoded(item, _decode)

    def put(self, token: Token) -> None:
        self._table.write_all([self._put(item) for item in _items(token)])

    def add(self, token: Token, *, key: str, until: datetime, audits: Sequence[AuditRecord] = ()) -> str | None:
        used: Item = {**keys.token_key(key), "id": text(token.id), EXPIRES_AT: epoch(until)}
        writes = [self._put(item, new=True) for item in (*([used] if key else []), *_items(token))]
        refused = self._table.write_all([*writes, *self._recording(audits)])
        if refused is None:
            return None
        # Ids and digests are of random secrets, so that only the key can have been used before.
        earlier = next(item for item in refused if item)
        return read_text(earlier, "id")

    def find(self, token_id: str) -> Token | None:
        entry = self._table.get(keys.listed_token(token_id))
        return None if entry is None else self.get(read_text(entry, "digest"))

    def page(self, limit: int, cursor: str | None) -> Page[Token]:
        from minutehand.adapters.dynamodb.namespaces import item_page  # noqa: PLC0415 - the authorizer lists nothing
        from minutehand.usecases.ports.stores import Page  # noqa: PLC0415

        page = item_page(
            self._table,
            lambda entry: read_text(entry, "digest"),
            listing="tokens",
            of=keys.TOKENS,
            partition=keys.TOKENS,
            prefix=keys.TOKENS_IDS,
            limit=limit,
            cursor=cursor,
        )
        found = self._table.get_many([keys.token(digest) for digest in page.items])
        tokens = [self._table.decoded(item, _decode) for item in found]
        return Page(items=tuple(sorted(tokens, key=lambda token: token.id)), next=page.next)

    def remove(self, token: Token, audits: Sequence[AuditRecord] = ()) -> bool:
        table = self._table.name
        deletes: list[TransactWriteItemTypeDef] = [
            {
                "Delete": {
                    "TableName": table,
                    "Key": keys.token(token.digest),
                    "ConditionExpression": "attribute_exists(pk)",
                }
            },
            {"Delete": {"TableName": table, "Key": keys.listed_token(token.id)}},
        ]
        return self._table.write_all([*deletes, *self._recording(audits)]) is None

    def note_use(self, token: Token, now: datetime) -> None:
        self._table.update_where(
            Key=keys.token(token.digest),
            UpdateExpression=f"SET {LAST_USED_AT} = :now",
            ConditionExpression=f"attribute_exists(pk) AND (attribute_not_exists({LAST_USED_AT}) OR {LAST_USED_AT} <= :due)",
            ExpressionAttributeValues={":now": whole(now), ":due": whole(now - USE_NOTED_EVERY)},
        )

    def _recording(self, audits: Iterable[AuditRecord]) -> Iterator[TransactWriteItemTypeDef]:
        from minutehand.adapters.dynamodb.codecs import audit_codec  # noqa: PLC0415 - the authorizer records nothing

        for audit in audits:
            yield from audit_codec.recording(self._table.name, audit)

    def _put(self, item: Item, *, new: bool = False) -> TransactWriteItemTypeDef:
        if not new:
            return {"Put": {"TableName": self._table.name, "Item": item}}
        return {
            "Put": {
                "TableName": self._table.name,
                "Item": item,
                "ConditionExpression": "attribute_not_exists(pk)",
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        }


def _items(token: Token) -> tuple[Item, Item]:
    """The item of a token, and that of its entry in the list."""
    stored: Item = {
        **keys.token(token.digest),
        "name": text(token.name),
        "role": text(token.role.value),
        "namespaces": {"L": [text(namespace) for namespace in token.namespaces]},
    }
    entry: Item = {**keys.listed_token(token.id), "digest": text(token.digest)}
    if token.created_at:
        stored["created_at"] = instant(token.created_at)
    if token.created_by:
        stored["created_by"] = text(token.created_by)
    if token.last_used_at:
        stored[LAST_USED_AT] = whole(token.last_used_at)
    if token.expires_at:
        stored["valid_until"] = instant(token.expires_at)
        stored[EXPIRES_AT] = entry[EXPIRES_AT] = epoch(token.expires_at + KEPT_AFTER_EXPIRY)
    return stored, entry


def _decode(item: ReadItem) -> Token:
    def optional(name: str) -> datetime | None:
        return read_instant(item, name) if name in item else None

    return Token(
        digest=read_text(item, "pk").partition("#")[2],
        name=read_text(item, "name"),
        role=Role(read_text(item, "role")),
        namespaces=tuple(namespace["S"] for namespace in item["namespaces"]["L"]),
        created_at=optional("created_at"),
        created_by=read_text(item, "created_by") if "created_by" in item else None,
        expires_at=optional("valid_until"),
        last_used_at=optional(LAST_USED_AT),
    )
