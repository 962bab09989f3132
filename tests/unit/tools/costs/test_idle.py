"""What a stack reads in which nothing is due, counted: its real tick and its real sweep ask two tables that hold a namespace and nothing else."""

from __future__ import annotations

from datetime import timedelta
from statistics import mean
from typing import Any

import pytest
from benchmarks.workload import NINE, SHARDS, Stack, connect

from minutehand.adapters.dynamodb.buckets import DynamoBuckets
from minutehand.adapters.dynamodb.shards import DynamoShards
from minutehand.entrypoints import sharding, sweep, tick
from minutehand.entrypoints.settings import Settings
from minutehand.schedule import TZDATA_VERSION
from minutehand.tools.costs import features, model
from tests.unit.tools.costs.test_features import DEPLOY

SETTINGS = Settings(jobs_table="jobs", due_shards=SHARDS)
MINUTE = timedelta(minutes=1)


class Tables:
    """A client of DynamoDB that weighs what it is asked for: a unit for a consistent look, half a one for another."""

    def __init__(self) -> None:
        self.read = 0.0
        self.swept: dict[str, Any] = {}

    def batch_get_item(self, **asked: Any) -> dict[str, Any]:
        [(table, wanted)] = asked["RequestItems"].items()
        weight = 1.0 if wanted.get("ConsistentRead") else 0.5
        self.read += weight * len(wanted["Keys"])
        count = {"N": str(SHARDS)}
        known = {"spread": count, "moved_over": count, "version": {"N": "1"}}
        renewed = {"version": {"S": TZDATA_VERSION}, "done": {"BOOL": True}}
        found = [
            key | (known if "SHARDS" in str(key) else renewed) for key in wanted["Keys"] if key["pk"]["S"] != "SWEEP"
        ]
        found += [self.swept for key in wanted["Keys"] if key["pk"]["S"] == "SWEEP" and self.swept]
        return {"Responses": {table: found}, "UnprocessedKeys": {}}

    def query(self, **asked: Any) -> dict[str, Any]:
        self.read += 1.0 if asked.get("ConsistentRead") else 0.5
        of = next(iter(asked["ExpressionAttributeValues"].values()))
        return {"Items": [{"pk": of, "sk": {"S": "shop"}}] if of["S"] == "NAMESPACES" else []}

    def put_item(self, **put: Any) -> dict[str, Any]:
        if put["Item"]["pk"]["S"] == "SWEEP":
            self.swept = put["Item"]
        return {}

    def update_item(self, **_: Any) -> dict[str, Any]:
        return {}


class Context:
    aws_request_id = "request"
    function_name = "function"
    invoked_function_arn = "arn:aws:lambda:eu-central-1:123456789012:function:tick"

    def get_remaining_time_in_millis(self) -> int:
        return 900_000


@pytest.fixture
def tables() -> Tables:
    return Tables()


@pytest.fixture
def stack(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> Stack:
    client: Any = tables
    made = connect(client, client, jobs_table="jobs", runs_table="runs", queue="queue")
    index = DynamoShards(client, "jobs")
    for module in (tick, sweep):
        monkeypatch.setattr(module, "ports", lambda *_: made.ports)
    for module in (sharding, sweep):
        monkeypatch.setattr(module, "clock", made.clock)
        monkeypatch.setattr(module, "index", lambda: index)
    for module in (tick, sharding, sweep):
        monkeypatch.setattr(module, "settings", lambda: SETTINGS)
    monkeypatch.setattr(sweep, "dead_letters", list)
    made.clock.now = NINE + MINUTE / 2
    sharding._to_read.cache_clear()
    sweep._resharding.cache_clear()
    sweep._rests.cache_clear()
    buckets = DynamoBuckets(client, "jobs")
    monkeypatch.setattr(sweep, "_buckets", lambda: buckets)
    return made


def each(stack: Stack, tables: Tables, handler: Any, every: timedelta, times: int) -> list[float]:
    """What each call reads, once the process has made its first one."""
    found = []
    for _ in range(times + 1):
        before = tables.read
        handler({}, Context())
        found.append(tables.read - before)
        stack.clock.now += every
    return found[1:]


def test_a_tick_that_finds_nothing_reads_what_it_is_counted_for(stack: Stack, tables: Tables) -> None:
    read = mean(each(stack, tables, tick.handler, MINUTE, 60))
    assert read == features.IDLE_TICK_READS
    assert f"{read:g} read units a tick" in DEPLOY


def test_a_sweep_that_finds_nothing_reads_what_it_is_counted_for(stack: Stack, tables: Tables) -> None:
    read = mean(each(stack, tables, sweep.handler, MINUTE, 60))
    assert read == pytest.approx(model.IDLE_SWEEP_READS, abs=0.05)
    assert f"each sweep: {model.IDLE_SWEEP_READS:g} read units, with one namespace" in DEPLOY
