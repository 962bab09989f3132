"""Resume a job, and replay the occurrences of its pause."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.backfill import Backfill
from minutehand.domain.errors import Conflict, Invalid, NotFound, Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import RunState
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations.resume import Resumed, resume
from tests.unit.domain.examples import KEY, MINUTE, at, job
from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    """A job of each minute, paused at half past nine; it is ten minutes later."""
    stage = Stage("09:00")
    stage.save()
    stage.at("09:30")
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    return stage.at("09:40")


def resumed(stage: Stage, catch_up: CatchUp, key: JobKey = KEY) -> Resumed:
    return resume(stage.ports, key, catch_up=catch_up, who=Actor("eve"))


def begun(found: Resumed) -> Backfill:
    assert found.backfill is not None
    return found.backfill


def replayed(stage: Stage) -> list[str]:
    """The clock times of what a backfill replayed."""
    for _ in range(100):
        if not stage.work():
            break
    return [f"{key.scheduled_for:%H:%M}" for key, _ in stage.called if key.backfill]


def test_a_resume_replays_nothing_by_default(stage: Stage) -> None:
    found = resume(stage.ports, KEY, who=Actor("eve"))
    assert (found.saved.changed, found.saved.definition.job.paused, found.backfill) == (True, False, None)
    assert stage.state.backfills == {}


def test_all_occurrences_of_a_pause_can_be_replayed(stage: Stage) -> None:
    found = begun(resumed(stage, CatchUp.ALL))
    assert (found.id, found.created_by, found.total) == ("resume-3", "eve", 10)
    assert (found.start, found.end) == (at("09:30:01"), at("09:40:01"))
    assert replayed(stage) == [f"09:{minute}" for minute in range(31, 41)]


def test_the_latest_alone_may_be_replayed(stage: Stage) -> None:
    assert begun(resumed(stage, CatchUp.LATEST)).total == 1
    assert replayed(stage) == ["09:40"]


def test_replayed_and_scheduled_occurrences_meet_without_gap_or_overlap(stage: Stage) -> None:
    resumed(stage, CatchUp.ALL)
    stage.at("09:41")
    stage.tick()
    stage.at("09:45")
    replayed(stage)
    ran = sorted(key.scheduled_for for key, run in stage.state.runs.items() if run.state is RunState.SUCCEEDED)
    since = [instant for instant in ran if instant > at("09:30")]
    assert since == [at("09:31") + minute * MINUTE for minute in range(13)]


def test_a_repeated_resume_starts_no_second_backfill(stage: Stage) -> None:
    first = begun(resumed(stage, CatchUp.ALL))
    stage.now += 5 * MINUTE
    again = resumed(stage, CatchUp.ALL)
    assert not again.saved.changed
    assert (begun(again).id, len(stage.state.backfills)) == (first.id, 1)


@pytest.mark.parametrize("after_effect", [False, True])
@pytest.mark.parametrize("method", ["create", "get"])
def test_a_resume_repeated_after_a_crash_creates_the_backfill(stage: Stage, method: str, after_effect: bool) -> None:
    stage.backfills.fails(method, after_effect=after_effect)
    with pytest.raises(Unavailable):
        resumed(stage, CatchUp.ALL)
    assert stage.state.definitions[KEY].job.paused is False
    stage.now += 2 * MINUTE
    assert begun(resumed(stage, CatchUp.ALL)).end == at("09:40:01")


def test_a_pause_that_was_edited_counts_as_one(stage: Stage) -> None:
    stage.save(job(owner="ada", paused=True))
    stage.now += timedelta(days=3)
    stage.save(job("*/10 * * * *", paused=True))
    stage.now = at("09:50") + timedelta(days=3)
    assert begun(resumed(stage, CatchUp.ALL)).start == at("09:30:01")


def test_a_pause_that_ended_by_itself_can_be_replayed_afterwards() -> None:
    stage = Stage("09:00")
    stage.save()
    stage.at("09:30")
    manage.pause(stage.ports, KEY, until=at("09:35"), who=Actor("ada"))
    stage.at("09:50")
    found = begun(resumed(stage, CatchUp.ALL))
    assert (found.start, found.end) == (at("09:30:01"), at("09:35"))
    assert replayed(stage) == ["09:31", "09:32", "09:33", "09:34"]


def test_a_pause_resumed_early_is_replayed_up_to_the_resume() -> None:
    stage = Stage("09:00")
    stage.save()
    stage.at("09:30")
    manage.pause(stage.ports, KEY, until=at("12:00"), who=Actor("ada"))
    stage.at("09:35")
    assert begun(resumed(stage, CatchUp.ALL)).end == at("09:35:01")


@pytest.mark.parametrize("catch_up", [CatchUp.LATEST, CatchUp.ALL])
def test_a_job_that_was_not_paused_or_named_nothing_meanwhile_has_nothing_to_make_up_for(catch_up: CatchUp) -> None:
    stage = Stage("09:00")
    stage.save()
    assert resumed(stage, catch_up).backfill is None
    stage.save(job("0 12 * * *"))
    stage.at("09:30")
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    stage.at("09:40")
    assert resumed(stage, catch_up).backfill is None
    assert stage.state.backfills == {}


def test_too_much_to_make_up_for_is_refused_before_it_is_resumed(stage: Stage) -> None:
    stage.now += timedelta(days=14)
    with pytest.raises(Invalid, match="the range has about 20,200 occurrences") as refused:
        resumed(stage, CatchUp.ALL)
    [problem] = refused.value.problems
    assert (problem.path, problem.hint) == ("catch_up", "resume it with skip or latest, and backfill the rest in parts")
    assert stage.state.definitions[KEY].job.paused
    assert begun(resumed(stage, CatchUp.LATEST)).total == 1


@pytest.mark.parametrize(
    ("fields", "message"), [({"schedule": "@manual"}, "@manual"), ({"schedule": "@after 5m"}, "@after")]
)
def test_a_schedule_that_names_no_instants_leaves_nothing_to_make_up_for(fields: dict[str, Any], message: str) -> None:
    stage = Stage("09:00")
    stage.save(job(**fields, paused=True))
    with pytest.raises(Invalid, match=message) as refused:
        resumed(stage, CatchUp.ALL)
    assert [problem.path for problem in refused.value.problems] == ["catch_up"]
    assert resume(stage.ports, KEY, who=Actor("eve")).saved.changed


def test_a_job_that_does_not_exist_cannot_be_resumed(stage: Stage) -> None:
    for catch_up in CatchUp:
        with pytest.raises(NotFound):
            resumed(stage, catch_up, JobKey("shop", "ghost"))


def test_a_repeated_resume_with_another_catch_up_is_refused_with_the_first_backfill(stage: Stage) -> None:
    latest = begun(resumed(stage, CatchUp.LATEST))
    with pytest.raises(Conflict, match="start another backfill for the rest"):
        resumed(stage, CatchUp.ALL)
    assert begun(resumed(stage, CatchUp.LATEST)).id == latest.id
    assert list(stage.state.backfills) == [(KEY, latest.id)]
