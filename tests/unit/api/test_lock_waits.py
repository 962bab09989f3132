"""A run that waits for another run of its job names that run, over HTTP."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.instants import to_text
from minutehand.domain.overlap_lock import Permit, lock_of
from minutehand.domain.run import RunError, RunState
from minutehand.domain.run_key import RunKey
from tests.unit.api.conftest import JOB, PATH, Api, FakeClock
from tests.unit.api.explaining import HEARTBEAT, HOUR, MINUTE, ONE, explained, keep, text

RUN = f"{PATH}/runs/20261120T130000Z"
HOLDER = RunKey.scheduled(HEARTBEAT, ONE - HOUR)
EARLIER = RunKey.triggered(HEARTBEAT, ONE - MINUTE, "a1")
KEY = RunKey.scheduled(HEARTBEAT, ONE)
BEHIND = "waits for run 20261120T120000Z of this job (overlap: queue_all), 1 run before it"


@pytest.fixture(autouse=True)
def _waiting(api: Api, state: MemoryState, clock: FakeClock) -> None:
    """A run that holds the lock, and two that wait for it; the later of them is a minute late."""
    api.put(JOB | {"overlap": "queue_all"})
    begun = HOLDER.scheduled_for
    keep(state, key=HOLDER, state=RunState.RUNNING, attempt=1, started_at=begun, lease_until=ONE + HOUR)
    keep(state, key=EARLIER)
    keep(state)
    lock = lock_of(HEARTBEAT)
    state.permits[lock] = Permit(lock, HOLDER, 1, (EARLIER.run_id, KEY.run_id))
    clock.now = ONE + MINUTE


def test_a_run_and_its_explanation_name_the_run_in_the_way_and_a_list_does_not(api: Api) -> None:
    behind = {
        "run_id": HOLDER.run_id,
        "since": to_text(HOLDER.scheduled_for),
        "before": 1,
        "overlap": "queue_all",
    }
    assert api.get(RUN).body["behind"] == behind
    [item] = explained(api, at=to_text(ONE))["items"]
    assert item["text"] == f"queued since 2026-11-20T13:00:00Z: {BEHIND}"
    assert item["run"]["behind"] == behind
    assert all("behind" not in run for run in api.get(f"{PATH}/runs").body["items"])


def test_a_run_whose_turn_it_is_waits_for_a_worker(api: Api, state: MemoryState) -> None:
    for key in (HOLDER, EARLIER):
        state.runs[key] = replace(state.runs[key], state=RunState.SUCCEEDED, attempt=1)
    assert text(api, ONE) == "queued since 2026-11-20T13:00:00Z, waiting for a worker"
    assert "behind" not in api.get(RUN).body


def test_a_retry_that_lost_its_lock_names_the_run_that_has_taken_it(api: Api, state: MemoryState) -> None:
    retrying = {"state": RunState.RETRYING, "attempt": 1, "retry_at": ONE, "error": RunError("HttpStatus", "503")}
    state.runs[KEY] = replace(state.runs[KEY], **retrying)
    assert text(api, ONE) == (
        "retrying: attempt 1 ended with HttpStatus: 503, and the next waits for run 20261120T120000Z of this job"
        " (overlap: queue_all)"
    )


def test_a_run_that_is_not_due_waits_for_no_other(api: Api, clock: FakeClock) -> None:
    clock.now = ONE - timedelta(seconds=1)
    assert text(api, ONE) == "queued; it starts at 2026-11-20T13:00:00Z"
