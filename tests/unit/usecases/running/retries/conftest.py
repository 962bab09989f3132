"""A run with three attempts that is about to start."""

from __future__ import annotations

import pytest

from tests.unit.usecases.running.retries.failing import due
from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    return due()
