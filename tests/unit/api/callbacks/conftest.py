"""A stored run that waits, and callbacks to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.run import Run
from tests.unit.api.callbacks.waiting import ATTEMPT, TOKEN, WAITING
from tests.unit.api.conftest import JOB, Answer, Api


@pytest.fixture
def run(api: Api, state: MemoryState) -> Run:
    api.put(JOB | {"timeout": "1h", "target": JOB["target"] | {"heartbeat": "30s"}})
    state.runs[WAITING.key] = WAITING
    return WAITING


@pytest.fixture
def say(api: Api, run: Run) -> Callable[..., Answer]:
    def send(what: str, body: Any = None, *, token: str = TOKEN, path: str = ATTEMPT) -> Answer:
        headers = {"minutehand-token": token} if token else {}
        return api.by(authorized=False).post(f"{path}/{what}", body={} if body is None else body, headers=headers)

    return send
