"""Contract of stores of definitions."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from minutehand.domain.calendar import CalendarKey
from minutehand.domain.errors import Invalid
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
    calendar_of,
    creation,
    definition_of,
    deletion,
    edit,
    recheck_of,
    timer_of,
)
from tests.contract.together import together


@pytest.fixture
def calendars(stores, namespace):
    """Calendars that nobody uses yet."""
    keys = [CalendarKey(namespace, name) for name in ("holidays", "inventory", "nights")]
    for key in keys:
        assert stores.calendars.save(None, calendar_of(key))
    return keys


def users(stores, calendars):
    """How many jobs use each of these."""
    found = stores.calendars.get(calendars)
    return [found[key].users for key in calendars]


def naming(job, *names, revision=1, deleted=False):
    """A revision of a job that names these calendars."""
    return definition_of(job, revision=revision, deleted=deleted, calendars=names)


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


def test_a_list_shows_definitions_by_name_without_payload_and_older_revisions(stores, jobs):
    wanted = jobs(3)
    for job in reversed(wanted):
        assert stores.definitions.save(creation(job, revision=3))
    full = [definition_of(job, revision=3) for job in wanted]
    page = stores.definitions.page(wanted[0].namespace, 10, None)
    assert page.items == tuple(
        replace(definition, job=replace(definition.job, payload=None), revisions=definition.revisions[-1:])
        for definition in full
    )
    assert page.next is None


@pytest.mark.parametrize(("limit", "pages"), [(1, 5), (2, 3), (4, 2), (5, 1), (6, 1)])
def test_definitions_are_listed_in_pages_without_an_empty_last_page(stores, jobs, limit, pages):
    wanted = jobs(5)
    for job in wanted:
        assert stores.definitions.save(creation(job))
    found, cursor, asked = [], None, 0
    while cursor is not None or not asked:
        page = stores.definitions.page(wanted[0].namespace, limit, cursor)
        found += [definition.job.key for definition in page.items]
        cursor, asked = page.next, asked + 1
    assert (found, asked) == (wanted, pages)


def test_a_cursor_stays_valid_after_its_job_is_deleted(stores, jobs):
    first, second = jobs(2)
    for job in (first, second):
        assert stores.definitions.save(creation(job))
    cursor = stores.definitions.page(first.namespace, 1, None).next
    assert stores.definitions.save(deletion(first))
    assert [d.job.key for d in stores.definitions.page(first.namespace, 1, cursor).items] == [second]


def test_the_list_of_an_unknown_namespace_is_empty(stores, namespace):
    page = stores.definitions.page(namespace, 10, None)
    assert (page.items, page.next) == ((), None)


@pytest.mark.parametrize("cursor", ["", "nonsense", "bm9uc2Vuc2U", "ünicode", "W10", "e30"])
def test_a_list_refuses_an_invalid_cursor(stores, namespace, cursor):
    with pytest.raises(Invalid) as refusal:
        stores.definitions.page(namespace, 10, cursor)
    assert [problem.path for problem in refusal.value.problems] == ["cursor"]


def test_a_list_refuses_the_cursor_of_another_namespace(stores, jobs):
    for job in jobs(2):
        assert stores.definitions.save(creation(job))
    cursor = stores.definitions.page(jobs(1)[0].namespace, 1, None).next
    with pytest.raises(Invalid, match="another list"):
        stores.definitions.page("elsewhere", 1, cursor)


def test_every_namespace_that_ever_had_a_job_is_known(stores, job):
    assert job.namespace not in stores.definitions.namespaces()
    assert stores.definitions.save(creation(job))
    assert stores.definitions.save(deletion(job))
    assert list(stores.definitions.namespaces()).count(job.namespace) == 1


def test_a_new_job_is_counted_by_each_calendar_that_it_names(stores, jobs, calendars):
    first, second = jobs(2)
    assert stores.definitions.save(creation(first, calendars=("holidays", "inventory")))
    assert stores.definitions.save(creation(second, calendars=("holidays",)))
    assert users(stores, calendars) == [2, 1, 0]


def test_an_edit_counts_added_calendars_and_no_longer_removed_ones(stores, job, calendars):
    assert stores.definitions.save(creation(job, calendars=("holidays", "inventory")))
    before, after = naming(job, "holidays", "inventory"), naming(job, "inventory", "nights", revision=2)
    assert stores.definitions.save(edit(job)._replace(before=before, after=after))
    assert users(stores, calendars) == [0, 1, 1]
    assert stores.definitions.get([job]) == {job: after}


def test_a_deleted_job_uses_no_calendar_until_it_is_recreated(stores, job, calendars):
    assert stores.definitions.save(creation(job, calendars=("holidays",)))
    before, tombstone = naming(job, "holidays"), naming(job, "holidays", revision=2, deleted=True)
    assert stores.definitions.save(deletion(job)._replace(before=before, after=tombstone))
    assert users(stores, calendars) == [0, 0, 0]
    again = Change(
        before=tombstone,
        after=naming(job, "holidays", revision=3),
        timer_before=None,
        timer_after=timer_of(job, revision=3),
        recheck=None,
    )
    assert stores.definitions.save(again)
    assert users(stores, calendars) == [1, 0, 0]


def test_a_job_with_an_unknown_calendar_is_neither_saved_nor_counted(stores, job, calendars):
    assert not stores.definitions.save(creation(job, calendars=("holidays", "nothing")))
    assert (stores.definitions.get([job]), stores.timers.get(job)) == ({}, None)
    assert stores.definitions.page(job.namespace, 10, None).items == ()
    assert users(stores, calendars) == [0, 0, 0]
    assert [found.key for found in stores.calendars.page(job.namespace, 10, None).items] == calendars


def test_an_edit_with_an_unknown_calendar_writes_nothing(stores, job, calendars):
    assert stores.definitions.save(creation(job))
    assert not stores.definitions.save(edit(job)._replace(after=naming(job, "nothing", revision=2)))
    assert_untouched(stores, job)


def test_a_save_that_is_refused_is_counted_by_no_calendar(stores, job, calendars):
    assert stores.definitions.save(creation(job, calendars=("holidays",)))
    assert not stores.definitions.save(creation(job, calendars=("inventory",)))
    stale = edit(job, read=NINE - HOUR)
    before, after = naming(job, "holidays"), naming(job, "nights", revision=2)
    assert not stores.definitions.save(stale._replace(before=before, after=after))
    assert users(stores, calendars) == [1, 0, 0]


def test_a_calendar_that_a_job_names_is_deleted_only_when_none_does(stores, job, calendars):
    holidays = calendars[0]
    assert stores.definitions.save(creation(job, calendars=("holidays",)))
    assert not stores.calendars.delete(calendar_of(holidays))
    before, tombstone = naming(job, "holidays"), naming(job, "holidays", revision=2, deleted=True)
    assert stores.definitions.save(deletion(job)._replace(before=before, after=tombstone))
    assert stores.calendars.delete(calendar_of(holidays))


def test_of_a_calendars_delete_and_a_job_that_starts_to_use_it_one_succeeds(stores, job, calendars):
    holidays = calendars[0]

    def race(number):
        if number % 2:
            return stores.calendars.delete(calendar_of(holidays))
        return stores.definitions.save(creation(job, calendars=("holidays",)))

    done = together(race)
    assert done.count(True) == 1
    there = stores.calendars.get([holidays])
    assert (holidays in there, job in stores.definitions.get([job])) == (
        (True, True) if True in done[::2] else (False, False)
    )


def test_concurrent_new_users_of_a_calendar_are_all_counted(stores, jobs, calendars):
    wanted = jobs(8)
    assert (
        together(lambda number: stores.definitions.save(creation(wanted[number], calendars=("holidays",))))
        == [True] * 8
    )
    assert users(stores, calendars) == [8, 0, 0]
