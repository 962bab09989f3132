"""The stand-in has as much due as it is told, each once; the table tells the largest of what was measured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from benchmarks.memory.question import MOST, SHAPES, Ticked, table
from benchmarks.memory.service import Due, answer
from benchmarks.scene import SHARDS

from minutehand.adapters.dynamodb.timers import DynamoTimers
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule

AT = datetime(2026, 11, 20, 9, 1, tzinfo=UTC)
DUE = Due(100, "1 9 * * *", AT)


@dataclass(frozen=True)
class _Client:
    due: Due

    def query(self, **asked: Any) -> Any:
        return self.due.page(json.loads(json.dumps(asked)))


def _pages(jobs: int, page_size: int) -> list[Sequence[Any]]:
    client: Any = _Client(Due(jobs, "1 9 * * *", AT))
    timers = DynamoTimers(client, "JobsTable", shards=SHARDS, page_size=page_size)
    return [page for shard in range(SHARDS) for page in timers.due(shard, AT)]


@pytest.mark.parametrize("jobs", [0, 1, SHARDS - 1, 80, 1_001])
@pytest.mark.parametrize("page_size", [5, 500])
def test_as_many_timers_are_due_as_it_is_told_each_once_and_at_the_instant(jobs: int, page_size: int) -> None:
    pages = _pages(jobs, page_size)
    timers = [timer for page in pages for timer in page]
    assert len({timer.job for timer in timers}) == len(timers) == jobs
    assert all(len(page) <= page_size for page in pages)
    for timer in timers:
        assert isinstance(timer, Timer)
        assert timer.next_at == AT
        assert Schedule.decode(timer.rule).next(AT - timedelta(seconds=1)) == AT


def test_what_is_written_goes_well() -> None:
    batch = json.dumps({"Statements": [{"Statement": "INSERT"}, {"Statement": "INSERT"}]}).encode()
    assert answer("DynamoDB_20120810.BatchExecuteStatement", batch, DUE) == {"Responses": [{}, {}]}
    sent = answer("AmazonSQS.SendMessageBatch", b'{"Entries": [{"Id": "a"}, {"Id": "b"}]}', DUE)
    assert [each["Id"] for each in sent["Successful"]] == ["a", "b"]
    assert sent["Failed"] == []


def test_nothing_stands_in_the_tables_but_what_is_due() -> None:
    asked = b'{"RequestItems": {"JobsTable": {"Keys": [{"pk": {"S": "a"}}]}}}'
    found = answer("DynamoDB_20120810.BatchGetItem", asked, DUE)
    assert found == {"Responses": {"JobsTable": []}, "UnprocessedKeys": {}}


def test_what_no_tick_asks_is_refused() -> None:
    with pytest.raises(LookupError, match="Scan"):
        answer("DynamoDB_20120810.Scan", b"{}", DUE)


def _ticked(largest: float) -> Any:
    least = {shape: [Ticked(shape.jobs, 60.0, 1.0)] for shape in SHAPES}
    return least | {SHAPES[-1]: [Ticked(7, largest, 2.0), Ticked(9, 70.0, 3.0)]}


@pytest.mark.parametrize(("largest", "holds"), [(MOST, True), (MOST + 1, False)])
def test_one_process_above_the_limit_is_enough_to_fail(largest: float, holds: bool) -> None:
    assert table(_ticked(largest)).holds is holds


def test_a_row_is_the_process_that_took_most() -> None:
    assert table(_ticked(100.0)).rows[-1] == (10_000, "every second", 7, 2.0, 100.0, 40.0)


def test_a_shape_is_due_within_the_look_ahead_of_a_tick_that_begins_now() -> None:
    now = datetime(2026, 11, 20, 9, 0, 59, tzinfo=UTC)
    for shape in SHAPES[1:]:
        page = shape.due(now).page({"ExpressionAttributeValues": {":shard": {"S": "0"}}, "Limit": 1})
        assert page["Items"][0]["next_at"]["S"] == "2026-11-20T09:01:00Z"
