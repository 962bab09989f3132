"""Pauses that end by themselves."""

from __future__ import annotations

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Invalid
from minutehand.domain.run import RunState, SkipReason
from minutehand.usecases.definitions import manage
from minutehand.usecases.definitions.manage import Saved
from minutehand.usecases.operations.trigger import trigger
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job
from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00:30")


def pause(stage: Stage, until: str | None) -> Saved:
    return manage.pause(stage.ports, KEY, until=None if until is None else at(until), who=Actor("bob"))


def resume(stage: Stage) -> Saved:
    return manage.resume(stage.ports, KEY, who=Actor("bob"))


def handled(stage: Stage, clock: str) -> dict[str, RunState]:
    stage.at(clock).execute(stage.receive())
    return {f"{key.scheduled_for:%H:%M}": run.state for key, run in stage.state.runs.items()}


def test_the_job_names_no_instant_before_the_end_of_the_pause_and_then_that_one(stage: Stage) -> None:
    stage.save(schedule="*/10 * * * *")
    paused = pause(stage, "09:20").definition
    assert (paused.job.paused, paused.job.paused_until, paused.revisions[-1].paused_until) == (
        False,
        at("09:20"),
        at("09:20"),
    )
    assert stage.next_at() == at("09:20")
    assert not resume(stage.at("09:20")).changed, "it has ended by itself"


def test_a_run_claimed_before_the_pause_is_skipped_as_paused_and_not_as_superseded(stage: Stage) -> None:
    stage.save()
    pause(stage, "09:02")
    assert handled(stage, "09:02") == {"09:01": RunState.SKIPPED, "09:02": RunState.SUCCEEDED}
    assert stage.run("09:01").skip_reason is SkipReason.PAUSED


def test_runs_skipped_by_a_pause_are_reopened_after_an_early_resume(stage: Stage) -> None:
    stage.save()
    pause(stage, "09:30")
    stage.now += 5 * SECOND
    resumed = resume(stage)
    assert (resumed.changed, resumed.definition.job.paused_until) == (True, None)
    assert set(handled(stage, "09:02:01").values()) == {RunState.SUCCEEDED}
    assert stage.next_at() == at("09:03")


def test_a_pause_does_not_shift_a_rate(stage: Stage) -> None:
    stage.save(schedule="@every 7m", start_at=at("08:00"))
    pause(stage, "10:00:01")
    assert stage.next_at() == at("10:06"), "18 times 7 minutes after eight"


def test_a_start_that_comes_later_than_the_pause_ends_still_counts(stage: Stage) -> None:
    stage.save(start_at=at("12:00"))
    pause(stage, "10:00")
    assert stage.next_at() == at("12:00")


def test_a_pause_without_an_end_replaces_one_with_an_end_and_the_reverse(stage: Stage) -> None:
    stage.save()
    pause(stage, "09:30")
    for_good = pause(stage, None).definition
    assert (for_good.job.paused, for_good.job.paused_until, stage.next_at()) == (True, None, None)
    ends = pause(stage, "09:40").definition
    assert (ends.job.paused, ends.job.paused_until, stage.next_at()) == (False, at("09:40"), at("09:40"))
    assert not pause(stage, "09:40").changed


def test_an_instant_that_is_not_ahead_is_refused(stage: Stage) -> None:
    stage.save()
    with pytest.raises(Invalid, match="2026-11-20T09:00:30Z is not in the future") as refused:
        pause(stage, "09:00:30")
    assert refused.value.problems[0].path == "until"
    assert not stage.state.definitions[KEY].job.is_paused(stage.now)


def test_saving_may_keep_it_or_end_it(stage: Stage) -> None:
    stage.save()
    pause(stage, "09:30")
    assert stage.save(keep_paused=True, description="new").job.paused_until == at("09:30")
    assert stage.save(description="newer").job.paused_until is None
    assert stage.next_at() == at("09:03")


def test_after_a_pause_ends_the_same_job_without_it_changes_nothing(stage: Stage) -> None:
    stage.save()
    pause(stage, "09:30")
    stage.at("09:31:30").tick()
    next_at = stage.next_at()
    assert not manage.save(stage.ports, job(), keep_paused=False, who=Actor("ada")).changed
    stage.save(description="new")
    assert stage.next_at() == next_at


def test_a_new_job_may_be_paused_until_an_instant_however_late_it_is(stage: Stage) -> None:
    stage.save(schedule="0 11 * * *", paused_until=at("23:00"), end_at=at("12:00"))
    assert stage.next_at() is None, "its window ends within the pause"


def test_a_triggered_run_does_not_wait_for_its_end(stage: Stage) -> None:
    stage.save()
    pause(stage, "09:30")
    run = trigger(stage.ports, KEY, idempotency_key="k", who=Actor("ada")).run
    stage.now += MINUTE
    stage.execute(stage.receive())
    assert stage.state.runs[run.key].state is RunState.SUCCEEDED


def test_a_fixed_delay_continues_when_its_pause_ends_and_no_earlier_after_a_resume(
    stage: Stage,
) -> None:
    stage.save(schedule="@after 10m")
    assert stage.next_at() == at("09:10:30")
    pause(stage, "12:00")
    assert stage.next_at() == at("12:00")
    resume(stage.at("09:05:30"))
    assert stage.next_at() == at("09:15:31"), "ten minutes after whatever may have ended by now"


def test_the_end_of_a_run_of_a_fixed_delay_lets_the_next_one_begin_after_the_pause(stage: Stage) -> None:
    stage.save(schedule="@after 1m")
    stage.at("09:01:30").tick()
    pause(stage, "12:00")
    stage.execute(stage.receive())
    assert stage.next_at() == at("12:00")
