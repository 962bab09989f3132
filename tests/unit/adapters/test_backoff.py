"""Exponential backoff."""

from __future__ import annotations

import pytest

from minutehand.adapters import backoff
from minutehand.adapters.backoff import FIRST, pause_after


def test_each_pause_may_be_twice_as_long_as_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "uniform", lambda _least, most: most)
    assert [pause_after(turn) for turn in range(4)] == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]


def test_pauses_are_random() -> None:
    waits = {pause_after(0) for _ in range(50)}
    assert len(waits) > 40
    assert all(0 <= wait <= FIRST for wait in waits)
