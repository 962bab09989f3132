"""Instants on which independent implementations agree, and those of their texts that are still refused."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from minutehand.schedule import Schedule, ScheduleError

ROWS = json.loads(Path(__file__).with_name("schedule-vectors.json").read_text(encoding="utf-8"))
# The nth weekday, the last day and the nearest weekday: legal elsewhere, not here.
REFUSED = {"0 0 13 * 5#3": ("day-of-week", 10), "0 0 L * *": ("day-of-month", 4), "0 9 1W * *": ("day-of-month", 5)}


def row_name(row):
    return f"{row['schedule']} {row['timezone']}"


@pytest.mark.parametrize("row", [row for row in ROWS if row["schedule"] not in REFUSED], ids=row_name)
def test_the_next_instant_is_the_agreed_one(row):
    schedule = Schedule.parse(row["schedule"], timezone=row["timezone"])
    assert schedule.next(datetime.fromisoformat(row["after"])) == datetime.fromisoformat(row["vixie"])


@pytest.mark.parametrize("row", [row for row in ROWS if row["schedule"] in REFUSED], ids=row_name)
def test_a_text_beyond_the_grammar_is_refused_at_its_place(row):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse(row["schedule"], timezone=row["timezone"])
    assert (refusal.value.field, refusal.value.column) == REFUSED[row["schedule"]]


@pytest.mark.parametrize("dialect", ["robfig", "eventbridge"])
def test_a_dialect_that_is_not_there_is_refused_with_those_that_are(dialect):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("0 9 * * *", dialect=dialect)
    assert (refusal.value.field, refusal.value.column) == ("dialect", None)
    assert "vixie" in refusal.value.hint
