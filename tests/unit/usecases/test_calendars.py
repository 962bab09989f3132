"""Calendars, when others change them at the same moment."""

from __future__ import annotations

from datetime import date

import pytest

from minutehand.domain.calendar import CalendarKey, DateRange
from minutehand.domain.errors import Conflict, InUse, NotFound
from minutehand.usecases import calendars
from minutehand.usecases.calendars import Content
from tests.unit.usecases.stage import Stage

KEY = CalendarKey("shop", "holidays")
CHRISTMAS = Content(dates=(DateRange(date(2026, 12, 25), date(2026, 12, 26)),))


@pytest.fixture
def stage():
    return Stage()


def save(stage, content=CHRISTMAS, who="ada"):
    return calendars.save(stage.world, KEY, content, who=who)


def others(stage, *descriptions):
    """Somebody else's saves, one for each."""
    return [lambda text=text: save(stage, Content(description=text), "bob") for text in descriptions]


def test_a_save_goes_on_from_what_somebody_else_saved_meanwhile(stage):
    stage.calendars.before("save", *others(stage, "theirs"))
    saved = save(stage)
    assert (saved.calendar.revision, saved.created, saved.changed) == (2, False, True)
    assert calendars.get(stage.world, KEY).dates == CHRISTMAS.dates


def test_a_save_that_somebody_else_made_meanwhile_changes_nothing(stage):
    stage.calendars.before("save", lambda: save(stage, who="bob"))
    saved = save(stage)
    assert (saved.calendar.updated_by, saved.created, saved.changed) == ("bob", False, False)


def test_a_save_gives_up_when_others_keep_changing_it(stage):
    save(stage, Content())

    def theirs():
        stands = stage.state.calendars[KEY]
        stage.state.calendars[KEY] = stands._replace(revision=stands.revision + 1)

    stage.calendars.before("save", *[theirs] * 5)
    with pytest.raises(Conflict, match="5 times"):
        save(stage)


def test_a_delete_goes_on_when_it_was_changed_meanwhile(stage):
    save(stage)
    stage.calendars.before("delete", *others(stage, "theirs"))
    calendars.delete(stage.world, KEY)
    assert stage.state.calendars == {}


def test_a_delete_is_refused_when_a_job_begins_to_use_it_meanwhile(stage):
    save(stage)

    def use():
        stage.state.calendars[KEY] = stage.state.calendars[KEY]._replace(users=1)

    stage.calendars.before("delete", use)
    with pytest.raises(InUse, match="1 job names"):
        calendars.delete(stage.world, KEY)


def test_a_delete_of_what_somebody_else_deleted_meanwhile_finds_nothing(stage):
    save(stage)
    stage.calendars.before("delete", stage.state.calendars.clear)
    with pytest.raises(NotFound):
        calendars.delete(stage.world, KEY)
