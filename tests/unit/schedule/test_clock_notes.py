"""Notes of a preview about clock changes, in every dialect."""

from datetime import UTC, datetime, timedelta

import pytest

from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.clock_notes import clock_notes
from tests.unit.schedule.oracle import random_job, seeded

NEW_YORK, LONDON, LORD_HOWE = "America/New_York", "Europe/London", "Australia/Lord_Howe"
SAO_PAULO, APIA = "America/Sao_Paulo", "Pacific/Apia"
SPRING = "the clocks jump from 02:00 to 03:00"
AUTUMN = "the clocks go back from 02:00 to 01:00"
HOWE = "the clocks jump from 02:00 to 02:30"
DAY = "the clocks jump from 2011-12-30 00:00 to 2011-12-31 00:00"
MIDNIGHT = "the clocks jump from 00:00 to 01:00"
SATURDAY = "the clocks go back from 2018-02-18 00:00 to 2018-02-17 23:00"

# schedule, zone, a day before the change: {dialect: {instant: note}}; a skipped time has a - before its instant
EVERY = ("vixie", "robfig", "eventbridge")
ROWS = [
    ("30 2 * * *", NEW_YORK, "2026-03-07T12:00", {
        "vixie": {"2026-03-08T07:00": f"{SPRING}: 02:30 does not exist, so it runs at 03:00"},
        "robfig": {"-2026-03-08T07:00": f"skipped: {SPRING}, so 02:30 does not exist"},
        "eventbridge": {"-2026-03-08T07:00": f"skipped: {SPRING}, so 02:30 does not exist"},
    }),
    ("30 1 * * *", NEW_YORK, "2026-10-31T12:00", {
        "vixie": {
            "2026-11-01T05:30": f"first of two passes: {AUTUMN}",
            "-2026-11-01T06:30": f"skipped: {AUTUMN}, and 01:30 runs only in the first pass",
        },
        "robfig": {
            "2026-11-01T05:30": f"first of two passes: {AUTUMN}",
            "2026-11-01T06:30": f"second pass: {AUTUMN}",
        },
        "eventbridge": {
            "2026-11-01T05:30": f"first of two passes: {AUTUMN}",
            "-2026-11-01T06:30": f"skipped: {AUTUMN}, and 01:30 runs only in the first pass",
        },
    }),
    ("*/30 2 * * *", NEW_YORK, "2026-03-07T12:00", {
        name: {"-2026-03-08T07:00": f"skipped: {SPRING}, so 02:00 and 02:30 do not exist"} for name in EVERY
    }),
    ("0 2,3 * * *", NEW_YORK, "2026-03-07T12:00", {
        "vixie": {"2026-03-08T07:00": f"{SPRING}: 02:00 does not exist, so it runs at 03:00, merged with the run due then"},
        "robfig": {
            "-2026-03-08T07:00": f"skipped: {SPRING}, so 02:00 does not exist",
        },
    }),
    ("0,20,40 1 * * *", LONDON, "2026-03-28T12:00", {
        "vixie": {
            "2026-03-29T01:00": "the clocks jump from 01:00 to 02:00: 01:00, 01:20 and 01:40 do not exist, so they run once, at 02:00"
        },
        "eventbridge": {
            "-2026-03-29T01:00": "skipped: the clocks jump from 01:00 to 02:00, so 01:00, 01:20 and 01:40 do not exist",
        },
    }),
    ("0 12 * * *", LONDON, "2026-03-28T13:00", {
        name: {"2026-03-29T11:00": "after the clocks go forward on 2026-03-29"} for name in EVERY
    }),
    ("0 12 * * *", LONDON, "2026-10-24T13:00", {"vixie": {"2026-10-25T12:00": "after the clocks go back on 2026-10-25"}}),
    ("15 2 * * *", LORD_HOWE, "2026-10-03T00:00", {
        "vixie": {"2026-10-03T15:30": f"{HOWE}: 02:15 does not exist, so it runs at 02:30"},
        "robfig": {"-2026-10-03T15:30": f"skipped: {HOWE}, so 02:15 does not exist"},
        "eventbridge": {"-2026-10-03T15:30": f"skipped: {HOWE}, so 02:15 does not exist"},
    }),
    ("0 0 * * *", SAO_PAULO, "2018-11-03T12:00", {
        "vixie": {"2018-11-04T03:00": f"{MIDNIGHT}: 00:00 does not exist, so it runs at 01:00"},
        "robfig": {"-2018-11-04T03:00": f"skipped: {MIDNIGHT}, so 00:00 does not exist"},
        "eventbridge": {"-2018-11-04T03:00": f"skipped: {MIDNIGHT}, so 00:00 does not exist"},
    }),
    ("59 23 * * *", SAO_PAULO, "2018-02-17T12:00", {
        "vixie": {
            "2018-02-18T01:59": f"first of two passes: {SATURDAY}",
            "-2018-02-18T02:59": f"skipped: {SATURDAY}, and 2018-02-17 23:59 runs only in the first pass",
        },
        "robfig": {
            "2018-02-18T01:59": f"first of two passes: {SATURDAY}",
            "2018-02-18T02:59": f"second pass: {SATURDAY}",
        },
    }),
    ("0 12 * * *", APIA, "2011-12-29T12:00", {
        name: {"-2011-12-30T10:00": f"skipped: {DAY}, so 2011-12-30 12:00 does not exist"} for name in EVERY
    }),
    ("15 30 2 * * *", NEW_YORK, "2026-03-07T12:00", {
        "vixie": {"2026-03-08T07:00": f"{SPRING}: 02:30:15 does not exist, so it runs at 03:00"},
    }),
    ("cron(* 1 * * ? *)", NEW_YORK, "2026-11-01T05:58", {
        "eventbridge": {
            "2026-11-01T05:59": f"first of two passes: {AUTUMN}",
            "-2026-11-01T06:00": f"skipped: {AUTUMN}, and 60 times from 01:00 to 01:59 run only in the first pass",
        },
    }),
    ("at(2026-03-08T02:30:00)", NEW_YORK, "2026-03-07T12:00", {
        "vixie": {"2026-03-08T07:00": f"{SPRING}: 02:30 does not exist, so it runs at 03:00"},
    }),
    ("at(2026-11-01T01:30:00)", NEW_YORK, "2026-10-31T12:00", {
        "eventbridge": {"2026-11-01T05:30": f"first of two passes: {AUTUMN}"},
    }),
    ("@every 12h", LONDON, "2026-03-28T12:00", {"vixie": {"2026-03-29T12:00": "after the clocks go forward on 2026-03-29"}}),
    ("0 12 * * *", "Asia/Kolkata", "2026-03-07T12:00", {"vixie": {}}),
    ("@manual", NEW_YORK, "2026-03-07T12:00", {"vixie": {}}),
]  # fmt: skip


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def noted(schedule: Schedule, start: datetime, end: datetime):
    return clock_notes(schedule, start, end, schedule.between(start, end, 100_000))


