"""Instants: aware UTC datetimes, their texts, rounding to whole seconds, and waits that grow."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

SECOND = timedelta(seconds=1)
EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)
"""The earliest instant that a request may name: local times, too, are after the epoch."""
LATEST = datetime(9900, 1, 1, tzinfo=UTC)
"""The latest instant that a request may ask about: occurrences follow it (`occurrence_rule.LAST`)."""
_CACHED = 2_048
"""Entries of each cache. Caching pays since jobs that are due together share a few instants, each formatted many times."""
_COMPACT = "%Y%m%dT%H%M%SZ"
_COMPACT_FORM = re.compile(r"[0-9]{8}T[0-9]{6}Z", re.ASCII)


def floor(instant: datetime) -> datetime:
    """The whole second at or before `instant`."""
    return instant.replace(microsecond=0)


def ceiling(instant: datetime) -> datetime:
    """The whole second at or after `instant`."""
    return instant if not instant.microsecond else floor(instant) + SECOND


def doubling(first: timedelta, longest: timedelta, times: int) -> timedelta:
    """The wait before the next try after this many: none before the first, then `first`, and twice as long each time, up to `longest`."""
    return min(first * 2 ** min(times - 1, 16), longest) if times else timedelta(0)


def to_text(instant: datetime) -> str:
    """RFC 3339 text in UTC: `2026-11-20T09:00:00Z`, with milliseconds unless they are 0.

    Raises:
        ValueError: for a naive datetime.
    """
    return _text(_in_utc(instant))


@lru_cache(maxsize=_CACHED)
def _text(instant: datetime) -> str:
    return instant.isoformat(timespec="milliseconds" if instant.microsecond else "seconds").replace("+00:00", "Z")


def from_text(text: str) -> datetime:
    """The aware UTC datetime of an RFC 3339 text.

    Raises:
        ValueError: when the text is not an instant, or has no offset.
    """
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError(f"{text!r} has no offset; end it with Z for UTC")
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text!r} is outside the years 1 to 9999") from None


def to_compact(instant: datetime) -> str:
    """Compact text of an instant, `20261120T090000Z`: the beginning of run ids.

    Raises:
        ValueError: for a naive datetime.
    """
    return _compact(_in_utc(instant))


@lru_cache(maxsize=_CACHED)
def _compact(instant: datetime) -> str:
    return instant.strftime(_COMPACT)


def _in_utc(instant: datetime) -> datetime:
    """Convert an instant to UTC, for use as a cache key: in other time zones, both passes through a repeated hour compare equal."""
    if instant.tzinfo is UTC:
        return instant
    if instant.tzinfo is None:
        raise ValueError(f"naive datetime {instant!r}; give an aware one, in UTC")
    return instant.astimezone(UTC)


@lru_cache(maxsize=_CACHED)
def from_compact(text: str) -> datetime:
    """The instant of `20261120T090000Z`.

    Raises:
        ValueError: when the text is not of that form.
    """
    if not _COMPACT_FORM.fullmatch(text):
        raise ValueError(f"{text!r} is not of the form 20261120T090000Z")
    return datetime.fromisoformat(text)
