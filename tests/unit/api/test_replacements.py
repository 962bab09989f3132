"""What is said of lost runs that were replaced, and of their replacements."""

from __future__ import annotations

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.instants import to_text
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from tests.unit.api.conftest import JOB, Api, FakeClock
from tests.unit.api.explaining import HEARTBEAT, HOUR, ONE, explained, keep
from tests.unit.api.stored_runs import redriven


def texts(api: Api) -> dict[str, str]:
    """The sentences about the runs of one instant, by their ids."""
    items = explained(api, at=to_text(ONE))["items"]
    return {item["run"]["run_id"]: item["text"] for item in items if item["run"]}


@pytest.mark.parametrize(
    "key", [RunKey.scheduled(HEARTBEAT, ONE), RunKey.child(HEARTBEAT, ONE, "a1")], ids=lambda key: key.run_id
)
def test_a_lost_run_and_its_replacement_name_each_other(
    api: Api, state: MemoryState, clock: FakeClock, key: RunKey
) -> None:
    api.put(JOB)
    keep(state, key=key, state=RunState.LOST, attempt=1)
    clock.now = ONE + HOUR
    assert "replaced" not in texts(api)[key.run_id]
    [new] = redriven(api, body={"lost": True})
    said = texts(api)
    assert said[key.run_id].endswith(f"lost: no error recorded; replaced by run {new}")
    assert said[new].startswith(f"replaces the lost run {key.run_id}: queued")


def test_a_triggered_run_beside_a_lost_one_replaces_none(api: Api, state: MemoryState, clock: FakeClock) -> None:
    api.put(JOB)
    trigger = RunKey.triggered(HEARTBEAT, ONE, "a1")
    keep(state, state=RunState.LOST, attempt=1)
    keep(state, key=trigger)
    clock.now = ONE + HOUR
    assert texts(api)[trigger.run_id].startswith("triggered: queued")
