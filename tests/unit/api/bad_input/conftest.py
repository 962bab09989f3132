"""What is refused leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from minutehand.adapters.memory import MemoryState


@pytest.fixture(autouse=True)
def _nothing_half_saved(request: pytest.FixtureRequest, state: MemoryState) -> Iterator[None]:
    yield
    if "accepted" not in request.node.name:
        assert (state.definitions, state.timers, state.messages) == ({}, {}, [])
