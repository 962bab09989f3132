"""`shards`."""

from __future__ import annotations

import json

import pytest

from tests.unit.cli.conftest import Cli
from tests.unit.client.fake_api import FakeApi

WORDS = [
    ({}, "stand where they belong"),
    (
        {"read": 4, "state": "awaited"},
        "stand where they stood; the next tick begins to read all shards, and then they are moved",
    ),
    (
        {"read": 16, "state": "moving", "left": 5},
        "are being put where they belong; 5 of 16 shards are still to be looked through",
    ),
    (
        {"read": 16, "state": "emptying"},
        "have been moved; shards 8 to 15 are read until they have been empty for an hour",
    ),
    (
        {"read": 9, "state": "emptying", "empty_since": "2026-11-20T08:00:00Z"},
        "have been moved; shard 8, empty since 2026-11-20 08:00:00 UTC, are read until they have been empty for an hour",
    ),
]


@pytest.mark.parametrize(("told", "words"), WORDS)
def test_it_says_how_far_timers_have_followed(api: FakeApi, cli: Cli, told: dict[str, object], words: str) -> None:
    api.shards |= told
    lines = cli("shards").stdout.splitlines()
    assert lines[0].split() == ["shards", "8"]
    assert lines[1].split() == ["read", "by", "ticks", str(api.shards["read"])]
    assert lines[2].partition("  ")[2].strip() == words


def test_programs_get_the_document(api: FakeApi, cli: Cli) -> None:
    assert json.loads(cli("shards", "-o", "json").stdout) == api.shards
