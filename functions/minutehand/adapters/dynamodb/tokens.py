"""Store of tokens, in the Jobs table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import read_text, text
from minutehand.domain.token import Role, Token

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import ReadItem


class DynamoTokens(Store):
    """DynamoDB implementation of the port `Tokens`, over the Jobs table."""

    def get(self, digest: str) -> Token | None:
        item = self._table.get(keys.token(digest))
        return None if item is None else self._table.decoded(item, _decode)

    def put(self, token: Token) -> None:
        self._table.put(
            {
                **keys.token(token.digest),
                "name": text(token.name),
                "role": text(token.role.value),
                "namespaces": {"L": [text(namespace) for namespace in token.namespaces]},
            }
        )


def _decode(item: ReadItem) -> Token:
    return Token(
        digest=read_text(item, "pk").partition("#")[2],
        name=read_text(item, "name"),
        role=Role(read_text(item, "role")),
        namespaces=tuple(namespace["S"] for namespace in item["namespaces"]["L"]),
    )
