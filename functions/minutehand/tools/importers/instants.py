"""Instants and one-time schedules, from the forms in which exports write them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from minutehand.domain.instants import ceiling, floor, to_text
from minutehand.schedule import Schedule

_EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)
_LATEST = datetime(2199, 12, 30, tzinfo=UTC)


def read_instant(value: Any, timezone: str = "UTC") -> datetime:
    """An instant in ISO 8601, or in seconds since 1970, in UTC. timezone: of a text without an offset.

    Raises ValueError or TypeError for anything else, and for years that no schedule may name.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        found = datetime.fromtimestamp(value, UTC)
    elif not isinstance(value, str):
        raise TypeError(f"{value!r:.60} is no instant")
    else:
        found = datetime.fromisoformat(value.strip())
        found = _in_zone(found, timezone) if found.tzinfo is None else found.astimezone(UTC)
    if not _EARLIEST <= found <= _LATEST:
        raise ValueError("the year is out of range")
    return found


def start_text(instant: datetime) -> str:
    """The first whole second at or after an instant, as `start_at` writes it."""
    return to_text(ceiling(instant))


def end_text(instant: datetime) -> str:
    """The last whole second at or before an instant, as `end_at` writes it."""
    return to_text(floor(instant))


def phase(instant: datetime, period: timedelta) -> str:
    """The earliest instant from which an interval of this length names `instant` too: the same for each export of one entry."""
    since = floor(instant) - _EARLIEST
    return to_text(_EARLIEST + since % period)


def once(instant: datetime) -> str:
    """The schedule of a single instant, for a job in UTC."""
    return f"at({ceiling(instant):%Y-%m-%dT%H:%M:%S})"


def _in_zone(local: datetime, timezone: str) -> datetime:
    before = local.replace(tzinfo=UTC, microsecond=0) - timedelta(days=2)
    whole = Schedule.parse(f"at({local:%Y-%m-%dT%H:%M:%S})", timezone).next(before)
    if whole is None:
        raise ValueError("the clocks jump over this time")
    return whole.replace(microsecond=local.microsecond)
