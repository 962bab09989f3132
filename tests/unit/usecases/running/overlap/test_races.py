"""Overlap: its cost, and races."""

from __future__ import annotations

import pytest

from minutehand.domain.policies import Overlap
from minutehand.domain.run import RunState
from tests.unit.usecases.running.overlap.later import HOUR, QUEUED, SKIPPED, SUCCEEDED, WAITING, Later, held_by_nine


def test_a_job_that_may_overlap_reads_and_writes_no_permit() -> None:
    stage = held_by_nine(Overlap.ALLOW)
    stage.end("09:00")
    assert not stage.permits.calls
    assert stage.runs.calls["start"] == 0
    assert stage.state.permits == {}


def test_the_end_of_a_run_writes_nothing_to_its_lock() -> None:
    stage = Later(Overlap.SKIP)
    stage.pass_to("09:00")
    lock = stage.lock
    stage.end("09:00")
    assert set(stage.permits.calls) == {"get"}
    assert stage.lock == lock


@pytest.mark.parametrize(
    ("overlap", "state"), [(Overlap.SKIP, SKIPPED), (Overlap.QUEUE_ONE, QUEUED), (Overlap.QUEUE_ALL, QUEUED)]
)
def test_a_run_that_finds_the_lock_taken_since_it_was_read_decides_again(overlap: Overlap, state: RunState) -> None:
    stage = Later(overlap)
    stage.tick()
    stage.at("09:01").runs.before("start", lambda: stage.look("09:00"))
    stage.look("09:01")
    assert stage.states("09:00", "09:01") == [WAITING, state]


def test_a_run_that_begins_to_wait_while_the_other_ends_is_woken() -> None:
    stage = Later(Overlap.QUEUE_ONE)
    stage.pass_to("09:00")
    stage.permits.before("wait", lambda: stage.end("09:00"))
    stage.pass_to("09:01")
    assert stage.states("09:00", "09:01") == [SUCCEEDED, WAITING]


@pytest.mark.parametrize("overlap", [Overlap.QUEUE_ALL, Overlap.REPLACE])
def test_a_repeated_follow_up_wakes_no_run_once_another_has_started(overlap: Overlap) -> None:
    stage = held_by_nine(Overlap.QUEUE_ALL)
    stage.pass_to("09:02")
    stage.end("09:00")
    stage.work(stage.takes_on)
    assert stage.states("09:00", "09:01", "09:02") == [SUCCEEDED, WAITING, QUEUED]
    stage.save(overlap=overlap, timeout=HOUR)
    stage.state.messages.clear()
    stage.look("09:00")
    assert stage.state.messages == []
    stage.end("09:01")
    assert [message.run for message in stage.state.messages] == [stage.there("09:02").key]
