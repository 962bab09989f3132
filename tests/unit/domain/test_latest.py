"""The last instant that a rule names at or before another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from minutehand.domain.occurrence_rule import OccurrenceRule, latest
from minutehand.schedule import Schedule

NOW = datetime(2026, 11, 20, 9, 17, 23, tzinfo=UTC)
SECOND = timedelta(seconds=1)
SCHEDULES = [
    "* * * * *",
    "*/10 * * * * *",
    "0 3 * * *",
    "0-59 9 * * mon",
    "15,45 8-17 * * mon-fri",
    "@every 7m",
    "0 0 29 2 *",
    "30 2 * * *",
    "@yearly",
]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_no_instant_lies_between_the_latest_one_and_the_question(schedule: str, zone: str) -> None:
    rule = OccurrenceRule(schedule=Schedule.parse(schedule, zone))
    dice = Random(f"{schedule} {zone}")
    for _ in range(50):
        until = NOW - dice.randrange(40_000_000) * SECOND
        found = latest(rule, until)
        assert found is not None
        assert found <= until
        assert rule.names(found)
        later = rule.next(found)
        assert later is None or later > until


def test_an_instant_that_is_named_is_its_own_latest() -> None:
    rule = OccurrenceRule(schedule=Schedule.parse("17 9 * * *"))
    assert latest(rule, NOW.replace(second=0)) == NOW.replace(second=0)
    assert latest(rule, NOW.replace(second=0) - SECOND) == NOW.replace(second=0) - timedelta(days=1)


@pytest.mark.parametrize(
    ("schedule", "limits", "wanted"),
    [
        ("@manual", {}, None),
        ("0 9 * * *", {"start_at": NOW}, None),
        ("0 9 * * *", {"end_at": NOW - timedelta(days=9)}, datetime(2026, 11, 11, 9, tzinfo=UTC)),
        ("at(2026-11-21T00:00:00)", {}, None),
        ("at(2026-11-20T00:00:00)", {}, datetime(2026, 11, 20, tzinfo=UTC)),
    ],
)
def test_limits_of_the_rule_count(schedule: str, limits: dict[str, datetime], wanted: datetime | None) -> None:
    assert latest(OccurrenceRule(schedule=Schedule.parse(schedule), **limits), NOW) == wanted
