"""Steps of a backfill."""

from __future__ import annotations

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.backfill import BackfillState, Order
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.usecases.definitions import manage
from tests.unit.domain.examples import KEY, MINUTE, at, definition, job
from tests.unit.usecases.operations.backfills.replaying import FAILURE, ID, asked, replayed, stored, work_off
from tests.unit.usecases.stage import Stage


def test_it_replays_a_range_one_after_the_other(stage: Stage) -> None:
    started = asked(stage)
    assert started.created
    assert (started.backfill.total, started.backfill.created_by, len(started.backfill.active)) == (5, "ada", 1)
    assert stage.sent() == ["09:00:00"]
    work_off(stage)
    assert replayed(stage) == ["09:00", "09:01", "09:02", "09:03", "09:04"]
    done = stored(stage)
    assert (done.state, done.counts, done.active) == (BackfillState.DONE, {RunState.SUCCEEDED: 5}, ())
    assert (done.finished_at, done.next_at) == (stage.now, None)


def test_its_runs_start_when_they_are_created_and_not_years_late(stage: Stage) -> None:
    asked(stage)
    [run] = stage.state.runs.values()
    assert run.key == RunKey.backfilled(KEY, at("09:00"), ID)
    assert (run.scheduled_for, run.starts_at, run.claimed_at) == (at("09:00"), at("11:00"), stage.now)
    assert run.expires_at == at("11:00") + definition().job.retention
    stage.work()
    assert stage.state.runs[run.key].lateness == stage.now - at("11:00")


def test_the_newest_may_come_first(stage: Stage) -> None:
    asked(stage, order=Order.NEWEST)
    work_off(stage)
    assert replayed(stage) == ["09:04", "09:03", "09:02", "09:01", "09:00"]


def test_so_many_are_active_as_it_may_have_and_no_more(stage: Stage) -> None:
    asked(stage, end="09:10", concurrency=3)
    assert stage.sent() == ["09:00:00", "09:01:00", "09:02:00"]
    [first, *_] = stage.receive()
    stage.execute([first])
    assert stage.sent() == ["09:03:00"]
    assert len(stored(stage).active) == 3


@pytest.mark.parametrize(("ignore", "at_once"), [(False, 1), (True, 3)])
def test_runs_of_a_job_without_overlap_are_replayed_one_at_a_time(stage: Stage, ignore: bool, at_once: int) -> None:
    stage.state.definitions[KEY] = definition(overlap=Overlap.REPLACE)
    asked(stage, concurrency=3, ignore_overlap=ignore)
    assert len(stage.state.messages) == len(stored(stage).active) == at_once
    work_off(stage)
    assert stored(stage).counts == {RunState.SUCCEEDED: 5}


def test_failures_are_counted_and_do_not_stop_it(stage: Stage) -> None:
    asked(stage, end="09:02")
    stage.execute(stage.receive(), lambda _: FAILURE)
    stage.execute(stage.receive())
    assert (stored(stage).state, stored(stage).counts) == (
        BackfillState.DONE,
        {RunState.FAILED: 1, RunState.SUCCEEDED: 1},
    )


@pytest.mark.parametrize(
    ("policy", "ignore", "runs_with"),
    [
        (Overlap.ALLOW, False, None),
        (Overlap.SKIP, False, Overlap.QUEUE_ALL),
        (Overlap.REPLACE, False, Overlap.QUEUE_ALL),
        (Overlap.SKIP, True, Overlap.ALLOW),
    ],
)
def test_its_runs_wait_for_others_of_the_job_and_are_not_skipped_unless_overlaps_are_ignored(
    stage: Stage, policy: Overlap, ignore: bool, runs_with: Overlap | None
) -> None:
    stage.state.definitions[KEY] = definition(overlap=policy)
    asked(stage, ignore_overlap=ignore)
    [run] = stage.state.runs.values()
    assert run.overlap is runs_with


def test_occurrences_that_ran_and_paused_jobs_are_replayed_too(stage: Stage) -> None:
    ran = RunKey.scheduled(KEY, at("09:00"))
    stage.runs.claim([Run(key=ran, target="http", revision=1, claimed_at=at("09:00"), expires_at=at("23:00"))])
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    asked(stage, end="09:02")
    work_off(stage)
    assert stored(stage).counts == {RunState.SUCCEEDED: 2}


def test_an_edit_does_not_change_what_is_replayed(stage: Stage) -> None:
    asked(stage)
    stage.save(job("0 0 1 1 *", payload="new"))
    work_off(stage)
    assert replayed(stage) == ["09:00", "09:01", "09:02", "09:03", "09:04"]


def test_the_rest_of_a_deleted_job_is_not_run(stage: Stage) -> None:
    asked(stage)
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    work_off(stage)
    [run] = stage.state.runs.values()
    assert (run.state, run.skip_reason) == (RunState.SKIPPED, SkipReason.DELETED)
    ended = stored(stage)
    assert (ended.state, ended.cancelled_by, ended.counts) == (BackfillState.CANCELLED, "", {RunState.SKIPPED: 1})
    assert ended.finished_at == stage.now


def test_a_job_created_again_under_the_same_name_is_another_job(stage: Stage) -> None:
    asked(stage)
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    stage.now += MINUTE
    stage.save()
    work_off(stage)
    assert stored(stage).state is BackfillState.CANCELLED
    assert sum(key.backfill == ID for key in stage.state.runs) == 1
