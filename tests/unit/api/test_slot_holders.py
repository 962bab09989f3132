"""A run that waits for a slot names the runs that hold the slots of its limit, over HTTP."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from minutehand.adapters.memory import MemoryState
from minutehand.domain.concurrency import Limit
from minutehand.domain.instants import to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.overlap_lock import Permit
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from tests.unit.api.conftest import NOON, PATH, Api, FakeClock
from tests.unit.api.explaining import ONE, explained, keep, text

SECOND = timedelta(seconds=1)
LOAD = JobKey("demo", "load")
RUN = f"{PATH}/runs/20261120T130000Z"
WAITS = "queued: waits for limit db, 3 of 3 in use"
AGAIN = "it tries again at 2026-11-20T13:00:09Z"


def wait_for(state: MemoryState, limit: Limit, holders: int = 0) -> list[dict[str, Any]]:
    """Keep a run that waits for a slot, and as many runs of another job that hold slots; returns those as they are shown."""
    keep(state, retry_at=ONE + 9 * SECOND, waits_for=limit.taken)
    shown = []
    for number, slot in zip(range(holders), limit.slots, strict=False):
        key = RunKey.scheduled(LOAD, NOON + number * SECOND)
        begun = {"attempt": 1, "started_at": key.scheduled_for, "lease_until": ONE}
        keep(state, key=key, state=RunState.RUNNING, **begun)
        state.permits[slot] = Permit(slot, key, 1)
        shown.append({"job": "demo/load", "run_id": key.run_id, "since": to_text(key.scheduled_for)})
    return shown


def test_a_run_and_its_explanation_name_the_holders_and_a_list_does_not(api: Api, state: MemoryState) -> None:
    api.put()
    held_by = wait_for(state, Limit("demo", 3, "db"), 2)
    assert api.get(RUN).body["held_by"] == held_by
    assert text(api, ONE) == (f"{WAITS}, now held by demo/load 20261120T120030Z, demo/load 20261120T120031Z; {AGAIN}")
    [item] = explained(api, at=to_text(ONE))["items"]
    assert item["run"]["held_by"] == held_by
    [listed] = api.get(f"{PATH}/runs").body["items"]
    assert "held_by" not in listed


def test_a_run_whose_limit_is_free_by_now_says_so(api: Api, state: MemoryState) -> None:
    api.put()
    wait_for(state, Limit("demo", 3, "db"))
    assert api.get(RUN).body["held_by"] == []
    assert text(api, ONE) == f"{WAITS} when it last looked; free by now; {AGAIN}"


def test_of_many_holders_a_sentence_names_ten_and_counts_the_others(api: Api, state: MemoryState) -> None:
    api.put()
    wait_for(state, Limit("demo", 13), 13)
    said = text(api, ONE)
    assert said.count("demo/load") == 10
    assert said.endswith(f"20261120T120039Z and 3 more; {AGAIN}")
    assert len(api.get(RUN).body["held_by"]) == 13


def test_of_a_limit_with_more_slots_than_are_read_it_counts_at_least_those(api: Api, state: MemoryState) -> None:
    api.put()
    wait_for(state, Limit("demo", 200), 200)
    assert text(api, ONE).endswith(f" and at least 98 more; {AGAIN}")


def test_a_run_that_waits_for_no_slot_has_no_holders(api: Api, state: MemoryState) -> None:
    api.put()
    wait_for(state, Limit("demo", 3, "db"), 2)
    key = RunKey.scheduled(JobKey("demo", "heartbeat"), ONE)
    state.runs[key] = replace(state.runs[key], state=RunState.SUCCEEDED, attempt=1)
    assert "held_by" not in api.get(RUN).body
    assert "held" not in text(api, ONE)


def test_a_viewer_of_the_namespace_sees_the_holders_and_none_of_a_limit_of_the_same_name_elsewhere(
    api: Api, state: MemoryState, clock: FakeClock
) -> None:
    api.put()
    held_by = wait_for(state, Limit("demo", 3, "db"), 1)
    [slot, *_] = Limit("shop", 3, "db").slots
    elsewhere = RunKey.scheduled(JobKey("shop", "load"), clock.now)
    keep(state, key=elsewhere, state=RunState.RUNNING, attempt=1, started_at=clock.now, lease_until=ONE)
    state.permits[slot] = Permit(slot, elsewhere, 1)
    assert api.by(role="viewer", namespaces="demo").get(RUN).body["held_by"] == held_by
    assert api.by(role="viewer", namespaces="shop").get(RUN).status == 403
