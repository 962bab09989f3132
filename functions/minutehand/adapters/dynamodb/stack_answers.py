"""Store of answers to CloudFormation, in the Jobs table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, read_text, text

if TYPE_CHECKING:
    from datetime import datetime


class DynamoStackAnswers(Store):
    """DynamoDB implementation of the port `StackAnswers`, over the Jobs table."""

    def get(self, digest: str) -> str | None:
        item = self._table.get(keys.stack_answer(digest))
        return None if item is None else self._table.decoded(item, lambda found: read_text(found, "answer"))

    def put(self, digest: str, answer: str, *, expires_at: datetime) -> None:
        self._table.put({**keys.stack_answer(digest), "answer": text(answer), EXPIRES_AT: epoch(expires_at)})
