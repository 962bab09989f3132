"""A job with past occurrences to replay."""

from __future__ import annotations

import pytest

from tests.unit.domain.examples import KEY, definition
from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    """It is eleven, and the job has run each minute since eight."""
    stage = Stage("11:00:00.400")
    stage.state.definitions[KEY] = definition()
    return stage
