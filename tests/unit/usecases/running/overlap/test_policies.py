"""Overlap policies: a run that is due while another of its job is active."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.overlap_lock import Permit, lock_of
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Result, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion import cancel
from minutehand.usecases.completion.answers import Speaker, heartbeat
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at
from tests.unit.usecases.crashes import held
from tests.unit.usecases.running.overlap.later import (
    BEATING,
    CANCELLED,
    FAILED,
    HOUR,
    QUEUED,
    QUEUES,
    RUNNING,
    SKIPPED,
    SUCCEEDED,
    WAITING,
    WAITS,
    Later,
    held_by_nine,
)
from tests.unit.usecases.stage import SUCCESS


@pytest.mark.parametrize(
    ("overlap", "first", "second"),
    [
        (Overlap.ALLOW, WAITING, WAITING),
        (Overlap.SKIP, WAITING, SKIPPED),
        (Overlap.QUEUE_ONE, WAITING, QUEUED),
        (Overlap.QUEUE_ALL, WAITING, QUEUED),
        (Overlap.REPLACE, CANCELLED, QUEUED),
    ],
)
def test_a_run_that_is_due_while_another_is_active(overlap: Overlap, first: RunState, second: RunState) -> None:
    assert held_by_nine(overlap).states("09:00", "09:01") == [first, second]


def test_a_skipped_run_names_the_run_that_blocked_it() -> None:
    stage = held_by_nine(Overlap.SKIP)
    second = stage.there("09:01")
    assert (second.skip_reason, second.blocked_by) == (SkipReason.OVERLAP, stage.there("09:00").key.run_id)
    assert (second.attempt, second.finished_at) == (0, at("09:01"))
    stage.end("09:00")
    stage.pass_to("09:02")
    assert stage.states("09:00", "09:01", "09:02") == [SUCCEEDED, SKIPPED, WAITING]


@pytest.mark.parametrize("overlap", QUEUES)
def test_a_waiting_run_is_woken_by_the_end_of_the_other(overlap: Overlap) -> None:
    stage = held_by_nine(overlap)
    assert stage.lock.waiting == (stage.there("09:01").key.run_id,)
    stage.at("09:01:20").end("09:00")
    stage.work(stage.takes_on)
    assert stage.states("09:00", "09:01") == [SUCCEEDED, WAITING]
    assert (stage.there("09:01").started_at, stage.there("09:01").lateness) == (at("09:01:20"), 20 * SECOND)
    assert stage.lock == Permit(lock_of(KEY), stage.there("09:01").key, 1)


@pytest.mark.parametrize("outcome", [SUCCESS, FAILED])
@pytest.mark.parametrize("ends", ["answer", "cancel", "limit"])
def test_a_waiting_run_starts_however_the_other_ends(outcome: Outcome, ends: str) -> None:
    stage = held_by_nine(Overlap.QUEUE_ONE, timeout=5 * MINUTE)
    if ends == "answer":
        stage.end("09:00", outcome)
    elif ends == "cancel":
        cancel.cancel(stage.ports, stage.there("09:00").key, who=Actor("ada"))
    else:
        stage.at("09:05").work(stage.takes_on)
    stage.work(stage.takes_on)
    assert stage.there("09:00").state.finished
    assert stage.there("09:01").state is WAITING


def test_queue_one_keeps_the_first_run() -> None:
    stage = held_by_nine(Overlap.QUEUE_ONE)
    stage.pass_to("09:02")
    stage.pass_to("09:03")
    assert stage.states("09:00", "09:01", "09:02", "09:03") == [WAITING, QUEUED, SKIPPED, SKIPPED]
    assert {stage.there(clock).blocked_by for clock in ("09:02", "09:03")} == {stage.there("09:01").key.run_id}


def test_a_queue_starts_the_oldest_run_first() -> None:
    stage = held_by_nine(Overlap.QUEUE_ALL)
    stage.pass_to("09:02")
    stage.pass_to("09:03")
    stage.at("09:03:30")
    for done, begun in (("09:00", "09:01"), ("09:01", "09:02"), ("09:02", "09:03")):
        stage.end(done)
        stage.work(stage.takes_on)
        assert held(stage) == [begun + ":00"]
    assert [f"{key.scheduled_for:%H:%M}" for key, _ in stage.called] == ["09:00", "09:01", "09:02", "09:03"]


def test_a_later_run_whose_message_comes_first_wakes_the_oldest() -> None:
    stage = held_by_nine(Overlap.QUEUE_ALL)
    stage.pass_to("09:02")
    stage.at("09:02:30").outbox.fails("send")  # no waiting run learns of the end
    stage.end("09:00")
    stage.look("09:02")
    assert stage.states("09:01", "09:02") == [QUEUED, QUEUED]
    stage.work(stage.takes_on)
    assert stage.states("09:01", "09:02") == [WAITING, QUEUED]


def test_a_replaced_run_that_waits_is_cancelled_at_once() -> None:
    stage = held_by_nine(Overlap.REPLACE)
    first, second = stage.there("09:00"), stage.there("09:01")
    assert (first.state, first.cancelled_by) == (CANCELLED, f"run {second.key.run_id}")
    assert first.result == WAITS.result, "what it has answered so far is kept"
    stage.work(stage.takes_on)
    assert stage.there("09:01").state is WAITING


def test_a_replaced_run_with_heartbeats_ends_with_the_next_one() -> None:
    stage = held_by_nine(Overlap.REPLACE, target=BEATING)
    first = stage.there("09:00")
    assert (first.state, first.cancelled_by) == (WAITING, f"run {stage.there('09:01').key.run_id}")
    heartbeat(stage.ports, Speaker(first.key, 1, stage.tokens[first.key]))
    stage.work(stage.takes_on)
    assert stage.states("09:00", "09:01") == [CANCELLED, WAITING]


def test_a_replaced_run_under_way_is_marked_and_waited_for() -> None:
    stage = Later(Overlap.REPLACE)
    stage.tick()
    seen = []

    def call(made: Call) -> Outcome:
        stage.at("09:01").look("09:01")
        seen.append((made.cancelled(), stage.states("09:00", "09:01")))
        stage.at("09:01:05")
        seen.append((made.cancelled(), stage.there("09:00").cancelled_by))
        return Outcome(CANCELLED, Result("http", 200, "half of it"))

    stage.at("09:00").work(call)
    second = stage.there("09:01").key.run_id
    assert seen[0][1] == [RUNNING, QUEUED]
    assert seen[1] == (True, f"run {second}")
    assert (stage.there("09:00").state, stage.there("09:00").result) == (CANCELLED, Result("http", 200, "half of it"))
    stage.work(stage.takes_on)
    assert stage.there("09:01").state is WAITING


def test_of_several_replacing_runs_the_newest_starts() -> None:
    stage = held_by_nine(Overlap.REPLACE, target=BEATING)
    stage.pass_to("09:01:50")
    stage.pass_to("09:02")
    stage.end("09:00")
    stage.work(stage.takes_on)
    assert stage.states("09:00", "09:01", "09:02") == [SUCCEEDED, SKIPPED, WAITING]
    second = stage.there("09:01")
    assert (second.skip_reason, second.blocked_by) == (SkipReason.REPLACED, stage.there("09:02").key.run_id)


def test_the_newest_run_is_the_one_with_the_latest_start() -> None:
    stage = held_by_nine(Overlap.REPLACE, target=BEATING)
    late = replace(stage.there("09:01"), start_delay=3 * MINUTE)
    stage.state.runs[late.key] = late
    stage.pass_to("09:03")
    assert stage.states("09:00", "09:01", "09:03") == [WAITING, QUEUED, SKIPPED]
    assert stage.there("09:03").blocked_by == late.key.run_id
    stage.end("09:00")
    stage.at("09:04").look("09:01")
    assert stage.there("09:01").state is WAITING


@pytest.mark.parametrize("overlap", [*QUEUES, Overlap.REPLACE])
def test_a_run_that_ends_while_it_waits_leaves_the_list(overlap: Overlap) -> None:
    stage = held_by_nine(overlap, target=BEATING)
    for minute in range(2, 30):
        stage.pass_to(f"09:{minute:02d}")
    for run in [run for run in stage.state.runs.values() if run.state is QUEUED]:
        cancel.cancel(stage.ports, run.key, who=Actor("ada"))
    assert stage.lock.waiting == ()


def test_a_thousand_stale_names_keep_no_run_from_being_woken() -> None:
    stage = held_by_nine(Overlap.QUEUE_ALL)
    gone = tuple(RunKey.triggered(KEY, at("07:00"), f"{n:05d}").run_id for n in range(1_200))
    stage.state.permits[lock_of(KEY)] = stage.lock._replace(waiting=(*gone, *stage.lock.waiting))
    stage.end("09:00")
    stage.work(stage.takes_on)
    assert stage.there("09:01").state is WAITING
    assert stage.lock.waiting == ()


@pytest.mark.parametrize("held", ["the lock", "a slot"])
def test_a_record_does_not_expire_while_its_run_waits_and_works(held: str) -> None:
    stage = (
        held_by_nine(Overlap.QUEUE_ALL, timeout=20 * HOUR, retention=24 * HOUR)
        if held == "the lock"
        else held_by_nine(Overlap.ALLOW, timeout=20 * HOUR, retention=24 * HOUR, max_concurrency=1)
    )
    waits = stage.there("09:01")
    assert waits.state is QUEUED
    assert waits.expires_at == at("09:01") + 24 * HOUR
    stage.now += 13 * HOUR
    stage.look("09:01")
    assert (stage.there("09:01").state, stage.there("09:01").expires_at) == (QUEUED, stage.now + 24 * HOUR)
    stage.now += 6 * HOUR
    stage.end("09:00")
    stage.now += 7 * HOUR
    stage.look("09:01")
    assert (stage.there("09:01").state, stage.there("09:01").expires_at) == (WAITING, stage.now + 24 * HOUR)
