"""Number of shards that a tick reads, and the status of a change."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryShards, MemoryState
from minutehand.domain.errors import Unavailable
from minutehand.usecases.ports.shards import Layout
from minutehand.usecases.upkeep.shards import (
    LAYOUT_TRUSTED_FOR,
    ReshardingState,
    ShardStatus,
    ShardsToRead,
    shard_status,
)
from tests.unit.domain.examples import at
from tests.unit.usecases.stage import Port

NINE = at("09:00")


@pytest.fixture
def index() -> Port:
    return Port(MemoryShards(MemoryState()))


def test_the_first_tick_records_the_number_of_shards(index: Port) -> None:
    assert ShardsToRead(index, 8).at(NINE) == 8
    assert index.layout() == Layout(8)


def test_a_raised_number_is_recorded_and_a_lowered_one_is_not(index: Port) -> None:
    for setting, read in ((8, 8), (16, 16), (4, 16), (12, 16), (20, 20)):
        assert ShardsToRead(index, setting).at(NINE) == read
        layout = index.layout()
        assert layout is not None
        assert layout.spread == read


def test_a_process_trusts_the_layout_for_a_while(index: Port) -> None:
    to_read = ShardsToRead(index, 8)
    index.widen(16)
    assert to_read.at(NINE) == 16
    index.widen(32)
    assert to_read.at(NINE + LAYOUT_TRUSTED_FOR - timedelta(seconds=1)) == 16
    assert index.calls["layout"] == 1
    assert to_read.at(NINE + LAYOUT_TRUSTED_FOR) == 32


def test_a_layout_that_cannot_be_read_is_read_again_at_the_next_tick(index: Port) -> None:
    index.widen(16)
    to_read = ShardsToRead(index, 8)
    index.fails("layout")
    with pytest.raises(Unavailable):
        to_read.at(NINE)
    assert to_read.known == 8
    assert to_read.at(NINE + timedelta(minutes=1)) == 16
    index.fails("layout")
    with pytest.raises(Unavailable):
        to_read.at(NINE + timedelta(minutes=6))
    assert to_read.known == 16, "as before"


def test_no_new_shard_is_read_before_the_number_is_recorded(index: Port) -> None:
    index.widen(8)
    to_read = ShardsToRead(index, 16)
    index.fails("widen")
    with pytest.raises(Unavailable):
        to_read.at(NINE)
    assert to_read.at(NINE) == 16
    assert index.layout() == Layout(16, version=2)


@pytest.mark.parametrize(
    ("layout", "status"),
    [
        (None, ShardStatus(8, 8, ReshardingState.AWAITED)),
        (Layout(4, over=4), ShardStatus(8, 8, ReshardingState.AWAITED)),
        (Layout(16, over=16), ShardStatus(8, 16, ReshardingState.MOVING, left=16)),
        (Layout(16, over=8, shard=2), ShardStatus(8, 16, ReshardingState.MOVING, left=3)),
        (Layout(16, over=8), ShardStatus(8, 16, ReshardingState.EMPTYING)),
        (Layout(16, over=8, empty_since=NINE), ShardStatus(8, 16, ReshardingState.EMPTYING, empty_since=NINE)),
        (Layout(8, over=8), ShardStatus(8, 8, ReshardingState.SETTLED)),
    ],
)
def test_the_status_of_shards_follows_from_the_layout(layout: Layout | None, status: ShardStatus) -> None:
    assert shard_status(layout, 8) == status
