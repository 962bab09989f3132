"""The command `shards`."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from minutehand.usecases.upkeep.shards import ReshardingState, ShardStatus
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

WORDS = [
    (ShardStatus(8, 8, ReshardingState.SETTLED), "all timers are in their shards"),
    (
        ShardStatus(8, 4, ReshardingState.AWAITED),
        "not moved yet; the next tick starts to read all shards, and then the timers are moved",
    ),
    (
        ShardStatus(8, 16, ReshardingState.MOVING, left=5),
        "moving to their shards; 5 of 16 shards are left to check",
    ),
    (
        ShardStatus(8, 16, ReshardingState.EMPTYING),
        "moved; ticks read shards 8 to 15 until empty for an hour",
    ),
    (
        ShardStatus(8, 9, ReshardingState.EMPTYING, empty_since=NOW - timedelta(minutes=30)),
        "moved; ticks read shard 8 (empty since 2026-11-20 08:00:00 UTC) until empty for an hour",
    ),
]


@pytest.mark.parametrize(("status", "words"), WORDS)
def test_it_says_how_far_timers_have_followed(api: ApiServer, cli: Cli, status: ShardStatus, words: str) -> None:
    api.shards = status
    lines = cli("shards").stdout.splitlines()
    assert lines[0].split() == ["shards", "8"]
    assert lines[1].split() == ["read", "by", "ticks", str(api.shards.read)]
    assert lines[2].partition("  ")[2].strip() == words


def test_programs_get_the_document(api: ApiServer, cli: Cli) -> None:
    assert json.loads(cli("shards", "-o", "json").stdout) == api.ask("GET", "shards")
