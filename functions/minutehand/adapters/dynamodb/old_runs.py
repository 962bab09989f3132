"""Old runs: find a job's oldest ones, and delete runs with their own payloads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.statements import deletion, execute
from minutehand.adapters.dynamodb.calls.table import CONDITION_FAILED, Table
from minutehand.adapters.dynamodb.codecs import run_codec
from minutehand.adapters.dynamodb.codecs.values import number, text
from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run, RunState

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.job_key import JobKey


def oldest_items(table: Table, job: JobKey, *, beyond: int, limit: int) -> Sequence[ReadItem]:
    """The items of the oldest runs of a job, beyond a number of newer ones. To find where they begin, also reads the newer runs, which costs
    half a read unit for each 4 KB."""
    last = _newest(table, job, beyond)
    if last is None:
        return ()
    items, _ = table.query_once(
        KeyConditionExpression="job = :job AND run_id < :last",
        ExpressionAttributeValues={":job": text(str(job)), ":last": text(last)},
        Limit=limit,
    )
    return items


def delete_runs(table: Table, runs: Sequence[Run]) -> None:
    """Delete finished runs. Payloads go first: a finished run never needs its own payload again."""
    if own := [run.key for run in runs if run.own_payload]:
        _delete(table, [run_codec.key_of_payload(key) for key in own])
    _delete(
        table,
        [
            run_codec.key(run.key)
            | {"state": text(run.state.value), "attempt": number(run.attempt), "revision": number(run.revision)}
            for run in runs
        ],
    )


def _newest(table: Table, job: JobKey, count: int) -> str | None:
    """The id of the oldest among the `count` newest finished runs; None if there are fewer."""
    states = {f":{state.value}": text(state.value) for state in RunState if state.finished}
    pages = table.query(
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


def _delete(table: Table, items: Sequence[Item]) -> None:
    codes = execute(table, [deletion(table, item) for item in items])
    if failed := [code for code in codes if code not in (None, CONDITION_FAILED)]:
        raise Unavailable(f"{len(failed)} of the items in table {table.name} could not be deleted: {failed[0]}")
