"""Instants and durations as text."""

from datetime import UTC, datetime

from minutehand.cli.zone import zone_of

_UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def parse_instant(text: str) -> datetime:
    """Parse RFC 3339 to an aware UTC datetime. Raises ValueError, also for a text without offset."""
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError(f"{text!r} has no offset from UTC")
    return instant.astimezone(UTC)


def rfc3339(instant: datetime) -> str:
    """The instant in UTC, whole seconds: `2026-11-20T09:00:00Z`."""
    return f"{instant.astimezone(UTC).isoformat()[:19]}Z"


def in_utc(text: str | None) -> str:
    """An RFC 3339 instant as `2026-11-20 09:00:00`; a dash for None; other text unchanged."""
    if not text:
        return "-"
    try:
        return f"{parse_instant(text):%Y-%m-%d %H:%M:%S}"
    except ValueError:
        return text


def local(instant: datetime, timezone: str) -> str:
    """The local time in the zone, with weekday and offset: `Fri 2026-11-20 18:00:00 +09:00`.

    Uses the pinned time zone data of the schedules, since the system's may differ; an unknown zone is shown as UTC.
    """
    return _on_the_wall(instant.astimezone(zone_of(timezone)))


def wall(text: str) -> str:
    """A local RFC 3339 time in the form of `local`, without an offset if it has none; other text unchanged."""
    try:
        return _on_the_wall(datetime.fromisoformat(text))
    except ValueError:
        return text


def _on_the_wall(shown: datetime) -> str:
    offset = shown.strftime("%z")
    return f"{shown:%a %Y-%m-%d %H:%M:%S}" + (f" {offset[:3]}:{offset[3:5]}" if offset else "")


def local_rfc3339(instant: datetime, timezone: str) -> str:
    """The local time in RFC 3339: `2026-11-20T18:00:00+09:00`."""
    return instant.astimezone(zone_of(timezone)).isoformat()


def milliseconds(value: int | float | None) -> str:
    """A duration as options and the API write one, with at most two units: `412ms`, `1.2s`, `12s`, `1m5s`, `2h3m`, `1d4h`; a dash for
    None."""
    if value is None:
        return "-"
    if abs(value) < 999.5:
        return f"{value:.0f}ms"
    seconds = value / 1000
    if abs(seconds) < 9.95:
        return f"{seconds:.1f}s"
    rest, parts = round(seconds), []
    for unit, size in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts[:2])
