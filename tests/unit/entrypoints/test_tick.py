"""The handler of the tick."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.memory import MemoryShards
from minutehand.adapters.sharding import BUCKETS, bucket_of, shard_of
from minutehand.domain.errors import Unavailable
from minutehand.domain.run import RunState
from minutehand.entrypoints import sharding, tick
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.shards import Layout
from tests.unit.domain.examples import KEY
from tests.unit.entrypoints.handling import SETTINGS, Context, unpack
from tests.unit.usecases.stage import SHARDS, Stage


def test_a_tick_dispatches_what_is_due_and_reports_the_numbers(stage: Stage) -> None:
    stage.at("09:03")
    answer = tick.handler({"time": "1999-01-01T00:00:00Z"}, Context())
    assert answer["claimed"] == 3
    assert stage.run("09:05").state is RunState.QUEUED


def test_a_tick_with_given_shards_dispatches_only_these_and_delegates_nothing(stage: Stage) -> None:
    shard = shard_of(KEY, SHARDS)
    unpack(stage)
    stage.at("09:03")
    assert tick.handler({"shards": [n for n in range(SHARDS) if n != shard]}, Context())["claimed"] == 0
    assert tick.handler({"shards": [shard]}, Context())["claimed"] == 3


def test_a_tick_with_given_buckets_dispatches_only_these(stage: Stage) -> None:
    bucket = bucket_of(KEY)
    stage.at("09:03")
    others = [number for number in range(BUCKETS) if number != bucket]
    assert tick.handler({"shards": [0], "buckets": others}, Context())["claimed"] == 0
    assert tick.handler({"buckets": [bucket]}, Context())["claimed"] == 3


@pytest.mark.parametrize("kind", ["shards", "buckets"])
@pytest.mark.parametrize("parts", ["37", "x", 3, [0, "1"], {"0": 1}])
def test_parts_that_are_not_a_list_of_numbers_are_refused(stage: Stage, kind: str, parts: Any) -> None:
    with pytest.raises(ValueError, match=rf'"{kind}" is .*; give a list of numbers, such as \[3, 7\]'):
        tick.handler({kind: parts}, Context())
    assert stage.timers.calls["due"] == 0


def test_a_tick_records_its_number_of_shards_and_reads_former_ones_that_may_hold_timers(stage: Stage) -> None:
    stage.at("09:03")
    tick.handler({}, Context())
    assert stage.state.layout == Layout(SHARDS)
    stage.state.layout = Layout(SHARDS + 3)
    sharding._to_read.cache_clear()
    before = stage.timers.calls["due"]
    tick.handler({}, Context())
    assert stage.timers.calls["due"] - before == SHARDS + 3


def test_the_memory_of_a_tick_does_not_grow_with_former_shards(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """After 256 shards are lowered to a few, it would hold two long pages of each."""
    sizes: list[int] = []

    def ports(read: int) -> Ports:
        sizes.append(SETTINGS.page_size(read))
        return stage.ports

    monkeypatch.setattr(tick, "ports", ports)
    tick.handler({}, Context())
    stage.state.layout = Layout(256)
    sharding._to_read.cache_clear()
    tick.handler({}, Context())
    tick.handler({"shards": [1, 2]}, Context())
    assert sizes == [SETTINGS.tick_share // SHARDS, SETTINGS.tick_share // 256, SETTINGS.tick_share // 256]


def test_a_tick_reads_the_configured_shards_if_the_layout_is_unavailable(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(MemoryShards):
        def layout(self) -> None:
            raise Unavailable("no answer")

    monkeypatch.setattr(sharding, "index", lambda: Silent(stage.state))
    stage.at("09:03")
    assert tick.handler({}, Context())["claimed"] == 3
    assert stage.timers.calls["due"] == SHARDS
