"""Contract of packed timers: they are found in their bucket alone, and every write is made where the timer was read."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.adapters.sharding import BUCKETS, bucket_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import Ahead, BrokenTimer, Deadline, Timer
from tests.contract.examples import HOUR, MINUTE, NINE, creation, deletion, edit, run_at, timer_of
from tests.contract.stores import Stores
from tests.contract.timers import skip_an_hour, to
from tests.contract.together import together


def packed_of(job: JobKey, **fields: object) -> Timer:
    return timer_of(job, packed=True, **fields)


@pytest.fixture
def packed(stores: Stores, job: JobKey) -> Timer:
    """The packed timer of a saved job that is due at nine."""
    timer = packed_of(job)
    assert stores.definitions.save(creation(job)._replace(timer_after=timer))
    return timer


def places(stores: Stores, job: JobKey) -> list[str]:
    """Where a job has a timer."""
    in_bucket = [each for each in all_in(stores, bucket_of(job)) if each.timer.job == job]
    return ["bucket"] * len(in_bucket) + ["index"] * len(stores.buckets.indexed([job]))


def all_in(stores: Stores, bucket: int):
    cursor, found = None, []
    while True:
        page = stores.buckets.page(bucket, cursor)
        found += page.items
        cursor = page.next
        if cursor is None:
            return found


def test_a_packed_timer_is_read_by_job_and_from_its_bucket_not_from_the_index(stores, job, packed):
    assert stores.timers.get(job) == packed
    assert stores.due_packed(job, NINE) == [packed]
    assert stores.due(job, NINE) == []


def test_a_packed_timer_that_is_not_due_is_left_out(stores, job, packed):
    assert stores.due_packed(job, NINE - timedelta(seconds=1)) == []


@pytest.mark.parametrize("count", [3, 4, 7])
def test_pages_of_a_bucket_are_full_but_the_last_and_hold_only_what_is_due(stores, namespace, count):
    bucket = bucket_of(f"{namespace}/j-0")
    names = (f"j-{number}" for number in range(100_000))
    jobs = (JobKey(namespace, name) for name in names if bucket_of(f"{namespace}/{name}") == bucket)
    instant = NINE - timedelta(days=400)  # before the timers of other tests, in the same tables
    due = [next(jobs) for _ in range(count)]
    for job in due:
        assert stores.definitions.save(creation(job)._replace(timer_after=packed_of(job, next_at=instant)))
        other = next(jobs)
        assert stores.definitions.save(creation(other)._replace(timer_after=packed_of(other)))
    for until in (instant, instant + MINUTE):  # ticks read forwards and backwards in turn
        pages = [page for page in stores.timers.due_packed(bucket, until) if page]
        assert sorted(timer.job for page in pages for timer in page) == sorted(due)
        assert [len(page) for page in pages] == [3] * (count // 3) + [count % 3] * (count % 3 > 0)
    for job in due:
        stores.timers.advance([to(job, NINE, old=instant, packed=True)])


def test_an_advance_moves_a_packed_timer(stores, job, packed):
    ahead = Ahead(NINE + HOUR, NINE + 2 * HOUR)
    stores.timers.advance([to(job, NINE + MINUTE, packed=True)._replace(ahead=ahead, runs_left=3)])
    moved = packed_of(job, next_at=NINE + MINUTE, ahead_from=ahead.first, ahead_until=ahead.until, runs_left=3)
    assert stores.timers.get(job) == moved
    assert stores.due_packed(job, NINE + MINUTE) == [moved]


def test_an_advance_to_the_end_of_the_schedule_leaves_a_packed_timer_that_is_never_due(stores, job, packed):
    stores.timers.advance([to(job, None, packed=True)])
    assert stores.timers.get(job) == packed_of(job, next_at=None)
    assert stores.due_packed(job, NINE + 1000 * HOUR) == []


def test_a_skip_moves_a_packed_timer(stores, job, packed):
    assert skip_an_hour(stores, job, to(job, NINE + HOUR, packed=True))
    assert stores.timers.get(job) == packed_of(job, next_at=NINE + HOUR)
    assert not skip_an_hour(stores, job, to(job, NINE + HOUR, packed=True))


def test_a_claim_that_is_counted_moves_a_packed_timer(stores, job, packed):
    run, deadline = run_at(job), Deadline(run_at(job).key, NINE)
    assert not stores.runs.claim_counted(run, to(job, NINE + HOUR), deadline)
    assert stores.runs.claim_counted(run, to(job, NINE + HOUR, packed=True)._replace(runs_left=2), deadline)
    assert stores.timers.get(job) == packed_of(job, next_at=NINE + HOUR, runs_left=2)


@pytest.mark.parametrize("stored", [True, False])
def test_a_write_with_another_place_changes_nothing_and_makes_no_timer(stores, job, stored):
    timer = timer_of(job, packed=stored)
    assert stores.definitions.save(creation(job)._replace(timer_after=timer))
    stale = to(job, NINE + HOUR, packed=not stored)
    stores.timers.advance([stale])
    assert not skip_an_hour(stores, job, stale)
    assert not stores.runs.claim_counted(run_at(job), stale, Deadline(run_at(job).key, NINE))
    assert stores.timers.get(job) == timer
    assert len(places(stores, job)) == 1


@pytest.mark.parametrize("new", [NINE + MINUTE, None])
def test_a_fixed_delay_is_armed_where_its_timer_is(stores, job, new):
    timer = packed_of(job, outstanding=NINE, next_at=NINE + 10 * MINUTE)
    assert stores.definitions.save(creation(job)._replace(timer_after=timer))
    armed = replace(timer, next_at=new, outstanding=new or NINE)
    assert stores.timers.arm(job, 1, NINE, new) == armed
    assert stores.timers.get(job) == armed
    assert stores.timers.arm(job, 2, NINE, NINE + HOUR) is None


def test_a_lane_is_stored_in_a_packed_timer_too(stores, job, packed):
    stores.definitions.set_lane(job, 1, NINE + HOUR)
    assert stores.timers.get(job) == replace(packed, slow=True)
    assert places(stores, job) == ["bucket"]


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("after", [True, False])
def test_an_edit_leaves_one_timer_at_its_new_place(stores, job, before, after):
    assert stores.definitions.save(creation(job)._replace(timer_after=timer_of(job, packed=before)))
    changed = edit(job)
    new = replace(changed.timer_after, packed=after)
    assert stores.definitions.save(changed._replace(timer_before=timer_of(job, packed=before), timer_after=new))
    assert stores.timers.get(job) == new
    assert places(stores, job) == ["bucket" if after else "index"]
    due, due_packed = stores.due(job, NINE + HOUR), stores.due_packed(job, NINE + HOUR)
    assert (due, due_packed) == (([], [new]) if after else ([new], []))


@pytest.mark.parametrize("after", [True, False])
def test_an_edit_that_read_the_timer_at_another_place_or_instant_writes_nothing(stores, job, packed, after):
    changed = edit(job)
    new = replace(changed.timer_after, packed=after)
    for read in (timer_of(job), packed_of(job, next_at=NINE - HOUR), packed_of(job, next_at=None), None):
        assert not stores.definitions.save(changed._replace(timer_before=read, timer_after=new))
    assert stores.timers.get(job) == packed
    assert places(stores, job) == ["bucket"]


def test_a_deletion_removes_a_packed_timer(stores, job, packed):
    assert not stores.definitions.save(deletion(job)._replace(timer_before=None))
    assert stores.definitions.save(deletion(job)._replace(timer_before=packed))
    assert stores.timers.get(job) is None
    stores.timers.advance([to(job, NINE + HOUR, packed=True)])
    assert places(stores, job) == []


def test_an_edit_and_an_advance_at_once_leave_one_timer(stores, job, packed):
    changed = edit(job)
    acts = (
        lambda: stores.definitions.save(changed._replace(timer_before=packed)),
        lambda: stores.timers.advance([to(job, NINE + MINUTE, packed=True)]),
    )
    together(lambda number: acts[number % 2]())
    assert len(places(stores, job)) == 1


def test_a_packed_timer_that_cannot_be_read_is_broken_and_can_be_skipped(stores, job, packed):
    stores.damage(job)
    [broken] = stores.due_packed(job, NINE)
    assert isinstance(broken, BrokenTimer)
    assert (broken.job, broken.revision, broken.next_at, broken.own, broken.packed) == (job, 1, NINE, True, True)
    assert stores.timers.get(job) == broken
    assert skip_an_hour(stores, job, to(job, NINE + HOUR, packed=True))
    assert stores.timers.get(job).next_at == NINE + HOUR


# upkeep


def in_bucket(stores: Stores, job: JobKey, bucket: int | None = None):
    bucket = bucket_of(job) if bucket is None else bucket
    return next(each for each in all_in(stores, bucket) if each.timer.job == job)


def test_a_bucket_lists_its_timers_due_or_not(stores, job, packed):
    stores.timers.advance([to(job, None, packed=True)])
    found = in_bucket(stores, job)
    assert (found.timer, found.bucket, found.misplaced) == (packed_of(job, next_at=None), bucket_of(job), False)


def test_the_pages_of_a_bucket_go_on_after_a_cursor_by_name(stores, job, packed):
    found = [each.timer.job for each in all_in(stores, bucket_of(job))]
    assert found == sorted(set(found), key=str)
    assert job in found


def test_the_position_in_a_bucket_is_kept_until_the_next_one(stores, job, packed):
    bucket, other = bucket_of(job), (bucket_of(job) + 1) % BUCKETS
    before = stores.buckets.position(other)
    for cursor in (str(job), "zoo/lion", None):
        stores.buckets.set_position(bucket, cursor)
        assert stores.buckets.position(bucket) == cursor
    assert stores.buckets.position(other) == before
    assert job in {each.timer.job for each in all_in(stores, bucket)}, "the position is no timer of the bucket"


@pytest.mark.parametrize("next_at", [NINE, None])
def test_an_unpacked_timer_is_as_it_was_and_in_the_index(stores, job, packed, next_at):
    if next_at is None:
        stores.timers.advance([to(job, None, packed=True)])
    assert stores.buckets.unpack(in_bucket(stores, job), None)
    expected = timer_of(job, next_at=next_at)
    assert stores.timers.get(job) == expected
    assert stores.due(job, NINE) == ([expected] if next_at else [])
    assert places(stores, job) == ["index"]


def test_a_timer_that_cannot_be_read_is_unpacked_with_all_that_it_has(stores, job, packed):
    stores.damage(job)
    assert stores.buckets.unpack(in_bucket(stores, job), None)
    [broken] = stores.due(job, NINE)
    assert (broken.revision, broken.next_at, broken.packed) == (1, NINE, False)


def test_a_timer_that_was_moved_edited_or_deleted_meanwhile_is_not_unpacked(stores, job, packed):
    read = in_bucket(stores, job)
    stores.timers.advance([to(job, NINE + MINUTE, packed=True)])
    assert not stores.buckets.unpack(read, None)
    read = in_bucket(stores, job)
    moved = packed_of(job, next_at=NINE + MINUTE)
    assert stores.definitions.save(edit(job)._replace(timer_before=moved, timer_after=replace(moved, revision=2)))
    assert not stores.buckets.unpack(read, None)
    assert places(stores, job) == ["bucket"]
    assert stores.timers.get(job) == replace(moved, revision=2)


def test_a_timer_is_not_unpacked_over_another_one(stores, job):
    assert stores.definitions.save(creation(job))
    stores.stray(job, bucket_of(job))
    assert not stores.buckets.unpack(in_bucket(stores, job), None)
    assert sorted(places(stores, job)) == ["bucket", "index"]


@pytest.mark.parametrize("ahead", ["bucket", "index"])
def test_of_two_timers_the_one_in_effect_is_left_in_the_index(stores, job, ahead):
    assert stores.definitions.save(creation(job))
    stores.stray(job, bucket_of(job))
    stores.timers.advance([to(job, NINE + HOUR, packed=ahead == "bucket")])
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR, packed=ahead == "bucket")
    indexed = stores.buckets.indexed([job])[job]
    assert stores.buckets.unpack(in_bucket(stores, job), indexed)
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR)
    assert places(stores, job) == ["index"]


def test_two_timers_are_left_alone_if_the_one_that_is_to_be_replaced_moves_meanwhile(stores, job):
    assert stores.definitions.save(creation(job))
    stores.stray(job, bucket_of(job))
    stores.timers.advance([to(job, NINE + HOUR, packed=True)])
    read, indexed = in_bucket(stores, job), stores.buckets.indexed([job])[job]
    stores.timers.advance([to(job, NINE + 2 * HOUR)])
    assert not stores.buckets.unpack(read, indexed)
    assert sorted(places(stores, job)) == ["bucket", "index"]
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + 2 * HOUR)


def test_a_timer_in_the_bucket_of_other_jobs_is_found_and_moved_to_the_index(stores, job, packed):
    wrong = (bucket_of(job) + 1) % BUCKETS
    stores.stray(job, wrong)
    assert stores.definitions.save(deletion(job)._replace(timer_before=packed))
    found = in_bucket(stores, job, wrong)
    assert found.misplaced
    assert stores.timers.get(job) is None
    assert stores.buckets.unpack(found, None)
    assert stores.timers.get(job) == timer_of(job)
    assert [each for each in all_in(stores, wrong) if each.timer.job == job] == []
