"""Contract of stores of definitions: reading, saving and deleting them."""

from __future__ import annotations

from dataclasses import fields

import pytest

from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.usecases.ports.job_change import Change
from minutehand.usecases.ports.stores import Move
from tests.contract.examples import (
    BLOCKED,
    DEPENDENT,
    HOUR,
    MINUTE,
    NINE,
    creation,
    definition_of,
    deletion,
    edit,
    recheck_of,
    timer_of,
)
from tests.contract.together import together


def test_a_definition_comes_back_whole(stores, job, calendars):
    assert stores.definitions.save(creation(job, revision=3, **BLOCKED))
    assert stores.definitions.get([job]) == {job: definition_of(job, revision=3, **BLOCKED)}


def test_a_definition_without_limits_comes_back_without_any(stores, job):
    plain = {"schedule": "*/5 * * * *", "dialect": None, "start_at": None, "end_at": None, "max_runs": None}
    bare = creation(job, **plain, jitter=0 * HOUR)
    assert stores.definitions.save(bare)
    assert stores.definitions.get([job]) == {job: bare.after}


def test_the_example_sets_every_field_to_something_else_than_its_default(job):
    bare = Job(key=job, schedule="", target=definition_of(job).job.target)
    full = definition_of(job, **BLOCKED, **DEPENDENT).job
    assert [f.name for f in fields(Job) if getattr(bare, f.name) == getattr(full, f.name)] == [
        "key",
        "target",
        "unknown",
    ]


@pytest.mark.parametrize("payload", [None, "", [], 0, False, "null", {"ünïcode": "日本"}, "x" * 200_000])
def test_any_payload_comes_back_as_it_was(stores, job, payload):
    assert stores.definitions.save(creation(job, payload=payload))
    stored = stores.definitions.get([job])[job].job.payload
    assert (stored, type(stored)) == (payload, type(payload))


def test_only_existing_definitions_are_returned(stores, job, namespace):
    assert stores.definitions.save(creation(job))
    assert stores.definitions.get([job, JobKey(namespace=namespace, name="nobody"), job]).keys() == {job}
    assert stores.definitions.get([]) == {}


def test_more_definitions_than_one_call_reads_are_returned(stores, jobs):
    wanted = jobs(120)
    for job in wanted:
        assert stores.definitions.save(creation(job))
    assert sorted(stores.definitions.get(wanted)) == wanted


def test_an_edit_changes_definition_and_timer_together(stores, job):
    assert stores.definitions.save(creation(job))
    assert stores.definitions.save(edit(job))
    assert stores.definitions.get([job]) == {job: definition_of(job, revision=2)}
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR, revision=2)
    assert stores.due(job, NINE) == []


def test_an_edited_definition_decides_at_the_next_read(stores, job):
    assert stores.definitions.save(creation(job))
    assert stores.definitions.governing([job]).definitions == {job: definition_of(job)}
    assert stores.definitions.save(edit(job))
    assert stores.definitions.governing([job]).definitions == {job: definition_of(job, revision=2)}
    until = NINE + HOUR
    stores.definitions.set_lane(job, 2, until)
    assert stores.definitions.governing([job]).definitions[job].slow_until == until


def test_an_edit_leaves_the_recheck_that_comes_with_it(stores, job):
    assert stores.definitions.save(creation(job))
    assert stores.definitions.save(edit(job)._replace(recheck=recheck_of(job)))
    assert stores.due(job, NINE + MINUTE) == [recheck_of(job)]


def assert_untouched(stores, job, timer=None):
    assert stores.definitions.get([job]) == {job: definition_of(job)}
    assert stores.timers.get(job) == (timer or timer_of(job))
    assert [d.revision for d in stores.definitions.page(job.namespace, 10, None).items] == [1]


def test_creating_an_existing_job_writes_nothing(stores, job):
    assert stores.definitions.save(creation(job))
    assert not stores.definitions.save(creation(job, next_at=NINE + HOUR, owner="somebody else"))
    assert_untouched(stores, job)


def test_an_edit_of_a_revision_that_is_no_longer_the_newest_writes_nothing(stores, job):
    assert stores.definitions.save(creation(job))
    stale = edit(job)._replace(before=definition_of(job, revision=5), recheck=recheck_of(job))
    assert not stores.definitions.save(stale)
    assert_untouched(stores, job)
    assert stores.due(job, NINE + MINUTE) == [timer_of(job)]


