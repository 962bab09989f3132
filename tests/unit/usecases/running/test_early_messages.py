"""Messages that arrive a moment before their instant."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.execute import LONGEST, wait_until
from tests.unit.domain.examples import KEY, SECOND, at, definition, job, run
from tests.unit.usecases.stage import SUCCESS, Stage

OTHER = JobKey(namespace="shop", name="stock")


def queued(stage: Stage, scheduled_for: str, key: JobKey = KEY, *, start_delay: timedelta = timedelta(0)) -> Received:
    """A job with a run in the store, and the message of that run."""
    stage.state.definitions.setdefault(key, replace(definition(), job=job(key=key)))
    there = run(scheduled_for, key=RunKey.scheduled(key, at(scheduled_for)), start_delay=start_delay)
    stage.state.runs[there.key] = there
    return Received(run=there.key, attempt=1, receipt=f"receipt of {there.key}")


def test_a_message_that_comes_before_its_second_starts_its_run_at_that_second() -> None:
    stage = Stage("09:00:06.250")
    [handled] = stage.execute([queued(stage, "09:00:07")])
    ran = stage.run("09:00:07")
    assert (handled.deletable, ran.state, ran.attempt) == (True, RunState.SUCCEEDED, 1)
    assert (ran.started_at, ran.lateness) == (at("09:00:07"), timedelta(0))


def test_a_batch_that_is_early_waits_once_and_is_read_in_one_call() -> None:
    stage = Stage("09:00:06.250")
    stage.execute([queued(stage, "09:00:07"), queued(stage, "09:00:07", OTHER)])
    assert [stage.run("09:00:07", key).lateness for key in (KEY, OTHER)] == [timedelta(0)] * 2
    assert (stage.runs.calls["get"], stage.definitions.calls["governing"]) == (1, 1)


def test_due_messages_do_not_wait_for_early_ones() -> None:
    stage = Stage("09:00:06.250")
    handled = stage.execute([queued(stage, "09:00:06"), queued(stage, "09:00:07", OTHER)])
    assert [one.deletable for one in handled] == [True, True]
    assert stage.run("09:00:06").started_at == at("09:00:06.250")
    assert stage.run("09:00:07", OTHER).started_at == at("09:00:07")


def test_two_early_messages_start_each_at_its_own_second() -> None:
    stage = Stage("09:00:05.500")
    stage.execute([queued(stage, "09:00:06", OTHER), queued(stage, "09:00:07")])
    assert stage.run("09:00:07").started_at == at("09:00:07")
    assert stage.run("09:00:06", OTHER).started_at == at("09:00:06")


def test_an_edit_during_the_wait_counts() -> None:
    stage = Stage("09:00:00.500")
    stage.save(schedule="*/2 * * * * *")
    stage.at("09:00:01.500")
    message = next(one for one in stage.receive() if one.run.scheduled_for == at("09:00:02"))
    waits = stage.wait

    def edited_meanwhile(seconds: float) -> None:
        manage.pause(stage.ports, KEY, who=Actor("ada"))
        waits(seconds)

    stage.wait = edited_meanwhile
    stage.execute([message])
    assert (stage.run("09:00:02").state, stage.run("09:00:02").skip_reason) == (RunState.SKIPPED, SkipReason.PAUSED)


def test_a_run_moved_by_jitter_is_not_waited_for() -> None:
    stage = Stage("09:00:07.250")
    message = queued(stage, "09:00:07", start_delay=20 * SECOND)
    [handled] = stage.execute([message])
    assert (stage.now, handled.deletable) == (at("09:00:07.250"), False)


def test_a_message_that_is_much_too_early_is_handed_back_at_once() -> None:
    stage = Stage("09:00")
    early = at("09:00:07") - LONGEST - timedelta(milliseconds=1)
    stage.now = early
    [handled] = stage.execute([queued(stage, "09:00:07")])
    assert (stage.now, handled.deletable, handled.started) == (early, False, False)


def test_the_wait_ends_even_if_the_clock_stands_still() -> None:
    naps: list[float] = []
    wait_until(at("09:00:07"), lambda: at("09:00:06"), naps.append)
    assert len(naps) == 3


def test_a_clock_slower_than_the_sleep_is_read_again() -> None:
    stage = Stage("09:00:06")
    wait_until(at("09:00:07"), stage.ports.clock, lambda seconds: stage.wait(seconds * 0.999))
    assert at("09:00:07") - stage.now < timedelta(milliseconds=1)


def test_an_early_batch_that_cannot_be_read_at_once_is_read_one_by_one() -> None:
    stage = Stage("09:00:06.250")
    batch = [queued(stage, "09:00:07"), queued(stage, "09:00:07", OTHER)]
    stage.runs.fails("get")

    def call(_: Call) -> Outcome:
        return SUCCESS

    handled = stage.execute(batch, call)
    assert [one.deletable for one in handled] == [True, True]


def test_an_early_message_that_fails_fails_alone() -> None:
    stage = Stage("09:00:06.250")
    batch = [queued(stage, "09:00:06"), queued(stage, "09:00:07", OTHER)]
    stage.definitions.refuses("governing", lambda jobs: OTHER in jobs, RuntimeError("out of its mind"))
    handled = stage.execute(batch)
    assert [(one.deletable, one.problem) for one in handled] == [(True, ""), (False, "RuntimeError: out of its mind")]
