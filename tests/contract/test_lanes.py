"""Contract of `Definitions.set_lane`: the lane of a job, in its definition and its timer."""

from __future__ import annotations

from dataclasses import replace

from tests.contract.examples import HOUR, MINUTE, NINE, creation, deletion, edit


def test_a_lane_is_stored_in_definition_and_timer_and_taken_out_again(stores, job):
    made = creation(job)
    assert stores.definitions.save(made)
    stores.definitions.set_lane(job, made.after.revision, NINE + HOUR)
    assert stores.definitions.get([job]) == {job: replace(made.after, slow_until=NINE + HOUR)}
    assert stores.timers.get(job) == replace(made.timer_after, slow=True)
    stores.definitions.set_lane(job, made.after.revision, NINE + 2 * HOUR)
    assert stores.definitions.get([job])[job].slow_until == NINE + 2 * HOUR
    stores.definitions.set_lane(job, made.after.revision, None)
    assert stores.definitions.get([job]) == {job: made.after}
    assert stores.timers.get(job) == made.timer_after


def test_a_lane_of_another_revision_changes_nothing(stores, job):
    made = creation(job)
    assert stores.definitions.save(made)
    stores.definitions.set_lane(job, made.after.revision + 1, NINE + HOUR)
    assert stores.definitions.get([job]) == {job: made.after}
    assert stores.timers.get(job) == made.timer_after


def test_a_lane_of_a_job_that_does_not_exist_makes_none(stores, job):
    stores.definitions.set_lane(job, 1, NINE + HOUR)
    assert stores.definitions.get([job]) == {}
    assert stores.timers.get(job) is None


def test_a_deleted_job_without_timer_may_have_its_lane_set(stores, job):
    assert stores.definitions.save(creation(job))
    gone = deletion(job)
    assert stores.definitions.save(gone)
    stores.definitions.set_lane(job, gone.after.revision, NINE + HOUR)
    assert stores.timers.get(job) is None


def test_the_list_of_jobs_has_no_lanes(stores, job, namespace):
    made = creation(job)
    assert stores.definitions.save(made._replace(after=replace(made.after, slow_until=NINE)))
    [listed] = stores.definitions.page(namespace, 10, None).items
    assert listed.slow_until is None


def test_a_lane_does_not_get_in_the_way_of_an_edit_or_a_move(stores, job):
    made = creation(job)
    assert stores.definitions.save(made)
    stores.definitions.set_lane(job, made.after.revision, NINE + MINUTE)
    assert stores.definitions.save(edit(job))
