"""Contract of stores of definitions: which calendars are in use."""

from __future__ import annotations

from minutehand.usecases.ports.job_change import Change
from tests.contract.examples import HOUR, NINE, calendar_of, creation, definition_of, deletion, edit, timer_of
from tests.contract.together import together


def users(stores, calendars):
    """How many jobs use each of these."""
    found = stores.calendars.get(calendars)
    return [found[key].users for key in calendars]


def naming(job, *names, revision=1, deleted=False):
    """A revision of a job that names these calendars."""
    return definition_of(job, revision=revision, deleted=deleted, calendars=names)


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
    assert (stores.definitions.get([job]), stores.timers.get(job)) == ({job: definition_of(job)}, timer_of(job))


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
