"""A stage on which sweeps have already looked at the older runs."""

from __future__ import annotations

import pytest

from minutehand.usecases.ports.sweeps import SweepProgress
from tests.unit.domain.examples import at
from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    """Sweeps have looked at all runs before ten."""
    stage = Stage("11:01:15.250")
    stage.state.namespaces.add("shop")
    stage.state.sweep_progress = SweepProgress(at("10:00"), version=1)
    return stage
