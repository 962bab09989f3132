"""Contract of stores of backfills."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.backfill import Backfill, BackfillState, Order
from minutehand.domain.errors import Invalid
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState
from minutehand.domain.timer import Watchdog
from tests.contract.examples import HOUR, MILLISECONDS, MINUTE, NINE, SCHEDULE, SECOND, creation
from tests.contract.together import together


def backfill_of(job: JobKey, **fields: Any) -> Backfill:
    """A backfill of an hour, as it is made."""
    return replace(
        Backfill(
            job=job,
            id="abc",
            rule=SCHEDULE,
            start=NINE - HOUR,
            end=NINE,
            order=Order.NEWEST,
            concurrency=7,
            ignore_overlap=True,
            total=60,
            job_created_at=NINE - HOUR + MILLISECONDS,
            created_at=NINE + MILLISECONDS,
            created_by="ada's token — ü",
            next_at=NINE + MINUTE,
        ),
        **fields,
    )


def later(backfill: Backfill, **fields: Any) -> Backfill:
    """The same, one version on."""
    return replace(backfill, version=backfill.version + 1, **fields)


def test_a_backfill_is_read_as_it_was_stored(stores, job):
    made = backfill_of(job)
    assert stores.backfills.create(made) == made
    assert stores.backfills.get(job, "abc") == made
    full = later(
        made,
        state=BackfillState.CANCELLED,
        cancelled_by="eve",
        cursor=NINE - MINUTE,
        active=(NINE - MINUTE, NINE - 2 * MINUTE),
        counts={RunState.SUCCEEDED: 3, RunState.TIMED_OUT: 1},
        finished_at=NINE + HOUR + MILLISECONDS,
        next_at=None,
    )
    assert stores.backfills.save(made, full)
    assert stores.backfills.get(job, "abc") == full


def test_an_unknown_backfill_is_none(stores, job):
    assert stores.backfills.get(job, "abc") is None
    made = backfill_of(job)
    assert not stores.backfills.save(made, later(made))
    assert stores.backfills.get(job, "abc") is None


def test_creating_an_existing_backfill_returns_it(stores, job):
    made = stores.backfills.create(backfill_of(job))
    moved = later(made, cursor=NINE - MINUTE)
    stores.backfills.save(made, moved)
    assert stores.backfills.create(backfill_of(job, concurrency=1)) == moved


def test_of_concurrent_creates_one_succeeds(stores, job):
    made = together(lambda number: stores.backfills.create(backfill_of(job, concurrency=number + 1)))
    assert {one.concurrency for one in made} == {stores.backfills.get(job, "abc").concurrency}


def test_a_save_succeeds_only_on_the_version_that_was_read(stores, job):
    made = stores.backfills.create(backfill_of(job))
    first = later(made, cursor=NINE - MINUTE)
    assert stores.backfills.save(made, first)
    assert not stores.backfills.save(made, later(made, cursor=NINE - 2 * MINUTE))
    assert stores.backfills.get(job, "abc") == first


def test_of_concurrent_saves_of_a_backfill_one_succeeds(stores, job):
    made = stores.backfills.create(backfill_of(job))
    saved = together(lambda number: stores.backfills.save(made, later(made, cursor=NINE - number * SECOND)))
    assert sorted(saved) == [False] * (len(saved) - 1) + [True]


def test_an_active_backfill_is_due_at_its_next_check_and_a_finished_one_never(stores, job):
    made = stores.backfills.create(backfill_of(job))
    assert stores.due(job, NINE + MINUTE - SECOND) == []
    assert stores.due(job, NINE + MINUTE) == [Watchdog(job=job, backfill="abc", next_at=NINE + MINUTE)]
    moved = later(made, next_at=NINE + 3 * MINUTE)
    stores.backfills.save(made, moved)
    assert stores.due(job, NINE + 2 * MINUTE) == []
    assert len(stores.due(job, NINE + 3 * MINUTE)) == 1
    stores.backfills.save(moved, later(moved, next_at=None, state=BackfillState.DONE, finished_at=NINE))
    assert stores.due(job, NINE + HOUR) == []


def test_a_backfill_changes_neither_timer_nor_definition_of_its_job(stores, job):
    stores.backfills.create(backfill_of(job))
    assert stores.timers.get(job) is None
    assert stores.definitions.get([job]) == {}
    assert stores.definitions.save(creation(job))
    assert stores.backfills.get(job, "abc") is not None


def test_an_id_belongs_to_one_job(stores, job, namespace):
    other = JobKey(namespace=namespace, name="report.other")
    for one in (job, other):
        assert stores.backfills.create(backfill_of(one)).job == one
    assert [one.job for one in stores.backfills.page(job, 10, None).items] == [job]


def test_backfills_are_listed_newest_first_in_pages(stores, job):
    ages = {"b": NINE, "d": NINE + MILLISECONDS, "a": NINE + SECOND, "c": NINE + timedelta(days=1), "e": NINE}
    for identity, created_at in ages.items():
        stores.backfills.create(backfill_of(job, id=identity, created_at=created_at))
    found, cursor = [], None
    for size in (2, 2, 1):
        page = stores.backfills.page(job, 2, cursor)
        assert len(page.items) == size
        found += [one.id for one in page.items]
        cursor = page.next
    assert found == ["c", "a", "d", "e", "b"]
    assert cursor is None


def test_a_job_without_backfills_has_an_empty_list(stores, job):
    assert stores.backfills.page(job, 10, None) == ((), None)


def test_a_cursor_of_another_list_is_refused(stores, job, namespace):
    for identity in ("a", "b"):
        stores.backfills.create(backfill_of(job, id=identity))
    cursor = stores.backfills.page(job, 1, None).next
    for broken in ("", "nonsense", cursor[:-3]):
        with pytest.raises(Invalid):
            stores.backfills.page(job, 1, broken)
    with pytest.raises(Invalid):
        stores.backfills.page(JobKey(namespace=namespace, name="other"), 1, cursor)
