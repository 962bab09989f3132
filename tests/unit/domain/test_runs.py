from __future__ import annotations

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, run


def test_the_run_of_an_occurrence_is_named_by_its_instant() -> None:
    key = RunKey.scheduled(KEY, at("09:00"))
    assert key.run_id == "20261120T090000Z"
    assert key.scheduled_for == at("09:00")
    assert key.named_by_schedule


def test_the_run_of_a_trigger_is_named_by_its_second_and_its_key() -> None:
    key = RunKey.triggered(KEY, at("09:00:03.400"), "abc~d")
    assert key.run_id == "20261120T090003Z~trigger-abc~d"
    assert key.scheduled_for == at("09:00:03")
    assert not key.named_by_schedule


def test_run_ids_sort_as_their_instants_do() -> None:
    keys = [RunKey.scheduled(KEY, at(text)) for text in ("09:00", "09:00:01", "10:00", "23:59:59")]
    assert sorted(keys, key=lambda key: key.run_id) == keys


def test_a_job_is_written_with_its_namespace() -> None:
    assert str(KEY) == "shop/report"
    assert JobKey.of("shop/report") == KEY


def test_a_name_without_a_namespace_is_refused() -> None:
    with pytest.raises(ValueError, match="'report' is not the full name of a job; write namespace/name"):
        JobKey.of("report")


STATES = {  # whether it is the end, and whether a person should look
    RunState.QUEUED: (False, False),
    RunState.RUNNING: (False, False),
    RunState.WAITING: (False, False),
    RunState.RETRYING: (False, False),
    RunState.SUCCEEDED: (True, False),
    RunState.SKIPPED: (True, False),
    RunState.CANCELLED: (True, False),
    RunState.FAILED: (True, True),
    RunState.TIMED_OUT: (True, True),
    RunState.LOST: (True, True),
}


@pytest.mark.parametrize("state", list(RunState))
def test_each_state_says_whether_it_is_final_and_wants_attention(state: RunState) -> None:
    assert (state.finished, state.wants_attention) == STATES[state]


def test_the_runs_of_parents_and_backfills_are_named_by_their_instant_too() -> None:
    child, replayed = RunKey.child(KEY, at("09:00"), "3f2a"), RunKey.backfilled(KEY, at("09:00"), "b-7")
    assert (child.run_id, replayed.run_id) == ("20261120T090000Z~child-3f2a", "20261120T090000Z~backfill-b-7")
    assert (child.backfill, replayed.backfill, RunKey.scheduled(KEY, at("09:00")).backfill) == (None, "b-7", None)
    assert child.scheduled_for == replayed.scheduled_for == at("09:00")


def test_a_run_that_is_retried_is_due_when_its_retry_is_and_never_before_its_start() -> None:
    assert run(start_delay=30 * SECOND).due_at == at("09:00:30")
    assert run(start_delay=30 * SECOND, retry_at=at("09:00:10")).due_at == at("09:00:30")
    assert run(retry_at=at("09:02")).due_at == at("09:02")


def test_a_run_under_way_wakes_when_its_lease_ends() -> None:
    held = run(state=RunState.WAITING, lease_until=at("09:05"))
    assert held.wakes_at == at("09:05")
    assert run(lease_until=at("09:05")).wakes_at == at("09:00"), "a lease of an earlier attempt says nothing"


def test_a_run_has_begun_when_its_first_attempt_did() -> None:
    assert run().begun_at is None
    assert run(start_delay=MINUTE, lateness=2 * SECOND, started_at=at("09:30")).begun_at == at("09:01:02")


def test_a_duration_is_known_once_the_run_has_ended() -> None:
    assert run().duration is None
    assert run(started_at=at("09:00")).duration is None
    assert run(finished_at=at("09:00")).duration is None, "skipped: it never began"
    assert run(started_at=at("09:00"), finished_at=at("09:00:01")).duration == SECOND
