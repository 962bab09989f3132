from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0s", 0),
        ("90s", 90),
        ("5m", 300),
        ("1h30m", 5400),
        ("1h30m10s", 5410),
        ("7d", 604_800),
        ("2w", 1_209_600),
        ("007s", 7),
        ("30m1h", 5400),
        ("1s1s", 2),
    ],
)
def test_a_duration_is_the_sum_of_its_parts(text: str, seconds: int) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing is no duration, not zero"),
        ("90", "a number without a unit leaves open which one"),
        ("m", "a unit without a number"),
        ("1.5h", "whole numbers only"),
        ("-5m", "no duration is negative"),
        ("+5m", "no signs"),
        ("1h 30m", "no blanks between"),
        (" 1h", "no blanks before"),
        ("1h\n", "nor a line's end"),
        ("5M", "units are small letters: M could be a month"),
        ("1y", "a year has no fixed length"),
        ("500ms", "schedules know whole seconds"),
        ("1h30", "each number has a unit"),
        ("\uff11s", "digits of other alphabets"),
        ("1234567890s", "ten digits are a slip, not a duration"),
    ],
)
def test_a_text_that_is_no_duration_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="write whole numbers with units, such as 90s") as refused:
        parse_duration(text)
    assert repr(text) in str(refused.value), "says what it was given"


@pytest.mark.parametrize("text", ["999999999w", "999999999d999999999d"])
def test_a_duration_that_no_calendar_holds_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is longer than a duration can be"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59, "59s"), (60, "1m"), (5410, "1h30m10s"), (86_400, "1d"), (604_800, "7d"), (90_061, "1d1h1m1s")],
)
def test_a_duration_is_written_from_days_down_without_empty_parts(seconds: int, text: str) -> None:
    assert format_duration(timedelta(seconds=seconds)) == text
    assert parse_duration(text) == timedelta(seconds=seconds)


def test_fractions_of_a_second_are_not_written() -> None:
    assert format_duration(timedelta(seconds=61, milliseconds=900)) == "1m1s"
