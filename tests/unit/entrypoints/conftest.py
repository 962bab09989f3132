"""The functions over stores in memory."""

from __future__ import annotations

import pytest

from minutehand.adapters.memory import MemoryBuckets, MemoryShards
from minutehand.entrypoints import batches, drain, metrics, sharding, sweep, tick, worker
from minutehand.entrypoints.settings import Settings
from tests.unit.entrypoints.handling import QUEUE, SETTINGS
from tests.unit.usecases.stage import SHARDS, Stage


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    metrics.forget()  # what other tests counted without a handler
    stage = Stage("09:00:30")
    stage.save(schedule="* * * * *")
    for module in (tick, worker, batches, drain, sweep):
        monkeypatch.setattr(module, "ports", lambda *_: stage.ports)
    index = MemoryShards(stage.state, shards=SHARDS)
    monkeypatch.setattr(sharding, "index", lambda: index)
    monkeypatch.setattr(sharding, "clock", lambda: stage.now)
    for module in (tick, sharding, sweep):
        monkeypatch.setattr(module, "settings", lambda: SETTINGS)
    monkeypatch.setattr(sweep, "dead_letters", list)
    monkeypatch.setattr(sweep, "index", lambda: index)
    monkeypatch.setattr(sweep, "clock", lambda: stage.now)
    sharding._to_read.cache_clear()
    sweep._resharding.cache_clear()
    sweep._rests.cache_clear()
    buckets = MemoryBuckets(stage.state, shards=SHARDS)
    monkeypatch.setattr(sweep, "_buckets", lambda: buckets)
    given = Settings(jobs_table="jobs", api_url="https://api.test/prod", queue_urls={"http": QUEUE}, worker="http")
    for module in (worker, batches):
        monkeypatch.setattr(module, "settings", lambda: given)
    monkeypatch.setattr(worker, "inbox", lambda _: stage.inbox)
    return stage
