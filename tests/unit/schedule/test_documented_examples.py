"""Examples from the documentation of robfig/cron and EventBridge, with expected local times written by hand."""

import pytest

from minutehand.schedule import Schedule
from tests.unit.schedule.oracle import utc, zone

# robfig/cron's package documentation ("CRON Expression Format", "Predefined schedules", "Intervals") and the cases of its own
# test of the next activation, facts alone. Times are what the zone's clocks show.
ROBFIG = [
    # why, text, zone, after, next
    ("every fifteen minutes from the hour", "0 0/15 * * * *", "UTC", "2012-07-09T14:45", ["2012-07-09T15:00"]),
    ("strictly later", "0 0/15 * * * *", "UTC", "2012-07-09T15:00", ["2012-07-09T15:15"]),
    ("from the 5th minute", "0 5/15 * * * *", "UTC", "2012-07-09T15:05", ["2012-07-09T15:20"]),
    ("a range with a step, over the hour", "0 20-35/15 * * * *", "UTC", "2012-07-09T15:45", ["2012-07-09T16:20"]),
    ("over the day", "0 */15 * * * *", "UTC", "2012-07-09T23:46", ["2012-07-10T00:00"]),
    ("seconds with a step", "15/35 20-35/15 * * * *", "UTC", "2012-07-09T23:35:51", ["2012-07-10T00:20:15"]),
    ("every other hour", "15/35 20-35/15 1/2 * * *", "UTC", "2012-07-09T23:35:51", ["2012-07-10T01:20:15"]),
    ("hours 10 to 12", "15/35 20-35/15 10-12 * * *", "UTC", "2012-07-09T23:35:51", ["2012-07-10T10:20:15"]),
    ("every other day", "15/35 20-35/15 1/2 */2 * *", "UTC", "2012-07-09T23:35:51", ["2012-07-11T01:20:15"]),
    ("days 9 to 20", "15/35 20-35/15 * 9-20 * *", "UTC", "2012-07-09T23:35:51", ["2012-07-10T00:20:15"]),
    ("month names", "0 0 0 9 Apr-Oct ?", "UTC", "2012-07-09T23:35", ["2012-08-09T00:00"]),
    ("a day with a step beside a weekday: either", "0 0 0 */5 Apr,Aug,Oct Mon", "UTC", "2012-07-09T23:35", ["2012-08-01T00:00", "2012-08-06T00:00"]),
    ("a star beside a weekday: both", "0 0 0 * Feb Mon", "UTC", "2012-07-09T23:35", ["2013-02-04T00:00"]),
    ("a weekday name with a step", "0 0 0 * Feb Mon/2", "UTC", "2012-07-09T23:35", ["2013-02-01T00:00"]),
    ("over minute, hour, day, month and year", "0 * * * * *", "UTC", "2012-12-31T23:59:45", ["2013-01-01T00:00"]),
    ("a leap year", "0 0 0 29 Feb ?", "UTC", "2012-07-09T23:35", ["2016-02-29T00:00"]),
    ("15 July or Sunday", "0 30 8 1,15 * Sun", "UTC", "2012-07-01T09:00", ["2012-07-08T08:30", "2012-07-15T08:30"]),
    ("a question mark is a star", "0 30 8 ? Jul Sun", "UTC", "2012-07-01T09:00", ["2012-07-08T08:30"]),
    ("an item */1 is a star", "0 0 1,*/1 * MON", "UTC", "2012-07-01T09:00", ["2012-07-02T00:00", "2012-07-09T00:00"]),
    ("a star anywhere in the list opens the field", "0 0 25 * 6,*", "UTC", "2012-07-01T09:00", ["2012-07-25T00:00"]),
    ("a step above 1 does not", "0 0 */2 * 1", "UTC", "2012-07-01T09:00", ["2012-07-02T00:00", "2012-07-03T00:00"]),
    ("a time in the spring gap is skipped", "0 30 2 11 Mar ?", "America/New_York", "2012-03-11T00:00", ["2013-03-11T02:30"]),
    ("the hourly job passes over the gap", "0 0 * * * ?", "America/New_York", "2012-03-11T00:00", ["2012-03-11T01:00", "2012-03-11T03:00", "2012-03-11T04:00"]),
    ("the job of 02:00 is skipped", "0 0 2 * * ?", "America/New_York", "2012-03-11T00:00", ["2012-03-12T02:00"]),
    ("in autumn the hourly job runs in both passes", "0 0 * * * ?", "America/New_York", "2012-11-04T00:00", ["2012-11-04T01:00", "2012-11-04T01:00", "2012-11-04T02:00"]),
    ("and so does that of 01:00", "0 0 1 * * ?", "America/New_York", "2012-11-04T00:00", ["2012-11-04T01:00", "2012-11-04T01:00", "2012-11-05T01:00"]),
    ("that of 02:00 does not", "0 0 2 * * ?", "America/New_York", "2012-11-04T00:00", ["2012-11-04T02:00", "2012-11-05T02:00"]),
    ("nor that of 03:00", "0 0 3 * * ?", "America/New_York", "2012-11-04T00:00", ["2012-11-04T03:00", "2012-11-05T03:00"]),
    ("TZ= before the text", "TZ=Asia/Tokyo 0 5 * * * *", "UTC", "2012-07-09T00:30", ["2012-07-09T01:05"]),
    ("CRON_TZ= before a descriptor", "CRON_TZ=Asia/Tokyo @midnight", "UTC", "2012-07-09T00:30", ["2012-07-10T00:00"]),
    ("half past every hour", "30 * * * *", "UTC", "2012-07-09T23:40", ["2012-07-10T00:30"]),
    ("in the hours of the night", "30 3-6,20-23 * * *", "UTC", "2012-07-09T06:40", ["2012-07-09T20:30"]),
    ("at 04:30 in Tokyo", "CRON_TZ=Asia/Tokyo 30 04 * * *", "UTC", "2012-07-09T00:30", ["2012-07-09T04:30"]),
    ("once a month, at midnight of its first day", "@monthly", "UTC", "2012-07-09T15:00", ["2012-08-01T00:00"]),
    ("once a week, at midnight between Saturday and Sunday", "@weekly", "UTC", "2012-07-09T15:00", ["2012-07-15T00:00"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "after", "local"), [row[1:] for row in ROBFIG], ids=[row[0] for row in ROBFIG]
)
def test_examples_from_the_robfig_documentation(text, name, after, local):
    assert walked(text, name, "robfig", after, len(local)) == local


# EventBridge user guide, "Cron expressions reference" and "Rate expressions"; EventBridge Scheduler user guide, "Schedule types".
EVENTBRIDGE = [
    ("10:00 every day", "cron(0 10 * * ? *)", "UTC", "2026-11-20T09:00", ["2026-11-20T10:00", "2026-11-21T10:00"]),
    ("12:15 every day", "cron(15 12 * * ? *)", "UTC", "2026-11-20T13:00", ["2026-11-21T12:15"]),
    ("18:00 from Monday to Friday", "cron(0 18 ? * MON-FRI *)", "UTC", "2026-11-20T12:00", ["2026-11-20T18:00", "2026-11-23T18:00"]),
    ("08:00 on the first day of the month", "cron(0 8 1 * ? *)", "UTC", "2026-11-20T12:00", ["2026-12-01T08:00"]),
    ("every 15 minutes", "cron(0/15 * * * ? *)", "UTC", "2026-11-20T12:50", ["2026-11-20T13:00", "2026-11-20T13:15"]),
    ("every 10 minutes from Monday to Friday", "cron(0/10 * ? * MON-FRI *)", "UTC", "2026-11-20T23:45", ["2026-11-20T23:50", "2026-11-23T00:00"]),
    ("every 5 minutes of office hours", "cron(0/5 8-17 ? * MON-FRI *)", "UTC", "2026-11-20T17:50", ["2026-11-20T17:55", "2026-11-23T08:00"]),
    ("every 30 minutes of the night, over midnight", "cron(0/30 20-2 ? * MON-FRI *)", "UTC", "2026-11-20T02:00", ["2026-11-20T02:30", "2026-11-20T20:00"]),
    ("10:15 on the last Friday of each month of some years", "cron(15 10 ? * 6L 2022-2023)", "UTC", "2022-11-01T00:00", ["2022-11-25T10:15", "2022-12-30T10:15", "2023-01-27T10:15"]),
    ("a Monday and a Friday by number: 1 is Sunday", "cron(0 12 ? * 2,6 *)", "UTC", "2026-11-20T12:00", ["2026-11-23T12:00", "2026-11-27T12:00"]),
    ("1/10 is the 1st, 11th and 21st minute", "cron(1/10 12 * * ? *)", "UTC", "2026-11-20T12:05", ["2026-11-20T12:11", "2026-11-20T12:21", "2026-11-20T12:31"]),
    ("the weekday closest to the third", "cron(0 0 3W * ? *)", "UTC", "2026-09-30T12:00", ["2026-10-02T00:00", "2026-11-03T00:00"]),
    ("the second Tuesday", "cron(0 0 ? * 3#2 *)", "UTC", "2026-11-01T00:00", ["2026-11-10T00:00", "2026-12-08T00:00"]),
    ("the last day of the month", "cron(0 0 L * ? *)", "UTC", "2028-02-01T00:00", ["2028-02-29T00:00", "2028-03-31T00:00"]),
    ("the last day of the week", "cron(0 0 ? * L *)", "UTC", "2026-11-20T00:00", ["2026-11-21T00:00", "2026-11-28T00:00"]),
    ("JAN,FEB,MAR", "cron(0 0 1 JAN,FEB,MAR ? *)", "UTC", "2026-11-20T00:00", ["2027-01-01T00:00", "2027-02-01T00:00", "2027-03-01T00:00", "2028-01-01T00:00"]),
    ("1-15", "cron(0 0 1-15 * ? *)", "UTC", "2026-11-14T12:00", ["2026-11-15T00:00", "2026-12-01T00:00"]),
    ("a time that spring skips does not come", "cron(30 2 * * ? *)", "America/New_York", "2026-03-07T12:00", ["2026-03-09T02:30"]),
    ("a time that autumn shows twice comes once", "cron(30 1 * * ? *)", "America/New_York", "2026-11-01T00:00", ["2026-11-01T01:30", "2026-11-02T01:30"]),
    ("every hour of such a night, once", "cron(0 * * * ? *)", "America/New_York", "2026-11-01T00:00", ["2026-11-01T01:00", "2026-11-01T02:00"]),
    ("a single time, in a zone", "at(2022-11-20T13:00:00)", "America/New_York", "2022-11-20T12:00", ["2022-11-20T13:00"]),
    ("every 5 minutes", "rate(5 minutes)", "UTC", "2026-11-20T12:04", ["2026-11-20T12:05", "2026-11-20T12:10"]),
    ("every hour", "rate(1 hour)", "UTC", "2026-11-20T12:04", ["2026-11-20T13:00"]),
    ("every 7 days of 24 hours", "rate(7 days)", "America/New_York", "2026-10-29T12:00", ["2026-11-04T19:00", "2026-11-11T19:00"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "after", "local"), [row[1:] for row in EVENTBRIDGE], ids=[row[0] for row in EVENTBRIDGE]
)
def test_examples_from_the_eventbridge_documentation(text, name, after, local):
    assert walked(text, name, None, after, len(local)) == local


def walked(text, name, dialect, after, count):
    """What the zone's clocks show at the next instants; `after` is on that clock too."""
    schedule = Schedule.parse(text, timezone=name, dialect=dialect)
    tz = zone(schedule.timezone)
    at, found = utc(after).replace(tzinfo=tz), []
    for _ in range(count):
        at = schedule.next(at)
        shown = at.astimezone(tz).replace(tzinfo=None).isoformat()
        found.append(shown if at.second else shown[:16])
    return found
