"""iCalendar files: what they come to, and what is refused, with its line."""

import json
import sys
import zoneinfo
from pathlib import Path

import pytest

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli

NEW_YEAR = ("DTSTART;VALUE=DATE:20200101", "RRULE:FREQ=YEARLY", "SUMMARY:New Year")


def event(*lines: str) -> list[str]:
    return [
        "BEGIN:VEVENT",
        *(() if any(line.startswith("UID") for line in lines) else ("UID:1",)),
        *lines,
        "END:VEVENT",
    ]


def ics(*events: list[str], head: tuple[str, ...] = ()) -> str:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", *head, *(line for each in events for line in each), "END:VCALENDAR"]
    return "".join(f"{line}\r\n" for line in lines)


@pytest.fixture
def applied(api: ApiServer, cli: Cli):
    """Apply a file, and give the calendar it became."""

    def apply(text: str, *options: str):
        Path("x.ics").write_text(text, encoding="utf-8", newline="")
        result = cli("calendar", "apply", "x.ics", *options)
        assert result.exit_code == 0, result.stderr
        saved = [request for request in api.requests if request.method == "PUT"][-1]
        kinds = {kind: sorted(saved.body[kind]) for kind in ("dates", "periods")}
        return saved.body | kinds | {"notes": result.stderr}

    return apply


@pytest.fixture
def refused(api: ApiServer, cli: Cli):
    """Apply a file that is refused, and give each thing wrong as its line, message and hint."""

    def apply(text: str, *options: str):
        Path("x.ics").write_text(text, encoding="utf-8", newline="")
        result = cli("calendar", "apply", "x.ics", *options, "-o", "json")
        assert (result.exit_code, api.requests) == (2, [])
        errors = json.loads(result.stderr)["errors"]
        return [(int(e["path"].removeprefix("x.ics:")), e["message"], e["hint"] or "") for e in errors]

    return apply


def test_an_all_day_event_is_its_days_without_the_one_on_which_it_ends(applied):
    text = ics(
        event("DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261227"), event("UID:2", "DTSTART;VALUE=DATE:20261231")
    )
    assert applied(text)["dates"] == ["2026-12-24..2026-12-26", "2026-12-31"]


def test_what_repeats_is_written_out_for_ten_years_from_last_year_on(applied):
    calendar = applied(ics(event(*NEW_YEAR)))
    assert calendar["dates"] == [f"{year}-01-01" for year in range(2025, 2035)]
    assert "x.ics: 1 event from 2025-01-01 to 2034-12-31: 10 dates and 0 periods" in calendar["notes"]


def test_an_event_with_times_is_a_period_in_utc_whatever_the_season(applied):
    text = ics(
        event(
            "DTSTART;TZID=Europe/Paris:20260323T180000",
            "DTEND;TZID=Europe/Paris:20260323T220000",
            "RRULE:FREQ=WEEKLY;COUNT=3",
            "EXDATE;TZID=Europe/Paris:20260330T180000",
            "RDATE;TZID=Europe/Paris:20260801T180000",
        )
    )
    assert applied(text)["periods"] == [
        "2026-03-23T17:00:00Z..2026-03-23T21:00:00Z",
        "2026-04-06T16:00:00Z..2026-04-06T20:00:00Z",
        "2026-08-01T16:00:00Z..2026-08-01T20:00:00Z",
    ]


def test_a_zone_that_the_file_defines_itself_is_as_it_says(applied):
    zone = [
        "BEGIN:VTIMEZONE",
        "TZID:Office",
        "BEGIN:STANDARD",
        "DTSTART:19700101T000000",
        "TZOFFSETFROM:+0530",
        "TZOFFSETTO:+0530",
        "END:STANDARD",
        "END:VTIMEZONE",
    ]
    text = ics(zone, event("DTSTART;TZID=Office:20261130T180000", "DURATION:PT1H"))
    assert applied(text)["periods"] == ["2026-11-30T12:30:00Z..2026-11-30T13:30:00Z"]


