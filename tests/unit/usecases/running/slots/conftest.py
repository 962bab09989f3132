"""A stage on which a test saves its own jobs."""

from __future__ import annotations

import pytest

from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")
