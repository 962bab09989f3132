"""Instants around clock changes; each row has a schedule, a zone, a span of UTC, every instant in it, and the reason."""

from datetime import UTC, datetime

import pytest

from minutehand.schedule import Schedule

ROWS = [
    # reason, schedule, zone, after, up to, instants
    ("two times in one gap run once", "0,30 2 * * *", "America/New_York", "2026-03-08T00:00", "2026-03-09T05:00", ["2026-03-08T07:00"]),
    ("caught up and due at once is one run", "0 2,3 * * *", "America/New_York", "2026-03-08T00:00", "2026-03-09T05:00", ["2026-03-08T07:00"]),
    ("due just after the gap is not disturbed", "5 2,3 * * *", "America/New_York", "2026-03-08T00:00", "2026-03-09T05:00", ["2026-03-08T07:00", "2026-03-08T07:05"]),
    ("a day that is not named is not caught up", "30 2 * * 1-5", "America/New_York", "2026-03-07T12:00", "2026-03-09T05:00", []),
    ("a starred minute follows the clock over the gap", "*/30 2 * * *", "America/New_York", "2026-03-08T00:00", "2026-03-09T05:00", []),
    ("a starred hour follows the clock over the gap", "30 * * * *", "America/New_York", "2026-03-08T06:00", "2026-03-08T08:00", ["2026-03-08T06:30", "2026-03-08T07:30"]),
    ("a fixed time runs in the first pass alone", "30 1 * * *", "America/New_York", "2026-11-01T00:00", "2026-11-02T05:00", ["2026-11-01T05:30"]),
    ("a starred minute runs in both passes", "*/30 1 * * *", "America/New_York", "2026-11-01T00:00", "2026-11-02T05:00", ["2026-11-01T05:00", "2026-11-01T05:30", "2026-11-01T06:00", "2026-11-01T06:30"]),
    ("a starred hour runs in both passes", "30 * * * *", "America/New_York", "2026-11-01T05:00", "2026-11-01T07:00", ["2026-11-01T05:30", "2026-11-01T06:30"]),
    ("a list of every hour is fixed times", f"30 {','.join(map(str, range(24)))} * * *", "America/New_York", "2026-11-01T05:00", "2026-11-01T07:30", ["2026-11-01T05:30", "2026-11-01T07:30"]),
    ("the hour after the fold is not repeated", "0 2 * * *", "America/New_York", "2026-11-01T04:00", "2026-11-02T04:00", ["2026-11-01T07:00"]),
    ("half an hour is skipped at Lord Howe: 02:15 runs at 02:30", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00", "2026-10-04T00:00", ["2026-10-03T15:30"]),
    ("half an hour is repeated at Lord Howe: 01:45 runs once", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00", "2026-04-05T00:00", ["2026-04-04T14:45"]),
    ("and with a starred minute twice", "*/45 1 * * *", "Australia/Lord_Howe", "2026-04-04T14:00", "2026-04-05T00:00", ["2026-04-04T14:45", "2026-04-04T15:15"]),
    ("midnight itself is skipped in São Paulo", "0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00", "2018-11-05T12:00", ["2018-11-04T03:00", "2018-11-05T02:00"]),
    ("the day that midnight opens is the one that counts", "15 0 4 11 *", "America/Sao_Paulo", "2018-11-01T00:00", "2018-12-01T00:00", ["2018-11-04T03:00"]),
    ("23:59 comes twice in São Paulo and runs once", "59 23 * * *", "America/Sao_Paulo", "2018-02-17T12:00", "2018-02-19T12:00", ["2018-02-18T01:59", "2018-02-19T02:59"]),
    ("Apia has no 30 December 2011, and a day is too much to catch up", "0 12 * * *", "Pacific/Apia", "2011-12-29T00:00", "2011-12-31T12:00", ["2011-12-29T22:00", "2011-12-30T22:00"]),
    ("nor does the one date come in that year", "0 12 30 12 *", "Pacific/Apia", "2011-06-01T00:00", "2012-12-31T00:00", ["2012-12-29T22:00"]),
    ("Casablanca goes back an hour for Ramadan", "30 2 * * *", "Africa/Casablanca", "2026-02-14T12:00", "2026-02-16T12:00", ["2026-02-15T01:30", "2026-02-16T02:30"]),
    ("Dublin's winter time is its daylight saving: only the offset counts", "30 1 * * *", "Europe/Dublin", "2026-03-28T12:00", "2026-03-30T12:00", ["2026-03-29T01:00", "2026-03-30T00:30"]),
    ("and back", "30 1 * * *", "Europe/Dublin", "2026-10-24T12:00", "2026-10-26T12:00", ["2026-10-25T00:30", "2026-10-26T01:30"]),
    ("Troll jumps two hours", "30 1,2 * * *", "Antarctica/Troll", "2026-03-28T12:00", "2026-03-29T12:00", ["2026-03-29T01:00"]),
    ("and repeats two", "30 1,2 * * *", "Antarctica/Troll", "2026-10-24T12:00", "2026-10-25T12:00", ["2026-10-24T23:30", "2026-10-25T00:30"]),
    ("Asunción has stayed on summer time since 2024", "0 0 * * *", "America/Asuncion", "2026-10-03T12:00", "2026-10-05T12:00", ["2026-10-04T03:00", "2026-10-05T03:00"]),
    ("Casey moved three hours, which is a correction", "30 3 * * *", "Antarctica/Casey", "2009-10-17T12:00", "2009-10-18T20:00", ["2009-10-18T16:30"]),
    ("seconds: a gap is caught up at its very end", "15 30 2 * * *", "America/New_York", "2026-03-08T00:00", "2026-03-09T00:00", ["2026-03-08T07:00"]),
    ("seconds: a fixed time runs in the first pass alone", "15 30 1 * * *", "America/New_York", "2026-11-01T00:00", "2026-11-02T00:00", ["2026-11-01T05:30:15"]),
    ("seconds: a starred second follows the clock", "*/30 30 1 * * *", "America/New_York", "2026-11-01T00:00", "2026-11-02T00:00", ["2026-11-01T05:30", "2026-11-01T05:30:30", "2026-11-01T06:30", "2026-11-01T06:30:30"]),
    ("a century after the data ends its rule still holds", "30 2 * * *", "America/New_York", "2126-03-09T12:00", "2126-03-11T00:00", ["2126-03-10T07:00"]),
]  # fmt: skip


# One change of each kind in every dialect: a daily job, a span of UTC, and its instants.
IN_EACH_DIALECT = [
    # reason, schedule, zone, after, up to, {dialect: instants}
    (
        "Lord Howe skips half an hour from 02:00", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00", "2026-10-05T00:00",
        {"vixie": ["2026-10-03T15:30", "2026-10-04T15:15"], "robfig": ["2026-10-04T15:15"], "eventbridge": ["2026-10-04T15:15"]},
    ),
    (
        "Lord Howe repeats half an hour from 01:30", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00", "2026-04-05T12:00",
        {"vixie": ["2026-04-04T14:45"], "robfig": ["2026-04-04T14:45", "2026-04-04T15:15"], "eventbridge": ["2026-04-04T14:45"]},
    ),
    (
        "São Paulo skips the hour from midnight", "0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00", "2018-11-05T12:00",
        {"vixie": ["2018-11-04T03:00", "2018-11-05T02:00"], "robfig": ["2018-11-05T02:00"], "eventbridge": ["2018-11-05T02:00"]},
    ),
    (
        "São Paulo repeats the hour to midnight, on a day named by its date", "30 23 17 2 *", "America/Sao_Paulo", "2018-02-17T00:00", "2018-02-19T00:00",
        {"vixie": ["2018-02-18T01:30"], "robfig": ["2018-02-18T01:30", "2018-02-18T02:30"], "eventbridge": ["2018-02-18T01:30"]},
    ),
    (
        "Apia has no 30 December 2011: no dialect has a run for it", "0 12 30 * *", "Pacific/Apia", "2011-12-01T00:00", "2012-02-01T00:00",
        {"vixie": ["2012-01-29T22:00"], "robfig": ["2012-01-29T22:00"], "eventbridge": ["2012-01-29T22:00"]},
    ),
    (
        "Casablanca goes back for Ramadan", "30 2 * * *", "Africa/Casablanca", "2026-02-14T12:00", "2026-02-16T12:00",
        {"vixie": ["2026-02-15T01:30", "2026-02-16T02:30"], "robfig": ["2026-02-15T01:30", "2026-02-15T02:30", "2026-02-16T02:30"], "eventbridge": ["2026-02-15T01:30", "2026-02-16T02:30"]},
    ),
    (
        "and forward after it", "30 2 * * *", "Africa/Casablanca", "2026-03-21T12:00", "2026-03-23T12:00",
        {"vixie": ["2026-03-22T02:00", "2026-03-23T01:30"], "robfig": ["2026-03-23T01:30"], "eventbridge": ["2026-03-23T01:30"]},
    ),
    (
        "Dublin's daylight saving is negative: its winter begins with a repeated hour", "30 1 * * *", "Europe/Dublin", "2026-10-24T12:00", "2026-10-26T12:00",
        {"vixie": ["2026-10-25T00:30", "2026-10-26T01:30"], "robfig": ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-26T01:30"], "eventbridge": ["2026-10-25T00:30", "2026-10-26T01:30"]},
    ),
    (
        "and ends with a skipped one", "30 1 * * *", "Europe/Dublin", "2026-03-28T12:00", "2026-03-30T12:00",
        {"vixie": ["2026-03-29T01:00", "2026-03-30T00:30"], "robfig": ["2026-03-30T00:30"], "eventbridge": ["2026-03-30T00:30"]},
    ),
    (
        "Troll skips two hours", "30 2 * * *", "Antarctica/Troll", "2026-03-28T12:00", "2026-03-30T12:00",
        {"vixie": ["2026-03-29T01:00", "2026-03-30T00:30"], "robfig": ["2026-03-30T00:30"], "eventbridge": ["2026-03-30T00:30"]},
    ),
    (
        "Troll repeats two hours", "30 1,2 * * *", "Antarctica/Troll", "2026-10-24T12:00", "2026-10-25T12:00",
        {"vixie": ["2026-10-24T23:30", "2026-10-25T00:30"], "robfig": ["2026-10-24T23:30", "2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"], "eventbridge": ["2026-10-24T23:30", "2026-10-25T00:30"]},
    ),
    (
        "Asunción skipped midnight while it still changed its clocks", "0 0 * * *", "America/Asuncion", "2018-10-06T12:00", "2018-10-08T12:00",
        {"vixie": ["2018-10-07T04:00", "2018-10-08T03:00"], "robfig": ["2018-10-08T03:00"], "eventbridge": ["2018-10-08T03:00"]},
    ),
    (
        "and repeated the hour before it", "0 23 * * *", "America/Asuncion", "2024-03-23T12:00", "2024-03-25T12:00",
        {"vixie": ["2024-03-24T02:00", "2024-03-25T03:00"], "robfig": ["2024-03-24T02:00", "2024-03-24T03:00", "2024-03-25T03:00"], "eventbridge": ["2024-03-24T02:00", "2024-03-25T03:00"]},
    ),
    (
        "Casey moved by three hours: nothing is caught up", "30 3 * * *", "Antarctica/Casey", "2009-10-17T12:00", "2009-10-18T20:00",
        {"vixie": ["2009-10-18T16:30"], "robfig": ["2009-10-18T16:30"], "eventbridge": ["2009-10-18T16:30"]},
    ),
    (
        "a starred minute over a repeated half hour", "*/15 1 * * *", "Australia/Lord_Howe", "2026-04-04T14:29", "2026-04-04T16:00",
        {"vixie": ["2026-04-04T14:30", "2026-04-04T14:45", "2026-04-04T15:00", "2026-04-04T15:15"], "robfig": ["2026-04-04T14:30", "2026-04-04T14:45", "2026-04-04T15:00", "2026-04-04T15:15"], "eventbridge": ["2026-04-04T14:30", "2026-04-04T14:45"]},
    ),
]  # fmt: skip


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "zone", "after", "until", "instants"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_instants_around_a_clock_change(schedule, zone, after, until, instants):
    check(Schedule.parse(schedule, timezone=zone), after, until, instants)


@pytest.mark.parametrize("dialect", ["vixie", "robfig", "eventbridge"])
@pytest.mark.parametrize(
    ("schedule", "zone", "after", "until", "instants"),
    [row[1:] for row in IN_EACH_DIALECT],
    ids=[row[0] for row in IN_EACH_DIALECT],
)
def test_instants_around_a_clock_change_in_each_dialect(schedule, zone, after, until, instants, dialect):
    check(Schedule.parse(schedule, timezone=zone, dialect=dialect), after, until, instants[dialect])


def check(compiled, after, until, instants):
    expected = [utc(text) for text in instants]
    assert compiled.between(utc(after), utc(until), 100) == expected
    assert all(compiled.names(instant) for instant in expected)
    walked, at = [], utc(after)
    while (at := compiled.next(at)) is not None and at <= utc(until):
        walked.append(at)
    assert walked == expected


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("at(2026-03-08T01:59:59)", "2026-03-08T06:59:59"),
        ("at(2026-03-08T02:00:00)", "2026-03-08T07:00"),
        ("at(2026-03-08T02:59:59)", "2026-03-08T07:00"),
        ("at(2026-03-08T03:00:00)", "2026-03-08T07:00"),
        ("at(2026-11-01T00:59:59)", "2026-11-01T04:59:59"),
        ("at(2026-11-01T01:00:00)", "2026-11-01T05:00"),
        ("at(2026-11-01T01:59:59)", "2026-11-01T05:59:59"),
        ("at(2026-11-01T02:00:00)", "2026-11-01T07:00"),
    ],
)
def test_at_on_the_edges_of_a_gap_and_of_a_repeated_hour(text, instant):
    once = Schedule.parse(text, timezone="America/New_York", dialect="vixie")
    assert once.between(utc("2026-01-01T00:00"), utc("2027-01-01T00:00"), 5) == [utc(instant)]


def test_second_pass_of_a_fixed_time_is_not_an_instant():
    schedule = Schedule.parse("30 1 * * *", timezone="America/New_York")
    assert schedule.names(utc("2026-11-01T05:30"))
    assert not schedule.names(utc("2026-11-01T06:30"))
    assert schedule.next(utc("2026-11-01T05:45")) == utc("2026-11-02T06:30")
