"""Find and delete the oldest runs of a job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.statements import deletion, execute
from minutehand.adapters.dynamodb.calls.table import CONDITION_FAILED
from minutehand.adapters.dynamodb.codecs import run_codec
from minutehand.adapters.dynamodb.codecs.values import number, text
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.calls.table import Table
    from minutehand.adapters.dynamodb.codecs.values import Item


class Trimming:
    """The part of the port `Runs` that deletes old runs."""

    _table: Table

    def oldest(self, job: JobKey, *, beyond: int, limit: int) -> Sequence[Run]:
        """See `Runs.oldest`. Also reads the newer runs, which costs half a read unit for each 4 KB."""
        last = self._newest(job, beyond)
        if last is None:
            return ()
        items, _ = self._table.query_once(
            KeyConditionExpression="job = :job AND run_id < :last",
            ExpressionAttributeValues={":job": text(str(job)), ":last": text(last)},
            Limit=limit,
        )
        return [self._table.decoded(item, run_codec.decode) for item in items]

    def _newest(self, job: JobKey, count: int) -> str | None:
        """The id of the oldest among the `count` newest finished runs; None if there are fewer."""
        states = {f":{state.value}": text(state.value) for state in RunState if state.finished}
        pages = self._table.query(
            KeyConditionExpression="job = :job",
            FilterExpression=f"#state IN ({', '.join(states)})",
            ProjectionExpression="run_id",
            ExpressionAttributeNames={"#state": "state"},
            ExpressionAttributeValues={":job": text(str(job)), **states},
            ScanIndexForward=False,
        )
        for page in pages:
            if len(page) >= count:
                return page[count - 1]["run_id"]["S"]
            count -= len(page)
        return None

    def forget(self, runs: Sequence[Run]) -> None:
        """See `Runs.forget`. Payloads go first: a finished run never needs its own payload again."""
        if own := [run.key for run in runs if run.own_payload]:
            self._delete([run_codec.key_of_payload(key) for key in own])
        self._delete(
            [
                run_codec.key(run.key)
                | {"state": text(run.state.value), "attempt": number(run.attempt), "revision": number(run.revision)}
                for run in runs
            ]
        )

    def _delete(self, items: Sequence[Item]) -> None:
        codes = execute(self._table, [deletion(self._table, item) for item in items])
        if failed := [code for code in codes if code not in (None, CONDITION_FAILED)]:
            raise Unavailable(f"{len(failed)} items in table {self._table.name} could not be deleted: {failed[0]}")
