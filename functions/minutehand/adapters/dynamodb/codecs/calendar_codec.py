"""Calendars as items of the Jobs table. Dates and periods are delta-encoded: 5,000 take at most 100 KB."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import chain
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.items import NEEDS, check_needs, typed, untyped
from minutehand.adapters.dynamodb.codecs.values import instant, number, read_instant, read_number, read_text, text
from minutehand.domain.calendar import Calendar, CalendarKey, DateRange, Period, Weekly
from minutehand.domain.instants import SECOND

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

USED_BY = "used_by"
"""The attribute with the number of jobs that name a calendar; absent for none."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KNOWN = frozenset(
    (
        *("pk", "sk", NEEDS, USED_BY, "description", "blocked_dates", "blocked_weekly", "blocked_periods"),
        *("revision", "updated_at", "updated_by"),
    )
)


def encode(calendar: Calendar) -> Item:
    """The item of a calendar, without `used_by`."""
    dates = ((first.toordinal(), last.toordinal()) for first, last in calendar.dates)
    periods = (((start - _EPOCH) // SECOND, (end - _EPOCH) // SECOND) for start, end in calendar.periods)
    return {
        **keys.calendar(calendar.key),
        **{name: typed(value) for name, value in calendar.unknown.items()},
        "description": text(calendar.description),
        "blocked_dates": text(_json(_steps(dates))),
        "blocked_weekly": text(_json(calendar.weekly)),
        "blocked_periods": text(_json(_steps(periods))),
        "revision": number(calendar.revision),
        "updated_at": instant(calendar.updated_at),
        "updated_by": text(calendar.updated_by),
    }


def decode(item: ReadItem) -> Calendar:
    """The calendar of an item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    check_needs(item, Calendar)
    return Calendar(
        key=CalendarKey(
            namespace=read_text(item, "pk").partition("#")[2], name=read_text(item, "sk").removeprefix(keys.CALENDAR)
        ),
        description=read_text(item, "description"),
        dates=tuple(
            DateRange(date.fromordinal(first), date.fromordinal(last))
            for first, last in _spans(json.loads(read_text(item, "blocked_dates")))
        ),
        weekly=tuple(Weekly(*rule) for rule in json.loads(read_text(item, "blocked_weekly"))),
        periods=tuple(
            Period(_EPOCH + start * SECOND, _EPOCH + end * SECOND)
            for start, end in _spans(json.loads(read_text(item, "blocked_periods")))
        ),
        revision=read_number(item, "revision"),
        updated_at=read_instant(item, "updated_at"),
        updated_by=read_text(item, "updated_by"),
        users=read_number(item, USED_BY) if USED_BY in item else 0,
        unknown={name: untyped(value) for name, value in item.items() if name not in _KNOWN},
    )


def _json(value: Sequence[object]) -> str:
    return json.dumps(value, separators=(",", ":"))


def _steps(spans: Iterable[tuple[int, int]]) -> list[int]:
    """The difference of each start and end from the value before it; the first counts from 0."""
    last, steps = 0, []
    for value in chain.from_iterable(spans):
        steps.append(value - last)
        last = value
    return steps


def _spans(steps: Sequence[int]) -> Iterator[tuple[int, int]]:
    end = 0
    for gap, length in zip(steps[::2], steps[1::2], strict=True):
        end += gap + length
        yield end - length, end
