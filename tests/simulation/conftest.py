"""Schedules are parsed once in all tests of the simulation: a history parses a dozen again and again."""

from __future__ import annotations

import pytest

from minutehand.schedule import parser
from tests.simulation.playing import read_once


@pytest.fixture(autouse=True)
def _schedules_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "parse_parts", read_once)