@pytest.mark.parametrize(
    ("start", "lasts", "period"),
    [
        ("20260308T013000", "PT2H", "2026-03-08T06:30:00Z..2026-03-08T08:30:00Z"),
        ("20261101T013000", "PT2H", "2026-11-01T05:30:00Z..2026-11-01T07:30:00Z"),
        ("20260307T120000", "P1D", "2026-03-07T17:00:00Z..2026-03-08T16:00:00Z"),
        ("20260307T120000", "PT24H", "2026-03-07T17:00:00Z..2026-03-08T17:00:00Z"),
        ("20260307T013000", "P1DT2H", "2026-03-07T06:30:00Z..2026-03-08T08:30:00Z"),
    ],
)
def test_hours_of_a_duration_are_exact_and_days_go_by_the_clock(applied, start, lasts, period):
    alarm = ("BEGIN:VALARM", "TRIGGER:-PT5M", "DURATION:PT1M", "REPEAT:1", "ACTION:AUDIO", "END:VALARM")
    text = ics(event(f"DTSTART;TZID=America/New_York:{start}", *alarm, f"DURATION:{lasts}"))
    assert applied(text)["periods"] == [period]


def test_hours_are_exact_in_each_repetition_and_between_two_clock_times_they_are_not(applied):
    rule = "RRULE:FREQ=DAILY;COUNT=2"
    text = ics(
        event("DTSTART;TZID=America/New_York:20260307T013000", "DURATION:PT2H", rule),
        event("UID:2", "DTSTART;TZID=America/New_York:20260307T200000", "DTEND;TZID=America/New_York:20260308T040000"),
    )
    assert applied(text)["periods"] == [
        "2026-03-07T06:30:00Z..2026-03-07T08:30:00Z",
        "2026-03-08T01:00:00Z..2026-03-08T08:00:00Z",
        "2026-03-08T06:30:00Z..2026-03-08T08:30:00Z",
    ]


def test_zones_are_those_of_the_pinned_data_and_the_process_keeps_its_own(applied):
    before = zoneinfo.TZPATH
    zoneinfo.reset_tzpath(to=("/nonexistent",))
    try:
        text = ics(event("DTSTART;TZID=Europe/Paris:20261130T180000", "DURATION:PT1H"))
        assert applied(text)["periods"] == ["2026-11-30T17:00:00Z..2026-11-30T18:00:00Z"]
        assert zoneinfo.TZPATH == ("/nonexistent",)
    finally:
        zoneinfo.reset_tzpath(to=before)


def test_an_event_that_was_moved_is_where_it_was_moved_to(applied):
    text = ics(
        event("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;COUNT=3"),
        event("RECURRENCE-ID;VALUE=DATE:20260102", "DTSTART;VALUE=DATE:20260110"),
    )
    assert applied(text)["dates"] == ["2026-01-01", "2026-01-03", "2026-01-10"]


def test_cancelled_events_are_left_out_single_ones_of_a_series_too(applied):
    text = ics(
        event("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;COUNT=3"),
        event("RECURRENCE-ID;VALUE=DATE:20260102", "DTSTART;VALUE=DATE:20260102", "STATUS:CANCELLED"),
        event("UID:2", "DTSTART;VALUE=DATE:20260601", "RRULE:FREQ=YEARLY", "STATUS:CANCELLED"),
    )
    calendar = applied(text)
    assert calendar["dates"] == ["2026-01-01", "2026-01-03"]
    assert "left out, since cancelled: 2 events" in calendar["notes"]


def test_events_that_count_as_free_are_kept_and_said(applied):
    calendar = applied(ics(event(*NEW_YEAR, "TRANSP:TRANSPARENT")))
    assert len(calendar["dates"]) == 10
    assert "counts it as free time (TRANSP): 1 event" in calendar["notes"]


def test_events_that_take_no_time_are_left_out_and_said(applied):
    calendar = applied(ics(event(*NEW_YEAR), event("UID:2", "DTSTART:20261130T180000Z")))
    assert calendar["periods"] == []
    assert "left out, since they take no time: 1 event" in calendar["notes"]


