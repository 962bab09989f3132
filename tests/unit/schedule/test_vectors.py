"""Instants on which several independent implementations agree."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from minutehand.schedule import Schedule

ROWS = json.loads(Path(__file__).with_name("schedule-vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("dialect", ["vixie", "robfig", "eventbridge"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['schedule']} {row['timezone']}")
def test_next_instant_matches_the_agreed_one(row, dialect):
    schedule = Schedule.parse(row["schedule"], timezone=row["timezone"], dialect=dialect)
    assert schedule.next(datetime.fromisoformat(row["after"])) == datetime.fromisoformat(row[dialect])
