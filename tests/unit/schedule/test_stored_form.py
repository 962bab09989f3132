"""The stored form of schedules, and schedules as values."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from zlib import crc32

import pytest

from minutehand.schedule import Schedule, ScheduleError
from tests.unit.schedule.oracle import utc


def sealed(body):
    return f"{body}|{crc32(body.encode()):08x}"


def test_stored_form_is_stable():
    body = "1|vixie|America/New_York|c1.1.200.*.*.3e.|0 9 * * 1-5"
    assert Schedule.parse("0 9 * * 1-5", timezone="America/New_York").encode() == sealed(body)
    assert Schedule.parse("@every 90s").encode() == sealed("1|vixie|UTC|i90.0|@every 90s")
    assert Schedule.parse("*/30 0 0 13 * 5").encode() == sealed(
        "1|vixie|UTC|c40000001.1.1.2000.*.20.er|*/30 0 0 13 * 5"
    )


@pytest.mark.parametrize(
    "text",
    [
        "* * * * * *",
        "@hourly",
        "*/7 1-5,9 1,15 JAN-JUN MON",
        "7-59/11 */3 * * 1-5",
        "0 9 LW,15W * MON#1,5L",
        "@after 90s",
    ],
)
def test_usual_crontabs_are_stored_in_less_than_200_characters(text):
    schedule = Schedule.parse(text, timezone="America/Argentina/ComodRivadavia")
    stored = schedule.encode()
    assert len(stored) < 200
    again = Schedule.decode(stored)
    assert again == schedule
    assert hash(again) == hash(schedule)
    assert (again.text, again.timezone, again.dialect) == (text, "America/Argentina/ComodRivadavia", "vixie")
    assert again.encode() == stored


def test_joined_texts_are_stored_with_their_own_zones_and_dialects():
    texts = ("CRON_TZ=Asia/Tokyo 0 9 * * MON", "cron(0 12 LW * ? 2027-2030)", "at(2027-01-01T00:00:00)", "rate(1 hour)")
    joined = Schedule.parse(texts, timezone="Europe/Paris")
    again = Schedule.decode(joined.encode())
    assert again == joined
    assert (again.text, again.timezone, again.dialect) == (texts, "Europe/Paris", None)
    assert [(part.timezone, part.dialect) for part in again.parts] == [
        ("Asia/Tokyo", "vixie"),
        *[("Europe/Paris", "eventbridge")] * 3,
    ]


def test_any_damaged_character_is_detected():
    stored = Schedule.parse("0 9 * * 1-5", timezone="America/New_York").encode()
    for position in range(len(stored)):
        for damaged in (
            stored[:position] + stored[position + 1 :],
            stored[:position] + "7é"[stored[position] == "7"] + stored[position + 1 :],
        ):
            with pytest.raises(ScheduleError):
                Schedule.decode(damaged)


@pytest.mark.parametrize(
    "body",
    [
        "2|vixie|UTC|c1.1.200.*.*.*.|0 9 * * *",  # a later version
        "1|vixie|UTC|c1.1.200.*.*.*.",  # a field short
        "1|vixie|UTC|c1.1.200.*.*.*.|0 9 * * *|more",
        "1|vixie|UTC|c1.1.200.*.*.|0 9 * * *",  # a mask short
        "1|vixie|UTC|c1.1.0.*.*.*.|0 9 * * *",  # no hour
        "1|vixie|UTC|c1.1.1000000.*.*.*.|0 9 * * *",  # hour 24
        "1|vixie|UTC|c1.1.200.*.*.*.x|0 9 * * *",  # an unknown flag
        "1|vixie|UTC|c1.1.-1.*.*.*.|0 9 * * *",
        "1|vixie|UTC|i0.0|@every 0s",
        "1|vixie|UTC|i90|@every 90s",
        "1|vixie|UTC|m1|@manual",
        "1|vixie|UTC|z1|@manual",
        "1|vixie|UTC|d0|@after 0s",
        "1|vixie|UTC|o|at(2026-12-01T09:00:00)",
        "1|vixie|UTC|c1.1.200.0.*.*.|0 9 L * *",  # no day, and no special day in its place
        "1|vixie|UTC|c1.1.200.0.*.*.;f20|0 9 L * *",
        "1|vixie|UTC|c1.1.200.*.*.0.;nfffffffff|0 9 * * MON#1",
        "1|vixie|UTC|c1.1.200.*.*.*.;y0|cron(0 9 * * ? 2026)",
        "1+|vixie|UTC|vixie|UTC|c1.1.200.*.*.*.|0 9 * * *",  # one is not several
        "1+|vixie|UTC",
        "1|vixie|UTC||",
        "1|quartz|UTC|i90.0|@every 90s",
        "1|vixie|Mars/Olympus|i90.0|@every 90s",
    ],
)
def test_stored_form_with_a_valid_checksum_and_invalid_content_is_refused(body):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.decode(sealed(body))
    assert refusal.value.hint


@pytest.mark.parametrize("text", ["", "|", "0 9 * * *", "\ud800|x", None, 5, "1|" * 100_000])
def test_value_that_is_not_a_stored_form_is_refused(text):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.decode(text)
    assert refusal.value.field == "schedule"
    assert "save the job again" in refusal.value.hint


def test_schedule_is_a_frozen_value():
    schedule = Schedule.parse("0 9 * * *", timezone="Asia/Tokyo")
    assert {schedule, Schedule.parse("0 9 * * *", timezone="Asia/Tokyo")} == {schedule}
    assert schedule != Schedule.parse("0 9 * * *", timezone="Asia/Seoul")
    assert schedule != Schedule.parse("0 9 * * MON", timezone="Asia/Tokyo")
    with pytest.raises(FrozenInstanceError):
        schedule.text = "0 10 * * *"
    assert not hasattr(schedule, "__dict__")


def test_schedules_and_errors_can_be_copied_and_pickled():
    schedule = Schedule.parse("0 9 * * *", timezone="Asia/Tokyo")
    assert pickle.loads(pickle.dumps(schedule)) == schedule  # noqa: S301 - our own bytes
    assert copy.deepcopy(schedule).next(utc("2026-11-20T11:00")) == utc("2026-11-21T00:00")
    error = ScheduleError("wrong", field="minute", column=3, hint="right")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (again.message, again.field, again.column, again.hint) == ("wrong", "minute", 3, "right")