def test_times_in_no_zone_are_in_the_one_that_is_reported(applied, refused):
    text = ics(event("DTSTART:20261130T180000", "DTEND:20261130T190000", "SUMMARY:Party"))
    [(line, message, hint)] = refused(text)
    assert (line, "the event 'Party'" in message, "no time zone" in message) == (5, True, True)
    assert "--timezone Europe/Paris" in hint
    assert applied(text, "--timezone", "America/New_York")["periods"] == ["2026-11-30T23:00:00Z..2026-12-01T00:00:00Z"]


def test_times_in_no_zone_are_in_the_one_that_the_whole_file_names(applied):
    text = ics(event("DTSTART:20261130T180000", "DURATION:PT1H"), head=("X-WR-TIMEZONE:Asia/Tokyo",))
    assert applied(text)["periods"] == ["2026-11-30T09:00:00Z..2026-11-30T10:00:00Z"]


def test_a_zone_that_no_one_knows_is_never_taken_for_the_machine_s_own(refused):
    event_in = event("DTSTART;TZID=Nowhere:20261130T180000", "DURATION:PT1H")
    for options in ((), ("--timezone", "Europe/Paris")):
        [(line, message, _)] = refused(ics(event_in), *options)
        assert (line, "'Nowhere' is unknown" in message) == (5, True)
    floating = event("DTSTART:20261130T180000", "DURATION:PT1H")
    assert refused(ics(floating, head=("X-WR-TIMEZONE:Nowhere",)))


def test_the_file_says_what_the_calendar_is_called_unless_told_otherwise(api: ApiServer, cli: Cli) -> None:
    Path("Jours fériés 2026.ics").write_text(
        ics(event(*NEW_YEAR), head=("X-WR-CALNAME:Jours  fériés",)), encoding="utf-8"
    )
    cli("calendar", "apply", "Jours fériés 2026.ics", "-n", "shop")
    cli("calendar", "apply", "Jours fériés 2026.ics", "--name", "holidays")
    assert {key: calendar["description"] for key, calendar in api.calendars.items()} == {
        "shop/jours-f-ri-s-2026": "Jours fériés",
        "default/holidays": "Jours fériés",
    }


def test_stdin_may_be_an_icalendar_file_with_a_name(api: ApiServer, cli: Cli) -> None:
    text = ics(event(*NEW_YEAR))
    nameless = cli("calendar", "apply", "-", stdin=text)
    assert nameless.exit_code == 2
    assert "--name" in nameless.stderr
    assert "<stdin>: 1 event" in cli("calendar", "apply", "-", "--name", "holidays", stdin=text).stderr
    assert list(api.calendars) == ["default/holidays"]


