"""Regressions: histories in which an occurrence was once lost, doubled or late."""

from __future__ import annotations

import math
from dataclasses import replace

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, Recheck
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.drain import GIVEN_UP_AFTER, drain
from tests.unit.domain.examples import KEY, SECOND, at, definition, revision, run, timer
from tests.unit.usecases.stage import SUCCESS, Stage

OTHER = JobKey(namespace="shop", name="stock")
MESSAGE = Received(run=run().key, attempt=1, receipt="r")
BROKEN = BrokenTimer(job=KEY, revision=1, next_at=at("09:05"), problem="x")


def test_an_edit_of_a_broken_timer_records_the_skipped_range() -> None:
    stage = Stage("09:00:30")
    stage.save(schedule="*/5 * * * *")
    stage.state.timers[KEY] = BROKEN
    stage.at("09:12").save(schedule="*/5 * * * *", description="repaired")
    for instant in ("09:05", "09:10"):
        assert any(skipped.first <= at(instant) < skipped.until for skipped in stage.state.skipped), instant


def test_saving_a_job_again_mends_its_broken_timer() -> None:
    stage = Stage("09:00:07")
    stage.save(schedule="*/5 * * * *")
    stage.state.timers[KEY] = BROKEN
    stage.save(schedule="*/5 * * * *")
    assert not isinstance(stage.state.timers[KEY], BrokenTimer)


def test_a_timer_that_was_set_aside_claims_only_what_its_schedule_names() -> None:
    stage = Stage("09:00:07")
    stage.save(schedule="*/5 * * * *")
    good = stage.state.timers[KEY]
    stage.state.timers[KEY] = replace(good, rule="damaged")
    stage.at("09:03:07").tick()
    stage.state.timers[KEY] = replace(stage.state.timers[KEY], rule=good.rule)
    stage.at("09:14:07").tick()
    assert stage.claimed() == ["09:15:00"]


def test_what_a_slow_tick_claims_after_an_edit_and_never_sends_is_sent_by_the_recheck() -> None:
    stage = Stage("09:00:30")
    stage.save(schedule="*/10 * * * * *")
    read = stage.state.timers[KEY]
    stage.at("09:00:35").save(schedule="0 12 * * *")
    stage.at("09:01:20").outbox.fails("send")
    stage.dispatch(read)
    stage.state.messages.clear()
    for minute in range(2, 12):
        stage.at(f"09:{minute:02}").tick()
    queued = {f"{r.scheduled_for:%H:%M:%S}" for r in stage.state.runs.values() if r.scheduled_for >= at("09:02:40")}
    assert queued
    assert queued <= set(stage.sent())


def test_a_call_ends_before_its_lease_though_the_start_was_slow() -> None:
    stage = Stage("09:00")
    stage.state.definitions[KEY] = definition(timeout=60 * SECOND)
    stage.state.runs[run().key] = run()
    stage.runs.before("move", lambda: setattr(stage, "now", stage.now + 40 * SECOND))
    ends = []

    def call(made: Call) -> Outcome:
        ends.append((stage.now + made.timeout, made.run.lease_until))
        return SUCCESS

    stage.execute([MESSAGE], call)
    [(end, lease)] = ends
    assert end < lease


def test_a_start_slower_than_the_lease_makes_no_call() -> None:
    stage = Stage("09:00")
    stage.state.definitions[KEY] = definition(timeout=60 * SECOND)
    stage.state.runs[run().key] = run()
    stage.runs.before("move", lambda: setattr(stage, "now", stage.now + 71 * SECOND))
    [handled] = stage.execute([MESSAGE], lambda **_: 1 / 0)
    assert (handled.deletable, stage.run("09:00").state) == (False, RunState.RUNNING)
    assert "took so long to start that its time is over" in handled.problem


def test_a_run_that_no_worker_can_decide_is_lost_in_the_end_with_a_reason() -> None:
    stage = Stage("09:00")
    stage.state.runs[run().key] = run()
    stage.state.definitions[KEY] = definition(revision(2, "08:00")._replace(rule="damaged"))
    for _ in range(10):
        drain(MESSAGE, ports=stage.ports)
    assert stage.run("09:00").state is RunState.QUEUED, "a mended release may decide it"
    stage.now += GIVEN_UP_AFTER
    drain(MESSAGE, ports=stage.ports)
    ended = stage.run("09:00")
    assert ended.state is RunState.LOST
    assert "for 14 days no worker could start or end it, in 10 turns through the queue" in ended.error.message
    assert "ScheduleError" in ended.error.message


def test_an_unreadable_run_keeps_no_other_from_being_resent() -> None:
    stage = Stage("09:00")
    for key in (KEY, OTHER):
        there = run(key=RunKey.scheduled(key, at("09:00")))
        stage.state.runs[there.key] = there
        stage.put(timer("09:00", "0 9 * * *", job=key))
    stage.runs.refuses("get", lambda keys: any(key.job == OTHER for key in keys))
    stage.dispatch(stage.state.timers[KEY], stage.state.timers[OTHER])
    assert (stage.next_at(KEY) > at("09:00"), stage.next_at(OTHER)) == (True, at("09:00"))


def test_a_failed_reopening_delays_no_other_run() -> None:
    stage = Stage("09:00")
    stage.state.runs[run().key] = run(state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED)
    stage.runs.refuses("move", lambda _before, _after: True)
    stage.put(timer("09:00", "0 9 * * *", revision=2))
    stage.put(timer("09:00", "0 9 * * *", job=OTHER))
    stage.dispatch(stage.state.timers[KEY], stage.state.timers[OTHER])
    assert stage.sent() == ["09:00:00"]


def test_no_failure_of_one_timer_delays_another() -> None:
    stage = Stage("09:00")
    stage.put(timer("09:00", "0 9 * * *"))
    span = (at("08:00"), at("08:30"))
    stage.state.rechecks[OTHER, *span] = Recheck(job=OTHER, after=span[0], until=span[1], next_at=at("08:59"))
    stage.runs.refuses("between", lambda *_: True, error=ValueError("an item nobody can read"))
    stage.tick()
    assert stage.sent() == ["09:00:00"]


def test_a_run_in_the_time_of_a_deleted_job_shows_the_deletion() -> None:
    stage = Stage("09:00:30")
    stage.save(schedule="*/2 * * * *")
    manage.delete(stage.ports, KEY, who=Actor("x"))
    stage.at("09:02:30").save(schedule="*/2 * * * *")
    stage.execute(stage.receive()[:1])
    assert stage.run("09:02").skip_reason is SkipReason.DELETED


def test_a_worker_whose_clock_is_slow_hands_a_message_back_for_no_longer_than_it_must() -> None:
    stage = Stage("08:59:56.900")
    stage.state.runs[run().key] = run()
    stage.state.definitions[KEY] = definition()
    stage.execute([MESSAGE])
    assert math.ceil(stage.state.hidden[-1][1] / SECOND) == 4


def test_a_backlog_of_hours_does_not_keep_a_job_from_being_paused() -> None:
    stage = Stage("09:00:30")
    stage.save(schedule="* * * * * *", catch_up=CatchUp.ALL)
    stage.at("12:00")
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    [rest] = stage.state.skipped
    assert (rest.until, str(rest.policy)) == (at("12:00:01"), "changed during a catch-up")
    assert stage.next_at() is None
