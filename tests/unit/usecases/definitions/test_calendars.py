"""Concurrent changes of calendars."""

from __future__ import annotations

from datetime import date

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.calendar import CalendarKey, DateRange
from minutehand.domain.errors import Conflict, InUse, NotFound
from minutehand.domain.job_key import JobKey
from minutehand.usecases.definitions import calendars, manage
from minutehand.usecases.definitions.calendars import Content
from tests.unit.domain.examples import job
from tests.unit.usecases.stage import Stage

KEY = CalendarKey("shop", "holidays")
CHRISTMAS = Content(dates=(DateRange(date(2026, 12, 25), date(2026, 12, 26)),))


@pytest.fixture
def stage():
    return Stage()


def save(stage, content=CHRISTMAS, who="ada"):
    return calendars.save(stage.ports, KEY, content, who=Actor(who))


def others(stage, *descriptions):
    """Somebody else's saves, one for each."""
    return [lambda text=text: save(stage, Content(description=text), "bob") for text in descriptions]


def test_a_save_is_repeated_on_a_concurrent_change(stage):
    stage.calendars.before("save", *others(stage, "theirs"))
    saved = save(stage)
    assert (saved.calendar.revision, saved.created, saved.changed) == (2, False, True)
    assert calendars.get(stage.ports, KEY).dates == CHRISTMAS.dates


def test_a_save_equal_to_a_concurrent_one_changes_nothing(stage):
    stage.calendars.before("save", lambda: save(stage, who="bob"))
    saved = save(stage)
    assert (saved.calendar.updated_by, saved.created, saved.changed) == ("bob", False, False)


def test_a_save_gives_up_after_too_many_concurrent_updates(stage):
    save(stage, Content())

    def theirs():
        current = stage.state.calendars[KEY]
        stage.state.calendars[KEY] = current._replace(revision=current.revision + 1)

    stage.calendars.before("save", *[theirs] * 5)
    with pytest.raises(Conflict, match="too many concurrent updates of calendar shop/holidays"):
        save(stage)


def test_a_delete_is_repeated_after_a_concurrent_change(stage):
    save(stage)
    stage.calendars.before("delete", *others(stage, "theirs"))
    calendars.delete(stage.ports, KEY, who=Actor("ada"))
    assert stage.state.calendars == {}


def test_a_delete_is_refused_when_a_job_begins_to_use_it_meanwhile(stage):
    save(stage)

    def use():
        stage.state.calendars[KEY] = stage.state.calendars[KEY]._replace(users=1)

    stage.calendars.before("delete", use)
    with pytest.raises(InUse, match="1 job names"):
        calendars.delete(stage.ports, KEY, who=Actor("ada"))


def name_it(stage, *names):
    """Jobs that name the calendar."""
    for name in names:
        stage.save(job("0 12 * * *", key=JobKey("shop", name), calendars=(KEY.name,)))


def refusal(stage):
    with pytest.raises(InUse) as refused:
        calendars.delete(stage.ports, KEY, who=Actor("ada"))
    assert KEY in stage.state.calendars
    return str(refused.value)


def test_a_delete_that_is_refused_says_which_jobs_name_the_calendar(stage):
    save(stage)
    stage.save(job("0 12 * * *", key=JobKey("shop", "another")))
    name_it(stage, "stock", "report")
    assert refusal(stage).startswith("2 jobs name the calendar shop/holidays (report, stock); take it out of their ")


def test_of_many_jobs_that_name_a_calendar_five_are_listed(stage):
    save(stage)
    name_it(stage, *"gfedcba")
    assert refusal(stage).startswith("7 jobs name the calendar shop/holidays (a, b, c, d, e and 2 more); ")


@pytest.mark.thorough
def test_a_job_that_names_a_calendar_is_found_among_hundreds_that_do_not(stage):
    save(stage)
    for number in range(250):
        stage.save(job("0 12 * * *", key=JobKey("shop", f"job-{number:03d}")))
    name_it(stage, "stock")
    stage.definitions.calls.clear()
    assert refusal(stage).startswith("1 job names the calendar shop/holidays (stock); ")
    assert stage.definitions.calls["page"] == 3


@pytest.mark.thorough
def test_no_more_jobs_are_read_than_needed(stage):
    save(stage)
    name_it(stage, "a")
    for number in range(250):
        stage.save(job("0 12 * * *", key=JobKey("shop", f"job-{number:03d}")))
    stage.definitions.calls.clear()
    assert "(a)" in refusal(stage)
    assert stage.definitions.calls["page"] == 1


def test_a_calendar_can_be_deleted_once_the_last_job_is(stage):
    save(stage)
    name_it(stage, "stock")
    manage.delete(stage.ports, JobKey("shop", "stock"), who=Actor("ada"))
    calendars.delete(stage.ports, KEY, who=Actor("ada"))
    assert stage.state.calendars == {}


def test_a_delete_after_a_concurrent_delete_finds_nothing(stage):
    save(stage)
    stage.calendars.before("delete", stage.state.calendars.clear)
    with pytest.raises(NotFound):
        calendars.delete(stage.ports, KEY, who=Actor("ada"))