@pytest.mark.parametrize(
    ("lines", "line", "said", "right"),
    [
        (["DTSTART;VALUE=DATE:20260230"], 5, "DTSTART cannot be read", "DTSTART;VALUE=DATE:20261225"),
        (["SUMMARY:x"], 3, "no DTSTART", "DTSTART;VALUE=DATE:20261225"),
        (["DTSTART;VALUE=DATE:20260101", "DTSTART;VALUE=DATE:20260102"], 5, "has DTSTART twice", "keep one"),
        (["DTSTART:20260102T100000Z", "DTEND:20260102T090000Z"], 6, "ends before it begins", "later than DTSTART"),
        (["DTSTART:20260102T100000Z", "DURATION:-PT1H"], 6, "ends before it begins", "later than DTSTART"),
        (["DTSTART;VALUE=DATE:20260102", "DTEND:20260102T090000Z"], 6, "one of DTSTART and DTEND is a date and one a time", "make both dates"),
        (["DTSTART:20260102T100000Z", "DTEND:20260102T110000Z", "DURATION:PT1H"], 6, "its duration is invalid", "either DTEND"),
        (["DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=SOMETIMES"], 6, "RRULE cannot be read", "RRULE:FREQ=YEARLY"),
        (["DTSTART;VALUE=DATE:20260101", "RRULE:COUNT=3"], 6, "no FREQ", "FREQ=YEARLY"),
        (["DTSTART:20260101T100000Z", "DURATION:PT1S", "RRULE:FREQ=SECONDLY"], 7, "recurs many times a day", "in YAML"),
        (["DTSTART:20260101T100000Z", "RRULE:FREQ=DAILY;BYHOUR=1,2,3,4,5;BYMINUTE=1,2,3,4,5"], 6, "recurs many times a day", "in YAML"),
        (["DTSTART;VALUE=DATE:20260101", "EXDATE;VALUE=DATE:2026"], 6, "EXDATE cannot be read", "EXDATE;VALUE=DATE:20261225"),
        (["DTSTART:20260101T100000Z", "DURATION:1 hour"], 6, "DURATION cannot be read", "DURATION:PT1H30M"),
        (["DTSTART;TZID=Nowhere:20260101T100000"], 5, "'Nowhere' is unknown", "DTSTART;TZID=Europe/Paris"),
        (["DTSTART;VALUE=DATE:20260101", "SUMMARY:a", "not a line"], 7, "'not a line' is not a line", "NAME:VALUE"),
        (["DTSTART;VALUE=DATE:20260101", "BEGIN:VALARM"], 7, "END:VEVENT has no BEGIN: the open component is BEGIN:VALARM of line 6", "END:VALARM first"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_event_is_reported_with_its_line_and_what_is_right(refused, lines, line, said, right):
    [(at, message, hint)] = refused(ics(event(*lines)))
    assert said in message
    assert right in hint
    assert at == line


def test_everything_wrong_is_reported_at_once(refused):
    text = ics(event("DTSTART;VALUE=DATE:20260230"), event("UID:2", "SUMMARY:Party"), event(*NEW_YEAR))
    assert [line for line, _, _ in refused(text)] == [5, 7]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "not an iCalendar file"),
        ("<html>\n</html>\n", 1, "not an iCalendar file"),
        ("BEGIN:VCALENDAR\nEND:VCALENDAR\n", 1, "the file has no event"),
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20260101\n", 2, "has no END:VEVENT"),
        ("BEGIN:VCALENDAR\n" * 20_000, 9, "is the 9th component within another; 8 is the most"),
        ("BEGIN:VCALENDAR\nEND:VCALENDAR\nEND:VCALENDAR\n", 3, "has no BEGIN: nothing is open"),
    ],
)
def test_a_file_that_is_none_or_not_whole_is_refused(refused, text, line, said):
    [(at, message, hint)] = refused(text)
    assert (at, said in message) == (line, True)
    assert hint


def test_lines_may_be_folded_and_a_broken_property_that_says_no_time_does_no_harm(applied):
    text = ics(event("DTSTART;VALUE=DA", " TE:20260101", "SUMMARY:a long", "  summary", "GEO:nowhere", "X-THING:1"))
    assert applied(text)["dates"] == ["2026-01-01"]


def test_several_calendars_in_one_file_are_one(applied):
    text = ics(event("DTSTART;VALUE=DATE:20260101")) + ics(event("DTSTART;VALUE=DATE:20260102"))
    assert applied(text)["dates"] == ["2026-01-01", "2026-01-02"]


def test_without_the_extra_tools_an_icalendar_file_says_what_to_install(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "minutehand.tools.icalendar.blocked_times", raising=False)
    monkeypatch.setitem(sys.modules, "icalendar", None)
    Path("x.ics").write_text(ics(event("DTSTART;VALUE=DATE:20261225")), encoding="utf-8", newline="")
    result = cli("calendar", "apply", "x.ics")
    assert result.exit_code == 2
    assert "iCalendar files need the extra `tools`, which is not installed" in result.stderr
    assert "hint: pip install 'minutehand[cli,tools]'" in result.stderr