@pytest.mark.parametrize(
    ("text", "zone", "start", "dialect", "expected"),
    [(text, zone, start, dialect, notes) for text, zone, start, each in ROWS for dialect, notes in each.items()],
)
def test_notes_around_a_clock_change(text, zone, start, dialect, expected):
    found = noted(Schedule.parse(text, zone, dialect), utc(start), utc(start) + timedelta(hours=36))
    assert {f"{'-' if note.skipped else ''}{note.at:%Y-%m-%dT%H:%M}": note.text for note in found} == expected


def test_note_about_skipped_times_has_the_first_local_time_and_their_number():
    start = utc("2026-03-07T12:00")
    [note] = noted(Schedule.parse("*/15 2 * * *", NEW_YORK), start, start + timedelta(days=1))
    assert (note.skipped, note.times, note.timezone) == (datetime(2026, 3, 8, 2), 4, NEW_YORK)  # noqa: DTZ001 - a wall time
    assert note.text.endswith("so 4 times from 02:00 to 02:45 do not exist")


def test_note_about_joined_texts_names_the_text_and_the_time_zone():
    joined = Schedule.parse(["0 9 * * *", f"TZ={NEW_YORK} 30 2 * * *"], LONDON, "robfig")
    start = utc("2026-03-07T12:00")
    [note] = noted(joined, start, start + timedelta(days=1))
    assert note.timezone == NEW_YORK
    assert note.text == (
        "skipped: the clocks of America/New_York jump from 02:00 to 03:00, so 02:30 does not exist (TZ=America/New_York 30 2 * * *)"
    )


def test_skipped_second_pass_is_noted_if_the_span_starts_within_it():
    schedule = Schedule.parse("0,15,30 1 * * *", NEW_YORK, "eventbridge")
    [note] = noted(schedule, utc("2026-11-01T06:10"), utc("2026-11-01T06:20"))
    assert (note.at, note.times) == (utc("2026-11-01T06:15"), 1)


def test_clock_change_outside_the_span_has_no_note():
    schedule = Schedule.parse("30 2 * * *", NEW_YORK, "robfig")
    assert noted(schedule, utc("2026-03-08T07:00"), utc("2026-03-09T06:30")) == ()
    assert noted(schedule, utc("2026-03-07T07:30"), utc("2026-03-08T06:59")) == ()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("zone", "change"),
    [
        (NEW_YORK, "2026-03-08T07:00"),
        (NEW_YORK, "2026-11-01T06:00"),
        (LONDON, "2026-03-29T01:00"),
        (LONDON, "2026-10-25T01:00"),
        (LORD_HOWE, "2026-04-04T15:00"),
        (LORD_HOWE, "2026-10-03T15:30"),
        (SAO_PAULO, "2018-02-18T02:00"),
        (SAO_PAULO, "2018-11-04T03:00"),
        (APIA, "2011-12-30T10:00"),
    ],
)
def test_notes_match_the_differences_between_dialects(zone, change):
    random = seeded(int(change[:4]))
    start, end = utc(change) - timedelta(hours=26), utc(change) + timedelta(hours=26)
    for _ in range(100):
        text = random_job(random).text
        try:
            vixie, robfig, eventbridge = (Schedule.parse(text, zone, dialect) for dialect in EVERY)
        except ScheduleError:  # a date that does not exist
            continue
        by_vixie, by_robfig, by_eventbridge = (
            set(schedule.between(start, end, 100_000)) for schedule in (vixie, robfig, eventbridge)
        )
        skipped = [note for note in noted(eventbridge, start, end) if note.skipped]
        passes = [note for note in skipped if "only in the first pass" in note.text]
        assert sum(note.times for note in passes) == len(by_robfig - by_eventbridge), text
        assert {note.at for note in passes} <= by_robfig - by_eventbridge
        gaps = {note.at for note in noted(robfig, start, end) if note.skipped}
        assert gaps == {note.at for note in skipped} - {note.at for note in passes}, text
        if vixie.parts[0].timing.either_day == robfig.parts[0].timing.either_day:
            late = {note.at for note in noted(vixie, start, end) if "not exist, so" in note.text and not note.skipped}
            assert by_vixie - by_robfig <= late <= by_vixie, text
            assert late <= gaps
