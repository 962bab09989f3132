"""Tokens as they were read a moment ago."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from minutehand.domain.token import Role, Token
from minutehand.usecases import recent_tokens
from minutehand.usecases.recent_tokens import REVOKED_WITHIN, RecentTokens

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
ADA = Token(digest="a", name="ada", role=Role.ADMIN, namespaces=("*",))


class World:
    """A store that counts its reads, and a clock."""

    def __init__(self) -> None:
        self.now = NOW
        self.stored = {"a": ADA}
        self.reads = 0
        self.recent = RecentTokens(lambda: self, lambda: self.now)

    def get(self, digest: str) -> Token | None:
        self.reads += 1
        return self.stored.get(digest)


@pytest.fixture
def world() -> World:
    return World()


def test_a_token_is_read_once_in_half_a_minute(world: World) -> None:
    for _ in range(4):
        assert world.recent.get("a") == ADA
        world.now += REVOKED_WITHIN / 4
    assert world.reads == 1
    assert world.recent.get("a") == ADA
    assert world.reads == 2


def test_a_revoked_token_is_unknown_after_half_a_minute(world: World) -> None:
    world.recent.get("a")
    world.stored.clear()
    world.now += REVOKED_WITHIN - SECOND
    assert world.recent.get("a") == ADA
    world.now += SECOND
    assert world.recent.get("a") is None


def test_an_unknown_token_is_looked_up_each_time_so_that_a_new_one_counts_at_once(world: World) -> None:
    assert world.recent.get("b") is None
    world.stored["b"] = ADA._replace(digest="b")
    assert world.recent.get("b") == world.stored["b"]


def test_a_clock_that_goes_backwards_keeps_no_token_for_longer(world: World) -> None:
    world.recent.get("a")
    world.stored.clear()
    world.now -= SECOND
    assert world.recent.get("a") is None


def test_a_process_keeps_a_bounded_number_of_tokens(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_tokens, "MOST_KEPT", 2)
    world.stored |= {name: ADA._replace(digest=name) for name in "bcd"}
    for name in "abcd":
        assert world.recent.get(name) == world.stored[name]
    assert len(world.recent._found) <= 2
