"""A stage shortly before nine, when the job of a test is saved."""

from __future__ import annotations

import pytest

from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage("08:58:30")
