from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from minutehand.schedule import Schedule
from minutehand.tools.costs.batch_shares import Share, shares
from minutehand.tools.costs.timetable import Timetable, rate
from tests.unit.tools.costs.jobs import NOW


def timetable(text: str, first: datetime | None = None, last: datetime | None = None) -> Timetable:
    return Timetable(schedule=Schedule.parse(text), first=first, last=last)


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
    assert rate(timetable(text), NOW).runs == pytest.approx(runs)


def test_the_days_of_a_week_count_as_they_come() -> None:
    weekdays = rate(timetable("0 9 * * MON-FRI"), NOW)
    assert weekdays.runs == pytest.approx(365 / 12 * 5 / 7, rel=0.01)


@pytest.mark.parametrize(
    ("text", "together"),
    [("* * * * *", 1), ("@every 30s", 2), ("@every 5s", 12), ("0,20,40 0 9 * * *", 3), ("0 2 * * *", 1)],
)
def test_occurrences_of_one_minute_share_an_advance(text: str, together: float) -> None:
    assert rate(timetable(text), NOW).together == together


def test_a_fixed_delay_counts_from_the_end_of_each_run() -> None:
    assert rate(timetable("@after 50s"), NOW, seconds=10).runs == 43_800


def test_what_begins_or_ends_within_the_month_is_counted_in_between() -> None:
    def runs(text: str, first: timedelta | None, last: timedelta | None) -> float:
        return rate(timetable(text, first and NOW + first, last and NOW + last), NOW).runs

    hours = timedelta(hours=1)
    assert runs("0 * * * *", None, 10 * hours) == 10
    assert runs("0 * * * *", None, -10 * hours) == 0
    assert runs("0 * * * *", 10 * hours, None) == 720
    assert runs("0 * * * *", 10 * hours, 15 * hours) == 5
    assert runs("0 * * * *", 800 * hours, None) == 0
    assert runs("0 * * * *", 20 * hours, 10 * hours) == 0
    assert runs("0 2 * * *", None, 48 * hours) == 2
    assert runs("0 2 * * *", 48 * hours, None) == 28
    assert runs("@every 10s", 700 * hours, None) == 30 * 360 + 1, "both ends are in it"


def test_both_ends_are_in_it() -> None:
    noon = NOW.replace(hour=12, minute=0)
    assert rate(timetable("0 * * * *", noon, noon + timedelta(hours=1)), NOW).runs == 2


def test_what_comes_to_an_end_by_itself_is_counted_as_it_comes_in_the_month() -> None:
    assert rate(timetable("at(2026-12-01T09:00:00)"), NOW).runs == 1
    assert rate(timetable("at(2027-06-01T09:00:00)"), NOW).runs == 0
    assert rate(timetable("cron(0 9 * 12 ? 2026)"), NOW).runs == 20, "from 1 to 20 December, where the month ends"


def test_a_fixed_delay_has_a_beginning_and_an_end_too() -> None:
    def runs(first: timedelta | None, last: timedelta | None) -> float:
        return rate(timetable("@after 50s", first and NOW + first, last and NOW + last), NOW, seconds=10).runs

    assert runs(None, timedelta(hours=1)) == 60
    assert runs(None, timedelta(hours=-1)) == 0
    assert runs(timedelta(hours=729), None) == 60
    assert runs(timedelta(hours=800), None) == 0


@pytest.mark.parametrize("text", ["0 * * * *", "* * * * * *", "@every 10m", "@after 50s", "@manual"])
def test_what_begins_at_the_end_of_time_is_counted_up_to_it(text: str) -> None:
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert rate(timetable(text), last).runs == 0
    assert rate(timetable(text, last=NOW), last).runs == 0


def shares_of(jobs: Mapping[Timetable, int], runs: Mapping[Timetable, float]) -> Mapping[Timetable, Share]:
    """The shares of jobs of one namespace."""
    found = shares({("shop", each): count for each, count in jobs.items()}, runs, NOW)
    return {each: share for (_, each), share in found.items()}


@pytest.mark.thorough
def test_messages_of_one_minute_are_sent_together_and_those_of_one_second_worked_on_together() -> None:
    nightly, quick = timetable("0 2 * * *"), timetable("@every 10s")
    found = shares_of({nightly: 20, quick: 1}, {nightly: 30.0, quick: 262_800.0})
    assert found[nightly].worked == pytest.approx(3 / 21)
    assert found[nightly].sent == pytest.approx(3 / 26)
    assert found[quick].worked == pytest.approx(1, rel=0.01)
    assert found[quick].sent == pytest.approx(1 / 6, rel=0.01)


def test_what_is_due_at_another_second_than_0_is_waited_for_once_a_batch() -> None:
    minutely, halves, hourly = (
        timetable("* * * * *"),
        timetable("*/30 * * * * *"),
        timetable("7 0 * * * *"),
    )
    runs = {minutely: 43_800.0, halves: 87_600.0, hourly: 730.0}
    found = shares_of({minutely: 1, halves: 1, hourly: 10}, runs)
    assert found[minutely].waits == 0
    assert found[halves].waits == pytest.approx(0.25, rel=0.01)
    assert found[hourly].waits == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("jobs", "listed"), [(1, 1), (2, 1 / 2), (10, 1 / 10), (30, 1 / 30), (31, 2 / 31), (300, 1 / 30)]
)
def test_runs_of_a_namespace_and_minute_share_entries(jobs: int, listed: float) -> None:
    hourly = timetable("7 * * * *")
    assert shares_of({hourly: jobs}, {hourly: 730.0})[hourly].listed == pytest.approx(listed)
    apart = shares({(f"team-{number}", hourly): jobs for number in range(3)}, {hourly: 730.0}, NOW)
    assert [share.listed for share in apart.values()] == pytest.approx([listed] * 3)


@pytest.mark.parametrize(
    ("text", "listed"), [("*/30 * * * * *", 1), ("*/15 * * * * *", 1 / 2), ("* * * * * *", 1 / 30)]
)
@pytest.mark.thorough
def test_the_seconds_of_a_minute_share_an_entry_but_for_the_first(text: str, listed: float) -> None:
    often = timetable(text)
    assert shares_of({often: 1}, {often: 43_800.0})[often].listed == pytest.approx(listed, rel=0.01)


def test_jobs_of_different_schedules_share_entries() -> None:
    minutely, halves = timetable("* * * * *"), timetable("*/30 * * * * *")
    found = shares_of({minutely: 9, halves: 1}, {minutely: 43_800.0, halves: 87_600.0})
    assert [found[each].listed for each in (minutely, halves)] == pytest.approx([2 / 11] * 2, rel=0.01)


def test_what_is_never_due_shares_nothing() -> None:
    assert shares({}, {}, NOW) == {}
    manual = timetable("@manual")
    assert shares_of({manual: 5}, {manual: 1.0}) == {}
    over = timetable("0 * * * *", last=NOW - timedelta(hours=1))
    assert shares_of({over: 5}, {over: 1.0}) == {}


def test_what_is_due_seldom_shares_with_what_is_due_with_it_then() -> None:
    yearly, monthly, other = timetable("0 0 1 1 *"), timetable("0 0 1 * *"), timetable("0 0 15 * *")
    later = timetable("0 2 * * *", first=NOW + timedelta(days=20))
    jobs = {yearly: 5, monthly: 20, other: 1, later: 10}
    found = shares_of(jobs, dict.fromkeys(jobs, 1.0))
    assert {each: share.worked for each, share in found.items()} == {
        yearly: 1 / 5,
        monthly: 1 / 10,
        other: 1,
        later: 1 / 10,
    }
