"""Two parents that run when they are triggered."""

from __future__ import annotations

import pytest

from tests.unit.domain.examples import job
from tests.unit.usecases.completion.child_runs.family import EXTRACT, LOAD
from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    stage = Stage("08:00")
    for parent in (EXTRACT, LOAD):
        stage.save(job("@manual", key=parent))
    return stage
