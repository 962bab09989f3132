"""A job whose past begins at 09:00:30."""

from __future__ import annotations

import pytest

from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00:30")
