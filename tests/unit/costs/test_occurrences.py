from datetime import UTC, datetime, timedelta

import pytest

from minutehand.costs.batches import shares
from minutehand.costs.occurrences import rate
from minutehand.schedule import Schedule
from tests.unit.costs.jobs import NOW


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("0 2 * * *", 365 / 12),
        ("0 9 1 * *", 1),
        ("0 0 1 1 *", 1 / 12),
        ("*/5 * * * *", 8_760),
        ("* * * * *", 43_800),
        ("@every 10s", 262_800),
        ("@manual", 0),
    ],
)
def test_a_schedule_is_counted_over_a_year_or_a_month(text: str, runs: float) -> None:
    assert rate(Schedule.parse(text), NOW).runs == pytest.approx(runs)


def test_the_days_of_a_week_count_as_they_come() -> None:
    weekdays = rate(Schedule.parse("0 9 * * MON-FRI"), NOW)
    assert weekdays.runs == pytest.approx(365 / 12 * 5 / 7, rel=0.01)


@pytest.mark.parametrize(
    ("text", "together"),
    [("* * * * *", 1), ("@every 30s", 2), ("@every 5s", 12), ("0,20,40 0 9 * * *", 3), ("0 2 * * *", 1)],
)
def test_occurrences_of_one_minute_share_an_advance(text: str, together: float) -> None:
    assert rate(Schedule.parse(text), NOW).together == together


def test_a_fixed_delay_counts_from_the_end_of_each_run() -> None:
    assert rate(Schedule.parse("@after 50s"), NOW, seconds=10).runs == 43_800


def test_what_has_an_end_is_counted_up_to_it() -> None:
    hourly = Schedule.parse("0 * * * *")
    assert rate(hourly, NOW, end=NOW + timedelta(hours=10)).runs == 10
    assert rate(hourly, NOW, end=NOW - timedelta(hours=10)).runs == 0
    assert rate(hourly, NOW, end=NOW + timedelta(days=400)).runs == 730


def test_a_fixed_delay_has_an_end_too() -> None:
    delayed = Schedule.parse("@after 50s")
    assert rate(delayed, NOW, seconds=10, end=NOW + timedelta(hours=1)).runs == 60
    assert rate(delayed, NOW, seconds=10, end=NOW - timedelta(hours=1)).runs == 0


@pytest.mark.parametrize("text", ["0 * * * *", "* * * * * *", "@every 10m", "@after 50s", "@manual"])
def test_what_begins_at_the_end_of_time_is_counted_up_to_it(text: str) -> None:
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert rate(Schedule.parse(text), last).runs == 0
    assert rate(Schedule.parse(text), last, end=NOW).runs == 0


def test_messages_of_one_minute_are_sent_together_and_those_of_one_second_worked_on_together() -> None:
    nightly, quick = Schedule.parse("0 2 * * *"), Schedule.parse("@every 10s")
    found = shares({nightly: 20, quick: 1}, {nightly: 30.0, quick: 262_800.0}, NOW)
    assert found[nightly].worked == pytest.approx(3 / 21)
    assert found[nightly].sent == pytest.approx(3 / 26)
    assert found[quick].worked == pytest.approx(1, rel=0.01)
    assert found[quick].sent == pytest.approx(1 / 6, rel=0.01)


def test_what_is_due_at_another_second_than_0_is_waited_for_once_a_batch() -> None:
    minutely, halves, hourly = (
        Schedule.parse("* * * * *"),
        Schedule.parse("*/30 * * * * *"),
        Schedule.parse("7 0 * * * *"),
    )
    runs = {minutely: 43_800.0, halves: 87_600.0, hourly: 730.0}
    found = shares({minutely: 1, halves: 1, hourly: 10}, runs, NOW)
    assert found[minutely].waits == 0
    assert found[halves].waits == pytest.approx(0.25, rel=0.01)
    assert found[hourly].waits == pytest.approx(0.05)


def test_what_is_never_due_shares_nothing() -> None:
    assert shares({}, {}, NOW) == {}
    yearly = Schedule.parse("0 0 1 1 *")
    assert shares({yearly: 5}, {yearly: 1 / 12}, NOW) == {}
