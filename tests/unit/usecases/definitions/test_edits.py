"""Effects of an edit on occurrences that are due, dispatched or long past."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.timer import BrokenTimer
from minutehand.usecases.definitions import manage
from minutehand.usecases.dispatching.due_plans import LONGEST_DISPATCH
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, compiled, job, timer
from tests.unit.usecases.stage import Stage

NOON = "0 12 * * *"
HOUR = timedelta(hours=1)


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00:30")


def pause(stage: Stage) -> Definition:
    return manage.pause(stage.ports, KEY, who=Actor("bob")).definition


def resume(stage: Stage) -> Definition:
    return manage.resume(stage.ports, KEY, who=Actor("bob")).definition


def handled(stage: Stage, clock: str) -> dict[str, RunState]:
    """Have a worker handle everything that was sent; the runs by clock time."""
    stage.at(clock).execute(stage.receive())
    return {f"{key.scheduled_for:%H:%M}": run.state for key, run in stage.state.runs.items()}


def test_an_edit_that_keeps_the_schedule_keeps_the_timer(stage: Stage) -> None:
    stage.save()
    assert stage.next_at() == at("09:03")
    messages = len(stage.state.messages)
    stage.save(description="new", retention=timedelta(days=1))
    assert stage.next_at() == at("09:03"), "not back to the next instant, which was dispatched"
    assert len(stage.state.messages) == messages
    assert (stage.state.timers[KEY].revision, stage.state.timers[KEY].retention) == (2, timedelta(days=1))
    assert stage.state.rechecks == {}, "nothing is owed where nothing moved"


def test_an_edit_first_dispatches_everything_due(stage: Stage) -> None:
    stage.save()
    stage.at("09:05:10")
    stage.save(schedule=NOON)
    assert stage.claimed() == ["09:01:00", "09:02:00", "09:03:00", "09:04:00", "09:05:00"]
    assert stage.sent() == stage.claimed(), "and not a second more"
    assert stage.next_at() == at("12:00")
    assert set(handled(stage, "09:05:11").values()) == {RunState.SUCCEEDED}


def test_an_occurrence_due_at_this_second_belongs_to_the_old_schedule(stage: Stage) -> None:
    stage.save(schedule="5 9 * * *")
    stage.at("09:05:00.900")
    stage.save(schedule="*/5 * * * *")
    assert stage.claimed() == ["09:05:00"]
    assert stage.next_at() == at("09:10")


@pytest.mark.parametrize("do", [pause, lambda stage: manage.delete(stage.ports, KEY, who=Actor("bob"))])
def test_pausing_and_deleting_settle_first_too(stage: Stage, do: object) -> None:
    stage.save()
    stage.at("09:05:10")
    do(stage)
    assert stage.claimed()[-1] == "09:05:00"


def test_an_edit_that_cannot_settle_is_refused_and_changes_nothing(stage: Stage) -> None:
    before = stage.save()
    stage.at("09:05:10")
    stage.outbox.fails("send", times=100)
    with pytest.raises(Conflict, match="are due and could not be dispatched yet; try again in a minute"):
        stage.save(schedule=NOON)
    assert stage.state.definitions[KEY] == before


def test_a_backlog_is_settled_in_several_passes(stage: Stage) -> None:
    stage.save(schedule="* * * * * *", catch_up=CatchUp.ALL, max_catch_up=150)
    claimed = len(stage.claimed())
    stage.at("09:30")
    stage.save(schedule=NOON)
    assert len(stage.claimed()) == claimed + (at("09:30") - at("09:02:30")) // SECOND


def test_an_edit_within_the_look_ahead_stops_what_it_no_longer_names(stage: Stage) -> None:
    stage.save()
    assert stage.sent() == ["09:01:00", "09:02:00"]
    stage.save(schedule="*/2 * * * *")
    assert handled(stage, "09:02:01") == {"09:01": RunState.SKIPPED, "09:02": RunState.SUCCEEDED}
    assert stage.run("09:01").skip_reason is SkipReason.SUPERSEDED


def test_an_edit_that_moves_the_timer_leaves_a_recheck(stage: Stage) -> None:
    stage.save()
    stage.save(schedule=NOON)
    [owed] = stage.state.rechecks.values()
    assert (owed.job, owed.after, owed.next_at) == (KEY, at("09:00:30"), at("09:00:30") + LONGEST_DISPATCH)
    assert owed.until >= stage.now + stage.ports.look_ahead, "as far as a tick may have claimed"


def test_a_tick_that_dies_over_an_edit_leaves_no_run_behind(stage: Stage) -> None:
    stage.outbox.fails("send")
    stage.save()
    assert stage.claimed() == ["09:01:00", "09:02:00"]
    assert stage.sent() == []
    stage.save(schedule=NOON)
    stage.now += LONGEST_DISPATCH
    stage.tick()
    assert set(handled(stage, "09:02:01").values()) == {RunState.SKIPPED}
    assert stage.state.rechecks == {}


def test_paused_and_resumed_within_the_look_ahead_nothing_is_missing(stage: Stage) -> None:
    stage.save()
    pause(stage)
    stage.now += 5 * SECOND
    resume(stage)
    assert stage.claimed() == ["09:01:00", "09:02:00"]
    assert set(handled(stage, "09:02:01").values()) == {RunState.SUCCEEDED}
    assert stage.next_at() == at("09:03")


def test_occurrences_during_a_pause_do_not_run_after_the_resume(stage: Stage) -> None:
    stage.save()
    pause(stage)
    stage.at("09:01:30")
    resume(stage)
    assert handled(stage, "09:02:01")["09:01"] is RunState.SKIPPED
    assert stage.run("09:01").skip_reason is SkipReason.PAUSED
    assert stage.run("09:02").state is RunState.SUCCEEDED


def test_a_skip_is_reopened_when_a_resume_names_its_instant_again(stage: Stage) -> None:
    stage.save()
    pause(stage)
    assert handled(stage, "09:01:00.100")["09:01"] is RunState.SKIPPED
    stage.at("09:00:59.900")  # the resume comes by way of a clock that is a little slow
    resume(stage)
    assert stage.run("09:01").state is RunState.QUEUED
    assert handled(stage, "09:02:01") == {"09:01": RunState.SUCCEEDED, "09:02": RunState.SUCCEEDED}


def test_a_paused_jobs_edit_leaves_it_without_a_next_instant(stage: Stage) -> None:
    stage.save(paused=True)
    stage.save(paused=True, schedule=NOON)
    assert stage.next_at() is None
    resume(stage)
    assert (stage.next_at(), stage.state.timers[KEY].rule) == (at("12:00"), compiled(NOON))


def test_a_clock_that_went_backwards_takes_no_revision_back(stage: Stage) -> None:
    stage.save()
    stage.at("08:30")
    edited = stage.save(schedule="*/20 * * * *")
    assert edited.revisions[-1].effective_from == at("09:00:30"), "not before the revision that it follows"
    assert stage.next_at() == at("09:20")
    assert manage.preview(stage.ports, job(NOON), keep_paused=False, who=Actor("ada")).definition.updated_at == at(
        "09:00:30"
    )


def test_occurrences_between_a_slow_clock_and_the_last_revision_are_dispatched_first(stage: Stage) -> None:
    stage.save()
    stage.at("09:10").tick()
    edited = stage.at("09:10").save(description="later")
    stage.at("09:05").save(schedule=NOON)
    assert edited.revisions[-1].effective_from == at("09:10")
    assert stage.claimed()[-1] == "09:12:00"


@pytest.mark.parametrize(
    ("ended", "kept", "why"),
    [(24 * HOUR, True, "a day ago to the second"), (24 * HOUR + SECOND, False, "longer ago")],
)
def test_a_revision_is_kept_for_a_day_after_it_ended(stage: Stage, ended: timedelta, kept: bool, why: str) -> None:
    stage.save(schedule=NOON)
    stage.now += MINUTE
    second = stage.save(schedule="0 13 * * *", catch_up=CatchUp.SKIP)
    stage.now = second.revisions[-1].effective_from + ended
    third = stage.save(schedule="0 14 * * *", catch_up=CatchUp.SKIP)
    assert [r.number for r in third.revisions] == ([1, 2, 3] if kept else [2, 3]), why


def test_no_more_than_a_hundred_revisions_are_kept_besides_the_newest(stage: Stage) -> None:
    for number in range(150):
        edited = stage.save(schedule=NOON, description=str(number))
    assert edited.revision == 150
    assert [r.number for r in edited.revisions] == list(range(50, 151))


def test_a_broken_timer_is_replaced_by_an_edit(stage: Stage) -> None:
    stage.save(schedule="*/10 * * * *")
    stage.state.timers[KEY] = BrokenTimer(job=KEY, revision=1, next_at=at("09:10"), problem="no schedule")
    stage.save(schedule="*/10 * * * *", description="repaired")
    assert stage.state.timers[KEY] == timer("09:10", "*/10 * * * *", revision=2, catchup_window=24 * HOUR, packed=True)
    assert len(stage.state.rechecks) == 1, "nobody knows what was dispatched of it"


def test_a_timer_whose_schedule_is_damaged_does_not_keep_a_job_from_being_edited(stage: Stage) -> None:
    stage.save()
    stage.state.timers[KEY] = replace(stage.state.timers[KEY], rule="damaged")
    stage.at("09:05")
    stage.save(schedule=NOON)
    assert stage.next_at() == at("12:00")
    assert stage.state.timers[KEY].rule == compiled(NOON)
    assert len(stage.state.skipped) == 1, "what it could not name is recorded"
