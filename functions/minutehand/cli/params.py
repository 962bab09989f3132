"""Parameter types for click."""

import functools
import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_LONGEST_WAIT = 100 * 365 * 86_400
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


def files_argument(meaning: str, *, required: bool = False) -> Callable[[F], F]:
    """Add `files`, given as arguments or with `-f`."""

    def taking(run: F) -> F:
        @functools.wraps(run)
        def merged(*given: Any, files: tuple[str, ...], named: tuple[str, ...], **others: Any) -> Any:
            if required and not (named or files):
                raise click.UsageError("no file given: name a file, a folder, or - for stdin")
            return run(*given, files=(*named, *files), **others)

        option = click.option("-f", "--file", "named", multiple=True, metavar="FILE|DIR", help=meaning)
        return click.argument("files", nargs=-1, metavar="[FILE|DIR|-]...")(option(merged))  # type: ignore[return-value]  # the same function to click

    return taking


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
            self.fail(f"{value!r} is too short; the minimum is 1s", param, ctx)
        return float(seconds)


class CallTime(click.ParamType[float]):
    """A duration such as `300ms` or `2s`, converted to seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds, more than 0."""
        if isinstance(value, int | float):
            return float(value)
        milliseconds = re.fullmatch(r"([1-9][0-9]{0,8})ms", str(value), re.ASCII)
        return int(milliseconds[1]) / 1000 if milliseconds else Duration().convert(value, param, ctx)


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
            self.fail(f"{value!r} has no time zone; {teach}", param, ctx)
        try:
            return instant.astimezone(UTC)
        except OverflowError:
            self.fail(f"{value!r} is outside the years 1 to 9999", param, ctx)


class InstantOrWait(click.ParamType[datetime | timedelta]):
    """An instant in whole seconds (see `Instant`), or a duration from now (see `Duration`)."""

    name = "when"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime | timedelta:
        """The instant in UTC, or the duration."""
        if isinstance(value, datetime | timedelta):
            return value
        if re.fullmatch(r"(?:[0-9]+[dhms])+", str(value), re.ASCII):
            seconds = Duration().convert(value, param, ctx)
            if seconds > _LONGEST_WAIT:
                self.fail(f"{value!r} is longer than a hundred years; write a nearer end, or omit it", param, ctx)
            return timedelta(seconds=seconds)
        instant = Instant().convert(value, param, ctx)
        if instant.microsecond:
            self.fail(f"{value!r} has a fraction of a second; write whole seconds", param, ctx)
        return instant


class JsonValue(click.ParamType[tuple[Any]]):
    """A JSON value as text, in a file (`@file`) or from stdin (`-`); in a tuple, which tells `null` from a missing option."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any]:
        """The value in a tuple."""
        if isinstance(value, tuple):
            return value
        source, text = self._read(value, param, ctx)

        def refuse(constant: str) -> NoReturn:
            self.fail(f"{source} is not JSON: {constant} is not a JSON value; write null or a string", param, ctx)

        try:
            return (json.loads(text, parse_constant=refuse),)
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, column {error.colno}"
            teach = "write a value such as '{\"day\": 1}', @FILE, or - for stdin"
            self.fail(f"{source} is not JSON: {where}: {error.msg}; {teach}", param, ctx)
        except RecursionError:
            self.fail(f"{source} is nested too deeply", param, ctx)

    def _read(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if value != "-" and not value.startswith("@"):
            return repr(value[:60]), value
        source = "stdin" if value == "-" else value[1:]
        try:
            stdin: BinaryIO = sys.stdin.buffer
            raw = stdin.read() if value == "-" else Path(source).read_bytes()
            return source, raw.decode()
        except OSError as error:
            self.fail(f"{source} cannot be read: {error.strerror}", param, ctx)
        except UnicodeDecodeError:
            self.fail(f"{source} is not UTF-8 text", param, ctx)


class Header(click.ParamType[tuple[str, str]]):
    """An HTTP header such as `X-Request-Source: cron`, converted to its name and value."""

    name = "'NAME: VALUE'"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The name and the value, stripped."""
        if isinstance(value, tuple):
            return value
        name, colon, text = str(value).partition(":")
        if not colon or not name.strip():
            self.fail(f"{value!r} is not a header; write its name, a colon and its value: 'X-Source: cron'", param, ctx)
        return name.strip(), text.strip()
