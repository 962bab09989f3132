"""Exponential backoff."""

from __future__ import annotations

import pytest

from minutehand.adapters import backoff
from minutehand.adapters.backoff import FIRST, pauses


def test_each_pause_may_be_twice_as_long_and_the_last_try_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "uniform", lambda _least, most: most)
    assert [*pauses(5)] == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST, None]


def test_pauses_are_random() -> None:
    waits = {next(pauses(2)) for _ in range(50)}
    assert len(waits) > 40
    assert all(wait is not None and 0 <= wait <= FIRST for wait in waits)
