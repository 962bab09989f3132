"""Values on the command line that click has no type for."""

import re
from datetime import UTC, datetime
from typing import Any

import click

_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


class Duration(click.ParamType[float]):
    """A duration such as `90s` or `1h30m`, converted to seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds, more than 0."""
        if isinstance(value, int | float):
            return float(value)
        parts = re.findall(r"([0-9]{1,9})([dhms])", str(value), re.ASCII)
        if "".join(number + unit for number, unit in parts) != value or not parts:
            self.fail(
                f"{value!r} is not a duration; write whole numbers with units, such as 90s, 5m or 1h30m", param, ctx
            )
        seconds = sum(int(number) * _SECONDS[unit] for number, unit in parts)
        if seconds == 0:
            self.fail(f"{value!r} is no time at all; it must be at least 1s", param, ctx)
        return float(seconds)


class Instant(click.ParamType[datetime]):
    """An instant in RFC 3339 form, with its offset, converted to an aware UTC datetime."""

    name = "instant"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The instant in UTC."""
        if isinstance(value, datetime):
            return value
        teach = "write it with its offset, such as 2026-11-20T09:00:00Z or 2026-11-20T18:00:00+09:00"
        try:
            instant = datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is not an instant; {teach}", param, ctx)
        if instant.tzinfo is None:
            self.fail(f"{value!r} leaves open which time zone is meant; {teach}", param, ctx)
        try:
            return instant.astimezone(UTC)
        except OverflowError:
            self.fail(f"{value!r} is outside the years 1 to 9999", param, ctx)


class Header(click.ParamType[tuple[str, str]]):
    """An HTTP header such as `X-Request-Source: cron`, converted to its name and value."""

    name = "'NAME: VALUE'"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The name and the value, without blanks around them."""
        if isinstance(value, tuple):
            return value
        name, colon, text = str(value).partition(":")
        if not colon or not name.strip():
            self.fail(f"{value!r} is not a header; write its name, a colon and its value: 'X-Source: cron'", param, ctx)
        return name.strip(), text.strip()
