"""Query parameters and bodies with instants."""

from datetime import UTC, datetime, timedelta


def question(*, at: datetime | None, start: datetime | None, end: datetime | None) -> dict[str, str]:
    """The query that asks for an explanation."""
    given = {"at": at, "from": start, "to": end}
    return {name: utc_text(instant) for name, instant in given.items() if instant is not None}


def utc_text(instant: datetime) -> str:
    """An aware datetime as the API takes it. Raises ValueError for a naive one."""
    if instant.tzinfo is None:
        raise ValueError(f"{instant.isoformat()} has no time zone; pass an aware datetime")
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def whole_seconds(instant: datetime) -> str:
    """As `utc_text`, for what takes no fractions: the first whole second that is not before the instant."""
    rest = timedelta(microseconds=-instant.microsecond % 1_000_000)
    return utc_text(instant + rest)
