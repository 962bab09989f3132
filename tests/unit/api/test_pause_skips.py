"""Sentences about runs that a pause of their job skips or will skip."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.instants import to_text
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from tests.unit.api.conftest import PATH, Api, FakeClock
from tests.unit.api.explaining import HEARTBEAT, HOUR, MINUTE, ONE, explained, keep

SECOND = timedelta(seconds=1)
WAITED = "skipped: it was due at 2026-11-20T13:00:00Z, and still waiting when the job was paused at 2026-11-20T13:10:30Z by bob"


def skipped(state: MemoryState, at: datetime = ONE, *, when: datetime | None = None, **fields: Any) -> None:
    """Keep a run that a worker skipped, by default at its instant."""
    ended = {"state": RunState.SKIPPED, "skip_reason": SkipReason.PAUSED, "finished_at": when or at}
    keep(state, at, **ended | fields)


def of_run(api: Api, at: datetime = ONE) -> Any:
    """The item about the run of an instant; during a pause, another item is about the pause."""
    [item] = [item for item in explained(api, at=to_text(at))["items"] if item["run"]]
    return item


@pytest.fixture
def paused(api: Api, clock: FakeClock) -> None:
    """The job, paused by bob ten minutes after its run of one o'clock was due."""
    api.put()
    clock.move(hours=1, minutes=10)
    api.by(token="bob").post(f"{PATH}/pause")


def test_a_run_scheduled_in_a_pause_names_the_pause(api: Api, state: MemoryState, clock: FakeClock) -> None:
    api.put()
    api.by(token="bob").post(f"{PATH}/pause")
    skipped(state)
    assert of_run(api)["text"] == "skipped: the job was paused from 2026-11-20T12:00:30Z on by bob"
    clock.move(hours=2)
    api.by(token="eve").post(f"{PATH}/resume")
    said = "the job was paused from 2026-11-20T12:00:30Z to 2026-11-20T14:00:30Z by bob; resumed by eve"
    assert of_run(api)["text"] == f"skipped: {said}"
    item = of_run(api)
    assert (item["revision"]["did"], item["until"]) == ("paused", "2026-11-20T14:00:30Z")


@pytest.mark.usefixtures("paused")
def test_a_run_that_was_waiting_when_the_pause_came_says_so(api: Api, state: MemoryState, clock: FakeClock) -> None:
    skipped(state, when=ONE + 11 * MINUTE)
    assert of_run(api)["text"] == WAITED
    clock.move(hours=1)
    api.by(token="eve").post(f"{PATH}/resume")
    assert of_run(api)["text"] == WAITED


@pytest.mark.usefixtures("paused")
def test_runs_of_both_kinds_share_no_row(api: Api, state: MemoryState, clock: FakeClock) -> None:
    skipped(state, when=ONE + 11 * MINUTE)
    for hours in (1, 2):
        skipped(state, ONE + hours * HOUR)
    clock.move(hours=3)
    items = explained(api, **{"from": to_text(ONE), "to": to_text(ONE + 3 * HOUR)})["items"]
    assert [item["text"] for item in items if item["kind"] == "skipped"] == [
        WAITED,
        "2 runs skipped: the job was paused from 2026-11-20T13:10:30Z on by bob",
    ]


@pytest.mark.usefixtures("paused")
def test_a_delayed_start_that_the_pause_prevents_is_not_called_waiting(api: Api, state: MemoryState) -> None:
    skipped(state, when=ONE + 20 * MINUTE, start_delay=20 * MINUTE)
    assert (
        of_run(api)["text"] == "skipped: the job was paused at 2026-11-20T13:10:30Z by bob, before the run could start"
    )


@pytest.mark.usefixtures("paused")
def test_a_run_that_parents_started_in_the_pause_was_not_waiting_when_it_came(api: Api, state: MemoryState) -> None:
    window, claimed = ONE + 5 * MINUTE, ONE + 30 * MINUTE
    key = RunKey(HEARTBEAT, "20261120T130500Z~child-1")
    skipped(state, window, key=key, claimed_at=claimed, when=claimed + SECOND)
    said = "skipped: the job was paused at 2026-11-20T13:10:30Z by bob, before the run could start"
    assert of_run(api, window)["text"] == said


@pytest.mark.usefixtures("paused")
def test_a_skip_whose_pause_is_not_on_record_claims_neither(api: Api, state: MemoryState) -> None:
    skipped(state, when=ONE + MINUTE)
    assert (
        of_run(api)["text"] == "skipped: the job was paused when the run was due to start, or at its scheduled instant"
    )


@pytest.mark.usefixtures("paused")
def test_a_run_that_waits_for_a_limit_in_a_pause_may_still_be_saved_by_a_resume(api: Api, state: MemoryState) -> None:
    keep(state, retry_at=ONE + 12 * MINUTE, waits_for=TakenLimit(LimitKind.NAMED, 3, "db"))
    assert of_run(api)["text"].endswith("; it will be skipped unless the job is resumed first")
    api.post(f"{PATH}/resume")
    assert "it will be skipped" not in of_run(api)["text"]


def test_a_queued_run_of_an_instant_in_a_pause_of_the_namespace_names_it(
    api: Api, state: MemoryState, clock: FakeClock
) -> None:
    api.put()
    api.post("/v1/namespaces/demo/pause")
    keep(state)
    clock.move(hours=1)
    said = "; it will be skipped: the namespace was paused from 2026-11-20T12:00:30Z on by ada"
    assert of_run(api)["text"].endswith(said)
