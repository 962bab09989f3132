"""Save, pause, resume and delete a job."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.definition import Definition, Revision
from minutehand.domain.errors import Conflict, NotFound
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp
from minutehand.schedule import ScheduleError
from minutehand.usecases.definitions import manage
from minutehand.usecases.definitions.manage import Saved
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, compiled, job
from tests.unit.usecases.stage import Stage

NOON = "0 12 * * *"


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00:30.250")


def saved(stage: Stage, what: Job, *, keep_paused: bool = False, who: str = "ada") -> Saved:
    return manage.save(stage.ports, what, keep_paused=keep_paused, who=Actor(who))


def pause(stage: Stage) -> Saved:
    return manage.pause(stage.ports, KEY, who=Actor("bob"))


def resume(stage: Stage) -> Saved:
    return manage.resume(stage.ports, KEY, who=Actor("bob"))


def delete(stage: Stage) -> None:
    manage.delete(stage.ports, KEY, who=Actor("bob"))


def stored(stage: Stage) -> Definition:
    return stage.state.definitions[KEY]


def test_a_new_job_is_stored_with_its_timer(stage: Stage) -> None:
    wanted = job(NOON, misfire_grace=MINUTE, catch_up=CatchUp.ALL)
    answer = saved(stage, wanted)
    assert answer == Saved(definition=stored(stage), created=True, changed=True)
    assert stored(stage) == Definition(
        job=wanted,
        revision=1,
        created_at=at("09:00:30"),
        updated_at=at("09:00:30"),
        updated_by="ada",
        revisions=(Revision(number=1, effective_from=at("09:00:30"), rule=compiled(NOON)),),
        slow_until=at("09:00:30"),
    )
    kept = stage.state.timers[KEY]
    assert (kept.revision, kept.next_at, kept.rule, kept.target) == (1, at("12:00"), compiled(NOON), "http")
    assert (kept.misfire_grace, kept.catch_up) == (MINUTE, CatchUp.ALL)
    assert (kept.catchup_window, kept.retention) == (wanted.catchup_window, wanted.retention)


def test_a_job_due_within_the_look_ahead_is_dispatched_at_once(stage: Stage) -> None:
    stage.save()
    assert stage.sent() == ["09:01:00", "09:02:00"]
    assert stage.next_at() == at("09:03")


def test_a_dispatch_that_fails_does_not_undo_the_save(stage: Stage) -> None:
    stage.outbox.fails("send")
    assert saved(stage, job()).changed
    assert stage.next_at() == at("09:01"), "it is still due for the next tick"


def test_a_job_begins_with_the_first_instant_after_it_was_saved(stage: Stage) -> None:
    stage.at("09:01:00.900").save()
    assert stage.claimed()[0] == "09:02:00"


def test_a_paused_job_may_be_created(stage: Stage) -> None:
    stage.save(paused=True)
    assert stage.next_at() is None
    assert stored(stage).revisions[-1].rule is None
    assert stage.claimed() == []


def test_the_same_definition_again_changes_nothing(stage: Stage) -> None:
    stage.save()
    before = (stored(stage), stage.state.timers[KEY], list(stage.state.messages))
    stage.now += MINUTE
    assert saved(stage, job(), who="eve") == Saved(definition=before[0], created=False, changed=False)
    assert (stored(stage), stage.state.timers[KEY], stage.state.messages) == before


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (0, False), (1, 1.0), ({"a": [1]}, {"a": [True]}), (None, 0), ("1", 1)]
)
def test_payloads_are_compared_as_json(stage: Stage, one: object, other: object) -> None:
    stage.save(payload=one)
    assert manage.preview(stage.ports, job(payload=other), keep_paused=False, who=Actor("ada")).changed
    assert saved(stage, job(payload=other)).changed
    assert repr(stored(stage).job.payload) == repr(other)


def test_the_order_of_an_objects_keys_is_no_change(stage: Stage) -> None:
    stage.save(payload={"a": 1, "b": 2})
    assert not saved(stage, job(payload={"b": 2, "a": 1})).changed


@pytest.mark.parametrize("do", ["save", "preview"])
@pytest.mark.parametrize(
    "bad", [{"schedule": "61 * * * *"}, {"schedule": "0 0 30 2 *"}, {"timezone": "Mars/Olympus"}, {"dialect": "quartz"}]
)
@pytest.mark.parametrize("paused", [False, True])
def test_an_invalid_schedule_stores_nothing(stage: Stage, do: str, bad: dict[str, str], paused: bool) -> None:
    with pytest.raises(ScheduleError):
        getattr(manage, do)(stage.ports, replace(job(paused=paused), **bad), keep_paused=False, who=Actor("ada"))
    assert (stage.state.definitions, stage.state.timers, stage.state.namespaces) == ({}, {}, set())


def test_a_bad_edit_leaves_the_job_as_it_was(stage: Stage) -> None:
    stage.save(schedule=NOON)
    before = (stored(stage), stage.state.timers[KEY])
    with pytest.raises(ScheduleError):
        stage.save(schedule="61 * * * *")
    assert (stored(stage), stage.state.timers[KEY]) == before


@pytest.mark.parametrize("do", [pause, resume, delete])
def test_a_job_that_does_not_exist_cannot_be_changed(stage: Stage, do: object) -> None:
    with pytest.raises(NotFound, match="there is no job shop/report"):
        do(stage)
    stage.save()
    delete(stage)
    with pytest.raises(NotFound):
        do(stage)


def test_getting_a_job_that_does_not_exist_is_refused(stage: Stage) -> None:
    with pytest.raises(NotFound, match="there is no job shop/ghost"):
        manage.get(stage.ports, JobKey(namespace="shop", name="ghost"))
    assert manage.get(stage.ports, stage.save().job.key) == stored(stage)


def test_pausing_stops_the_timer_and_resuming_starts_it_from_now_on(stage: Stage) -> None:
    stage.save(schedule="*/10 * * * *")
    paused = pause(stage)
    assert (paused.changed, paused.definition.job.paused, stage.next_at()) == (True, True, None)
    assert paused.definition.updated_by == "bob"
    stage.at("10:05")
    resumed = resume(stage)
    assert (resumed.changed, resumed.definition.job.paused, stage.next_at()) == (True, False, at("10:10"))
    assert [r.rule is None for r in stored(stage).revisions] == [False, True, False]


@pytest.mark.parametrize("do", [pause, resume])
def test_repeated_pauses_and_resumes_change_nothing(stage: Stage, do: object) -> None:
    stage.save(paused=do is resume)
    first = do(stage)
    stage.now += MINUTE
    assert do(stage) == Saved(definition=first.definition, created=False, changed=False)


@pytest.mark.parametrize(
    ("was", "says", "keep", "becomes"),
    [
        (True, False, True, True),
        (True, False, False, False),
        (False, True, True, False),
        (False, True, False, True),
    ],
)
def test_saving_may_keep_a_job_paused_as_it_is(stage: Stage, was: bool, says: bool, keep: bool, becomes: bool) -> None:
    stage.save(schedule=NOON, paused=was)
    wanted = job(NOON, paused=says, description="edited")
    preview = manage.preview(stage.ports, wanted, keep_paused=keep, who=Actor("ada"))
    assert saved(stage, wanted, keep_paused=keep) == preview
    assert stored(stage).job == replace(wanted, paused=becomes)
    assert (stage.next_at() is None) is becomes


def test_a_deleted_jobs_pause_is_not_kept(stage: Stage) -> None:
    stage.save(paused=True)
    delete(stage)
    assert not stage.save(keep_paused=True).job.paused


def test_a_delete_leaves_a_tombstone_and_no_timer(stage: Stage) -> None:
    stage.save(schedule=NOON)
    delete(stage)
    grave = stored(stage)
    assert (grave.deleted, grave.revision, grave.revisions[-1].rule, grave.updated_by) == (True, 2, None, "bob")
    assert grave.job.schedule == NOON
    assert stage.state.timers == {}


def test_a_job_created_again_continues_the_revisions(stage: Stage) -> None:
    first = stage.save(schedule=NOON)
    stage.now += MINUTE
    delete(stage)
    stage.now += MINUTE
    again = saved(stage, job(NOON))
    assert again.created
    assert (again.definition.revision, again.definition.deleted) == (3, False)
    assert again.definition.created_at == at("09:02:30") != first.created_at
    assert [r.number for r in again.definition.revisions] == [1, 2, 3], "what is still in flight is judged by them"
    assert stage.next_at() == at("12:00")


def test_an_edit_keeps_when_the_job_was_created(stage: Stage) -> None:
    stage.save()
    stage.now += MINUTE
    edited = saved(stage, job(description="new"))
    assert (edited.created, edited.changed) == (False, True)
    assert (edited.definition.created_at, edited.definition.updated_at) == (at("09:00:30"), at("09:01:30"))


def test_after_five_lost_races_a_change_gives_up(stage: Stage) -> None:
    stage.save(schedule=NOON)

    def somebody_else() -> None:
        stage.state.definitions[KEY] = replace(stored(stage), revision=stored(stage).revision + 1)

    stage.definitions.before("save", *[somebody_else] * 5)
    with pytest.raises(Conflict, match="too many concurrent updates of job shop/report"):
        stage.save(schedule=NOON, description="mine")
    assert stored(stage).job.description == ""


def test_a_change_that_loses_four_races_wins_the_fifth(stage: Stage) -> None:
    stage.save(schedule=NOON)

    def somebody_else() -> None:
        known = stored(stage)
        stage.state.definitions[KEY] = replace(
            known, revision=known.revision + 1, job=replace(known.job, paused=not known.job.paused)
        )

    stage.definitions.before("save", *[somebody_else] * 4)
    resumed = saved(stage, job(NOON, description="mine"), keep_paused=True)
    assert (resumed.definition.revision, resumed.definition.job.paused) == (6, False), "over what the others left"


def test_a_preview_saves_nothing(stage: Stage) -> None:
    preview = manage.preview(stage.ports, job(), keep_paused=False, who=Actor("ada"))
    assert preview.created
    assert (stage.state.definitions, stage.state.timers, stage.state.runs, stage.state.namespaces) == (
        {},
        {},
        {},
        set(),
    )
    assert saved(stage, job()) == preview


def test_a_preview_of_the_same_definition_shows_no_change(stage: Stage) -> None:
    stage.save(paused=True)
    preview = manage.preview(stage.ports, job(), keep_paused=True, who=Actor("ada"))
    assert preview == Saved(definition=stored(stage), created=False, changed=False)


def test_a_preview_over_a_deleted_job_shows_a_new_job(stage: Stage) -> None:
    stage.save()
    delete(stage)
    stage.now += SECOND
    preview = manage.preview(stage.ports, job(), keep_paused=True, who=Actor("ada"))
    assert (preview.created, preview.definition.revision) == (True, 3)
    assert saved(stage, job(), keep_paused=True) == preview
