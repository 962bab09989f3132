"""Store of executions whose ends attempts wait for: items of the Runs table, each written once."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Store
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, number, read_number, read_text, text
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.executions import Awaiting

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem


class DynamoExecutions(Store):
    """DynamoDB implementation of the port `Executions`, over the Runs table."""

    def expect(self, execution: str, awaiting: Awaiting, until: datetime) -> None:
        item: Item = {
            **_key(execution),
            "of_job": text(str(awaiting.run.job)),
            "of_run": text(awaiting.run.run_id),
            "attempt": number(awaiting.attempt),
            "nonce": text(awaiting.nonce),
            EXPIRES_AT: epoch(until),
        }
        self._table.put_new(item, key="job")

    def awaiting(self, execution: str) -> Awaiting | None:
        item = self._table.get(_key(execution))
        return None if item is None else self._table.decoded(item, _decode)


def _key(execution: str) -> Item:
    """The key of an execution's item; no job's name contains a `#`."""
    return {"job": text(f"EXECUTION#{execution}"), "run_id": text("END")}


def _decode(item: ReadItem) -> Awaiting:
    run = RunKey(job=JobKey.of(read_text(item, "of_job")), run_id=read_text(item, "of_run"))
    return Awaiting(run, read_number(item, "attempt"), read_text(item, "nonce"))