@pytest.mark.parametrize("read", [NINE - HOUR, None], ids=["at another instant", "paused"])
def test_an_edit_that_read_another_next_at_writes_nothing(stores, job, read):
    assert stores.definitions.save(creation(job))
    assert not stores.definitions.save(edit(job, read=read))
    assert_untouched(stores, job)


def test_an_edit_that_read_a_running_timer_of_a_paused_job_writes_nothing(stores, job):
    assert stores.definitions.save(creation(job, next_at=None))
    assert not stores.definitions.save(edit(job, read=NINE))
    assert_untouched(stores, job, timer_of(job, next_at=None))


def test_an_edit_that_lost_against_a_tick_writes_nothing(stores, job):
    assert stores.definitions.save(creation(job))
    stores.timers.advance([Move(job=job, revision=1, old=NINE, new=NINE + MINUTE)])
    assert not stores.definitions.save(edit(job))
    assert_untouched(stores, job, timer_of(job, next_at=NINE + MINUTE))


def test_an_edit_that_read_no_timer_writes_nothing_if_there_is_one(stores, job):
    assert stores.definitions.save(creation(job))
    assert not stores.definitions.save(edit(job)._replace(timer_before=None))
    assert not stores.definitions.save(deletion(job)._replace(timer_before=None))
    assert_untouched(stores, job)


def test_an_edit_that_read_a_timer_writes_nothing_if_there_is_none(stores, job):
    assert stores.definitions.save(creation(job))
    assert stores.definitions.save(deletion(job))
    tombstone = definition_of(job, revision=2, deleted=True)
    change = edit(job)._replace(before=tombstone, after=definition_of(job, revision=3))
    assert not stores.definitions.save(change)
    assert not stores.definitions.save(change._replace(timer_before=timer_of(job, next_at=None)))
    assert stores.definitions.get([job]) == {job: tombstone}


def test_a_paused_job_can_be_edited(stores, job):
    assert stores.definitions.save(creation(job, next_at=None))
    assert stores.definitions.save(edit(job, read=None))
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR, revision=2)


def test_a_job_with_a_broken_timer_can_be_edited(stores, job):
    assert stores.definitions.save(creation(job))
    stores.damage(job)
    assert stores.definitions.save(edit(job)._replace(timer_before=stores.timers.get(job)))
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR, revision=2)


def test_a_delete_leaves_a_tombstone_without_timer_and_list_entry(stores, job):
    assert stores.definitions.save(creation(job))
    assert stores.definitions.save(deletion(job))
    assert stores.definitions.get([job]) == {job: definition_of(job, revision=2, deleted=True)}
    assert stores.timers.get(job) is None
    assert stores.due(job, NINE + HOUR) == []
    assert stores.definitions.page(job.namespace, 10, None).items == ()


def test_a_deleted_job_can_be_recreated_with_the_next_revision(stores, job):
    assert stores.definitions.save(creation(job))
    assert stores.definitions.save(deletion(job))
    again = Change(
        before=definition_of(job, revision=2, deleted=True),
        after=definition_of(job, revision=3),
        timer_before=None,
        timer_after=timer_of(job, revision=3),
        recheck=None,
    )
    assert stores.definitions.save(again)
    assert not stores.definitions.save(again)
    assert stores.timers.get(job) == timer_of(job, revision=3)


def test_of_concurrent_creates_of_a_job_one_succeeds(stores, job):
    saved = together(lambda number: stores.definitions.save(creation(job, owner=f"number {number}")))
    assert sorted(saved) == [False] * 7 + [True]
    assert stores.definitions.get([job])[job].job.owner == f"number {saved.index(True)}"


def test_of_concurrent_edits_of_a_job_one_succeeds(stores, job):
    assert stores.definitions.save(creation(job))
    saved = together(lambda number: stores.definitions.save(edit(job, next_at=NINE + (number + 1) * HOUR)))
    assert sorted(saved) == [False] * 7 + [True]
    assert stores.timers.get(job).next_at == NINE + (saved.index(True) + 1) * HOUR


def test_jobs_of_one_namespace_can_be_created_at_once(stores, jobs):
    wanted = jobs(8)
    assert together(lambda number: stores.definitions.save(creation(wanted[number]))) == [True] * 8
