"""Contract of stores of calendars."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from minutehand.domain.calendar import MOST_SPANS, CalendarKey, Period
from minutehand.domain.errors import Invalid
from tests.contract.examples import HOUR, NINE, SECOND, calendar_of, creation
from tests.contract.together import together


@pytest.fixture
def key(namespace):
    return CalendarKey(namespace=namespace, name="holidays")


def edited(key, **fields):
    return calendar_of(key, **{"revision": 2, "updated_at": NINE + HOUR, "dates": ()} | fields)


def test_a_calendar_comes_back_whole(stores, key):
    assert stores.calendars.save(None, calendar_of(key))
    assert stores.calendars.get([key]) == {key: calendar_of(key)}


def test_an_empty_calendar_comes_back_empty(stores, key):
    empty = calendar_of(key, description="", dates=(), weekly=(), periods=())
    assert stores.calendars.save(None, empty)
    assert stores.calendars.get([key]) == {key: empty}


def test_the_largest_calendar_comes_back_whole(stores, key):
    start = datetime(9990, 1, 1, tzinfo=UTC)
    periods = tuple(Period(start + n * HOUR, start + n * HOUR + SECOND) for n in range(MOST_SPANS))
    largest = calendar_of(key, dates=(), periods=periods)
    assert stores.calendars.save(None, largest)
    assert stores.calendars.get([key]) == {key: largest}


def test_only_existing_calendars_are_returned(stores, key, namespace):
    assert stores.calendars.save(None, calendar_of(key))
    assert stores.calendars.get([key, CalendarKey(namespace, "nothing"), key]).keys() == {key}
    assert stores.calendars.get([]) == {}


def test_a_calendar_is_created_once(stores, key):
    assert stores.calendars.save(None, calendar_of(key))
    assert not stores.calendars.save(None, edited(key))
    assert stores.calendars.get([key]) == {key: calendar_of(key)}


def test_an_edit_replaces_what_was_read(stores, key):
    assert stores.calendars.save(None, calendar_of(key))
    assert stores.calendars.save(calendar_of(key), edited(key))
    assert stores.calendars.get([key]) == {key: edited(key)}


def test_an_edit_of_a_stale_calendar_writes_nothing(stores, key):
    assert stores.calendars.save(None, calendar_of(key))
    assert stores.calendars.save(calendar_of(key), edited(key))
    assert not stores.calendars.save(calendar_of(key), edited(key, revision=3))
    assert stores.calendars.get([key]) == {key: edited(key)}


def test_an_edit_of_a_deleted_calendar_writes_nothing(stores, key):
    assert not stores.calendars.save(calendar_of(key), edited(key))
    assert stores.calendars.get([key]) == {}


def test_an_edit_or_delete_of_a_recreated_calendar_does_nothing(stores, key):
    assert stores.calendars.save(None, calendar_of(key))
    assert stores.calendars.delete(calendar_of(key))
    again = calendar_of(key, updated_at=NINE + HOUR)
    assert stores.calendars.save(None, again)
    assert not stores.calendars.save(calendar_of(key), edited(key))
    assert not stores.calendars.delete(calendar_of(key))
    assert stores.calendars.get([key]) == {key: again}


def test_of_concurrent_saves_of_a_calendar_one_succeeds(stores, key):
    saved = together(lambda number: stores.calendars.save(None, calendar_of(key, description=f"number {number}")))
    assert sorted(saved) == [False] * 7 + [True]
    before = stores.calendars.get([key])[key]
    assert before.description == f"number {saved.index(True)}"
    saved = together(lambda number: stores.calendars.save(before, edited(key, description=f"number {number}")))
    assert sorted(saved) == [False] * 7 + [True]


def test_saving_a_calendar_keeps_its_number_of_users(stores, key):
    assert stores.calendars.save(None, calendar_of(key, users=5))
    assert stores.calendars.get([key])[key].users == 0
    stores.use(key, 3)
    assert stores.calendars.save(calendar_of(key), edited(key, users=7))
    assert stores.calendars.get([key]) == {key: edited(key, users=3)}


def test_a_calendar_is_deleted(stores, key):
    assert stores.calendars.save(None, calendar_of(key))
    assert stores.calendars.delete(calendar_of(key))
    assert not stores.calendars.delete(calendar_of(key))
    assert stores.calendars.get([key]) == {}
    assert stores.calendars.page(key.namespace, 10, None).items == ()


def test_a_calendar_that_was_changed_since_is_not_deleted(stores, key):
    assert stores.calendars.save(None, calendar_of(key))
    assert stores.calendars.save(calendar_of(key), edited(key))
    assert not stores.calendars.delete(calendar_of(key))
    assert stores.calendars.get([key]) == {key: edited(key)}


def test_a_calendar_that_a_job_uses_is_not_deleted_until_none_does(stores, key):
    assert stores.calendars.save(None, calendar_of(key))
    stores.use(key, 1)
    assert not stores.calendars.delete(calendar_of(key))
    stores.use(key, 0)
    assert stores.calendars.delete(calendar_of(key))


@pytest.mark.parametrize(("limit", "pages"), [(1, 5), (2, 3), (4, 2), (5, 1), (6, 1)])
def test_calendars_are_listed_by_name_in_pages_without_an_empty_last_page(stores, namespace, limit, pages):
    wanted = [calendar_of(CalendarKey(namespace, f"c{number}")) for number in range(5)]
    for calendar in reversed(wanted):
        assert stores.calendars.save(None, calendar)
    found, cursor, asked = [], None, 0
    while cursor is not None or not asked:
        page = stores.calendars.page(namespace, limit, cursor)
        found += page.items
        cursor, asked = page.next, asked + 1
    assert (found, asked) == (wanted, pages)


def test_calendars_and_jobs_are_not_in_each_others_lists(stores, key, job):
    assert stores.calendars.save(None, calendar_of(key))
    assert stores.definitions.save(creation(job))
    assert [calendar.key for calendar in stores.calendars.page(key.namespace, 10, None).items] == [key]
    assert [found.job.key for found in stores.definitions.page(key.namespace, 10, None).items] == [job]


def test_a_list_larger_than_one_answer_of_dynamodb_is_complete(stores, namespace):
    start = datetime(9990, 1, 1, tzinfo=UTC)
    periods = tuple(Period(start + n * HOUR, start + n * HOUR + timedelta(seconds=n + 1)) for n in range(3_000))
    wanted = [CalendarKey(namespace, f"large-{number:02d}") for number in range(30)]
    for key in wanted:
        assert stores.calendars.save(None, calendar_of(key, dates=(), periods=periods))
    found, page = [], stores.calendars.page(namespace, 50, None)
    while True:
        found += [calendar.key for calendar in page.items]
        if page.next is None:
            break
        page = stores.calendars.page(namespace, 50, page.next)
    assert found == wanted


@pytest.mark.parametrize("cursor", ["", "nonsense", "WzEsMl0"])
def test_an_invalid_cursor_is_refused(stores, namespace, cursor):
    with pytest.raises(Invalid) as refusal:
        stores.calendars.page(namespace, 10, cursor)
    assert [problem.path for problem in refusal.value.problems] == ["cursor"]


def test_a_cursor_of_the_list_of_jobs_is_refused(stores, namespace, jobs):
    for job in jobs(2):
        assert stores.definitions.save(creation(job))
    cursor = stores.definitions.page(namespace, 1, None).next
    with pytest.raises(Invalid, match="another list"):
        stores.calendars.page(namespace, 10, cursor)
