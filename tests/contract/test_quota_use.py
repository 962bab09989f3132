"""Contract of stores of the use of quotas."""

from __future__ import annotations

from datetime import timedelta

from minutehand.domain.quota import NO_PACE, JobCount, Pace
from tests.contract.examples import HOUR, MINUTE, NINE, creation, definition_of, deletion, edit
from tests.contract.together import together

AT_NINE = NINE.replace(microsecond=0)


def test_a_number_of_jobs_is_replaced_only_as_it_was_read(stores, namespace):
    first, second = JobCount(3, AT_NINE), JobCount(3, AT_NINE, 2)
    assert stores.namespaces.job_count(namespace) is None
    assert not stores.namespaces.save_job_count(namespace, first, second)
    assert stores.namespaces.save_job_count(namespace, None, first)
    assert not stores.namespaces.save_job_count(namespace, None, second)
    assert not stores.namespaces.save_job_count(namespace, second, second.anew(5, AT_NINE + HOUR))
    assert stores.namespaces.save_job_count(namespace, first, second)
    assert stores.namespaces.job_count(namespace) == second
    assert stores.namespaces.job_count(f"{namespace}-2") is None


def test_jobs_are_counted_without_deleted_ones_and_calendars(stores, jobs):
    first, second, third = jobs(3)
    for job in (first, second, third):
        assert stores.definitions.save(creation(job))
    assert stores.definitions.save(deletion(second))
    assert stores.namespaces.count_jobs(first.namespace) == 2
    assert stores.namespaces.count_jobs(f"{first.namespace}-2") == 0


def test_a_new_job_is_added_to_the_number_up_to_the_quota(stores, jobs):
    first, second, third = jobs(3)
    assert not stores.definitions.save(creation(first)._replace(most_jobs=2)), "nothing was counted yet"
    assert stores.definitions.get([first]) == {}
    stores.namespaces.save_job_count(first.namespace, None, JobCount(0, AT_NINE))
    assert stores.definitions.save(creation(first)._replace(most_jobs=2))
    assert stores.definitions.save(creation(second)._replace(most_jobs=2))
    assert not stores.definitions.save(creation(third)._replace(most_jobs=2))
    assert (stores.definitions.get([third]), stores.timers.get(third)) == ({}, None)
    assert stores.namespaces.job_count(first.namespace) == JobCount(2, AT_NINE, 3)
    assert stores.definitions.save(edit(first))
    assert stores.definitions.get([first]) == {first: definition_of(first, revision=2)}
    assert stores.namespaces.job_count(first.namespace) == JobCount(2, AT_NINE, 3), "an edit makes no job"


def test_of_jobs_made_at_once_no_more_succeed_than_the_quota_allows(stores, jobs):
    made = jobs(6)
    stores.namespaces.save_job_count(made[0].namespace, None, JobCount(0, AT_NINE))
    saved = together(lambda n: stores.definitions.save(creation(made[n])._replace(most_jobs=4)), times=6)
    assert sum(saved) == stores.namespaces.count_jobs(made[0].namespace) == 4


def test_places_are_given_out_once_each(stores, namespace):
    assert stores.namespaces.pace(namespace) == NO_PACE
    assert stores.namespaces.take_place(namespace) == Pace(None, 1)
    assert stores.namespaces.restart_pace(namespace, None, AT_NINE)
    assert not stores.namespaces.restart_pace(namespace, None, AT_NINE + MINUTE)
    assert not stores.namespaces.restart_pace(namespace, AT_NINE - MINUTE, AT_NINE + MINUTE)
    assert stores.namespaces.pace(namespace) == Pace(AT_NINE, 1)
    taken = together(lambda _: stores.namespaces.take_place(namespace).taken)
    assert sorted(taken) == list(range(2, 10))
    assert stores.namespaces.restart_pace(namespace, AT_NINE, AT_NINE + timedelta(minutes=5))
    assert stores.namespaces.take_place(namespace) == Pace(AT_NINE + timedelta(minutes=5), 2)


def test_counting_begins_anew_only_while_no_more_places_are_given_out_than_the_caller_knew(stores, namespace):
    stores.namespaces.restart_pace(namespace, None, AT_NINE)
    known = stores.namespaces.take_place(namespace)
    stores.namespaces.take_place(namespace)
    assert not stores.namespaces.restart_pace(namespace, AT_NINE, AT_NINE + MINUTE, most_taken=known.taken)
    assert stores.namespaces.pace(namespace) == Pace(AT_NINE, 3)
    assert stores.namespaces.restart_pace(namespace, AT_NINE, AT_NINE + MINUTE, most_taken=3)
