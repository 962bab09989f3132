from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from minutehand.domain.instants import floor, from_compact, from_text, to_compact, to_text
from tests.unit.domain.examples import at

TOKYO = timezone(timedelta(hours=9))


def test_an_instant_is_written_in_utc_and_read_back() -> None:
    instant = datetime(2026, 11, 20, 18, 0, 5, tzinfo=TOKYO)
    assert to_text(instant) == "2026-11-20T09:00:05Z"
    assert from_text("2026-11-20T09:00:05Z") == instant


def test_both_passes_through_a_repeated_hour_are_told_apart() -> None:
    first = datetime(2026, 11, 1, 1, 30, tzinfo=ZoneInfo("America/New_York"))
    second = first.replace(fold=1)
    assert (to_text(first), to_text(second)) == ("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z")
    assert (to_compact(first), to_compact(second)) == ("20261101T053000Z", "20261101T063000Z")


def test_milliseconds_are_written_only_where_there_are_some() -> None:
    assert to_text(at("09:00:00.250")) == "2026-11-20T09:00:00.250Z"
    assert from_text("2026-11-20T09:00:00.250Z") == at("09:00:00.250")


def test_an_offset_is_turned_into_utc() -> None:
    read = from_text("2026-11-20T18:00:00+09:00")
    assert (read, read.tzinfo) == (at("09:00"), UTC)


@pytest.mark.parametrize("text", ["2026-11-20T09:00:00", "2026-11-20"])
def test_a_text_without_an_offset_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="has no offset; end it with Z"):
        from_text(text)


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01T00:00:00Z", "2026-11-20T24:30:00Z"])
def test_a_text_that_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words are Python's
        from_text(text)


def test_a_naive_datetime_is_not_written() -> None:
    with pytest.raises(ValueError, match=r"naive datetime .* give an aware one"):
        to_text(datetime(2026, 11, 20, 9))  # noqa: DTZ001 - that is the point


def test_floor_drops_what_is_below_a_second() -> None:
    assert floor(at("09:00:00.999")) == at("09:00")
    assert floor(at("09:00")) == at("09:00")


def test_a_compact_text_is_read_back() -> None:
    assert to_compact(at("09:00:05")) == "20261120T090005Z"
    assert to_compact(datetime(2026, 11, 20, 18, 0, 5, tzinfo=TOKYO)) == "20261120T090005Z"
    assert from_compact("20261120T090005Z") == at("09:00:05")


@pytest.mark.parametrize(
    "text", ["", "20261120T090000", "2026-11-20T09:00:00Z", "20261120T090000Z~trigger-1", "2026112T90000Z"]
)
def test_a_text_that_is_not_compact_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not of the form"):
        from_compact(text)


def test_an_instant_outside_the_years_1_to_9999_is_refused() -> None:
    with pytest.raises(ValueError, match="years 1 to 9999"):
        from_text("0001-01-01T00:00:00+01:00")
    with pytest.raises(ValueError, match="naive"):
        to_compact(datetime(2026, 11, 20, 9))  # noqa: DTZ001 - naive on purpose
