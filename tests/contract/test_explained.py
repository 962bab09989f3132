"""Contract of stores for explanations: histories, skipped ranges, ticks."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.revision_history import Did, PastRevision
from minutehand.domain.timer import SkippedRange, SkipPolicy, Ticks
from minutehand.usecases.ports.job_change import Change
from minutehand.usecases.ports.stores import Move
from tests.contract.examples import (
    HOUR,
    MINUTE,
    NINE,
    SCHEDULE,
    SECOND,
    creation,
    definition_of,
    deletion,
    edit,
    recheck_of,
    run_at,
    timer_of,
)

DAY = timedelta(days=1)


def history(stores, job):
    """All of it, newest first."""
    return [past for page in stores.definitions.history(job) for past in page]


def past(number, **fields):
    values = {"rule": SCHEDULE if number % 2 else None, "did": Did.EDITED, "who": "ada's token"} | fields
    return PastRevision(number=number, effective_from=NINE + number * MINUTE, **values)


def test_a_new_job_begins_its_history(stores, job):
    assert history(stores, job) == []
    assert stores.definitions.save(creation(job))
    assert history(stores, job) == [past(1, did=Did.CREATED)]


def test_each_change_adds_its_author_and_changed_fields_to_the_history(stores, job):
    assert stores.definitions.save(creation(job))
    change = edit(job)
    job_after = replace(change.after.job, payload=1, owner="bob")
    assert stores.definitions.save(
        change._replace(after=replace(change.after, job=job_after, updated_by="bob's token"))
    )
    assert history(stores, job)[0] == past(2, who="bob's token", changed=("owner", "payload"))


def test_a_history_survives_a_delete_and_continues_when_the_job_is_recreated(stores, job):
    assert stores.definitions.save(creation(job))
    assert stores.definitions.save(deletion(job))
    tombstone = definition_of(job, revision=2, deleted=True)
    again = Change(tombstone, definition_of(job, revision=3), None, timer_of(job, revision=3), None)
    assert stores.definitions.save(again)
    assert history(stores, job) == [
        past(3, did=Did.CREATED, paused_until=NINE + HOUR),
        past(2, did=Did.DELETED),
        past(1, did=Did.CREATED),
    ]


def test_a_refused_change_is_not_in_the_history(stores, job):
    assert stores.definitions.save(creation(job))
    assert not stores.definitions.save(edit(job, read=NINE + HOUR))
    assert not stores.definitions.save(creation(job, owner="somebody else"))
    assert [each.number for each in history(stores, job)] == [1]


def test_a_history_is_returned_in_pages_newest_first(stores, job):
    assert stores.definitions.save(creation(job))
    for number in range(2, 121):
        before, after = (definition_of(job, revision=n) for n in (number - 1, number))
        timers = [timer_of(job, revision=n) for n in (number - 1, number)]
        assert stores.definitions.save(
            Change(replace(before, revisions=()), replace(after, revisions=after.revisions[-1:]), *timers, None)
        )
    assert [each.number for each in history(stores, job)] == list(range(120, 0, -1))
    assert 1 < len(next(iter(stores.definitions.history(job)))) < 120


def test_a_history_contains_only_its_job(stores, jobs):
    one, other = jobs(2)
    assert stores.definitions.save(creation(one))
    assert history(stores, other) == []


@pytest.fixture
def skipped(stores, job):
    """Ranges of ten minutes each, from nine on, every quarter of an hour."""
    assert stores.definitions.save(creation(job))
    found = []
    for number in range(4):
        first = NINE + number * 15 * MINUTE
        each = SkippedRange(job=job, first=first, until=first + 10 * MINUTE, policy=SkipPolicy.of(f"policy {number}"))
        move = Move(job=job, revision=1, old=first, new=first + 15 * MINUTE)
        assert stores.timers.skip(each, move, recheck_of(job))
        found.append(each)
    return found


@pytest.mark.parametrize(
    ("first", "until", "wanted"),
    [
        (NINE, NINE + SECOND, [0]),
        (NINE - DAY, NINE, []),
        (NINE - DAY, NINE + DAY, [0, 1, 2, 3]),
        (NINE + 10 * MINUTE - SECOND, NINE + 15 * MINUTE, [0]),
        (NINE + 10 * MINUTE, NINE + 15 * MINUTE, []),
        (NINE + 10 * MINUTE, NINE + 15 * MINUTE + SECOND, [1]),
        (NINE + 5 * MINUTE, NINE + 46 * MINUTE, [0, 1, 2, 3]),
        (NINE + HOUR, NINE + DAY, []),
    ],
)
def test_the_skipped_ranges_of_an_interval_are_those_that_overlap_it(stores, job, skipped, first, until, wanted):
    assert list(stores.timers.skipped(job, first, until, 10)) == [skipped[n] for n in wanted]


def test_the_limit_of_skipped_ranges_does_not_count_the_one_that_began_before(stores, job, skipped):
    assert list(stores.timers.skipped(job, NINE, NINE + DAY, 2)) == skipped[:2]
    assert list(stores.timers.skipped(job, NINE + 5 * MINUTE, NINE + DAY, 2)) == skipped[:3]


def test_skipped_ranges_belong_to_one_job(stores, job, skipped):
    assert list(stores.timers.skipped(JobKey(job.namespace, "other"), NINE, NINE + DAY, 10)) == []


def ticking(stores, *minutes):
    for minute in minutes:
        stores.timers.record_tick(minute)


def test_the_ticks_around_an_instant_are_the_last_up_to_its_minute_and_the_first_after_it(stores):
    noon = datetime(2031, 1, 1, 12, tzinfo=UTC)
    ticking(stores, noon - 2 * MINUTE, noon, noon + 5 * MINUTE, noon + 6 * MINUTE)
    assert stores.timers.ticks_around(noon) == Ticks(noon, noon + 5 * MINUTE)
    assert stores.timers.ticks_around(noon + 5 * MINUTE - SECOND) == Ticks(noon, noon + 5 * MINUTE)
    assert stores.timers.ticks_around(noon + 5 * MINUTE) == Ticks(noon + 5 * MINUTE, noon + 6 * MINUTE)
    assert stores.timers.ticks_around(noon - SECOND) == Ticks(noon - 2 * MINUTE, noon)


def test_ticks_are_found_on_near_days_only(stores):
    noon = datetime(2032, 6, 15, 12, tzinfo=UTC)
    ticking(stores, noon - 8 * DAY - HOUR, noon + 8 * DAY + HOUR)
    assert stores.timers.ticks_around(noon) == Ticks(noon - 8 * DAY - HOUR, noon + 8 * DAY + HOUR)
    assert stores.timers.ticks_around(noon - DAY).next is None
    assert stores.timers.ticks_around(noon + DAY).last is None


def test_runs_between_two_instants_may_be_limited_to_the_first_ones(stores, job):
    runs = [run_at(job, NINE + number * SECOND) for number in range(4)]
    stores.runs.claim(runs)
    assert list(stores.runs.between(job, NINE - HOUR, NINE + HOUR, limit=3)) == runs[:3]
    assert list(stores.runs.between(job, NINE - HOUR, NINE + HOUR, limit=9)) == runs
