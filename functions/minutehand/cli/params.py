"""Parameter types for click: they parse the given text, and raise BadParameter if it is invalid."""

import functools
import json
import math
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from minutehand.client.calls import DEFAULT_NAMESPACE

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


class Whole(click.IntRange):
    """A whole number within bounds, both included."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of a text. Raises BadParameter that names the bounds."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            bounds = f"of {self.min} or more" if self.max is None else f"from {self.min} to {self.max:,}"
            self.fail(f"{str(value)!r:.60} is not a whole number {bounds}", param, ctx)


class Percentage(click.FloatRange):
    """A percentage, from 0 to 100."""

    def __init__(self) -> None:
        super().__init__(0, 100)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number of a text. Raises BadParameter that names the bounds; also for NaN, which is in no range."""
        try:
            found = super().convert(value, param, ctx)
        except click.BadParameter:
            found = math.nan
        if math.isnan(found):
            message = f"{str(value)!r:.60} is not a percentage; write a number from 0 to 100, without %, such as 2.5"
            self.fail(message, param, ctx)
        return found


def duration(value: str) -> float:
    """The seconds of a duration such as `90s` or `1h30m`, more than 0."""
    parts = re.findall(r"([0-9]{1,9})([dhms])", value, re.ASCII)
    if "".join(number + unit for number, unit in parts) != value or not parts:
        raise click.BadParameter(
            f"{value!r} is not a duration; write whole numbers with units, such as 90s, 5m or 1h30m"
        )
    seconds = sum(int(number) * _SECONDS[unit] for number, unit in parts)
    if seconds == 0:
        raise click.BadParameter(f"{value!r} is too short; the minimum is 1s")
    return float(seconds)


def call_time(value: str) -> float:
    """The seconds of a duration such as `300ms` or `2s`, more than 0."""
    milliseconds = re.fullmatch(r"([1-9][0-9]{0,8})ms", value, re.ASCII)
    return int(milliseconds[1]) / 1000 if milliseconds else duration(value)


def instant(value: str) -> datetime:
    """An instant in RFC 3339 form, with its offset, as an aware UTC datetime."""
    teach = "write it with its offset, such as 2026-11-20T09:00:00Z or 2026-11-20T18:00:00+09:00"
    try:
        given = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not an instant; {teach}") from None
    if given.tzinfo is None:
        raise click.BadParameter(f"{value!r} has no time zone; {teach}")
    try:
        return given.astimezone(UTC)
    except OverflowError:
        raise click.BadParameter(f"{value!r} is outside the years 1 to 9999") from None


def label(value: str) -> tuple[str, str]:
    """The name and the value of a label such as `team=data`."""
    name, equals, text = value.partition("=")
    if not (name and equals):
        raise click.BadParameter(f"{value!r} is not a label; write its name, an equals sign and its value: team=data")
    return name, text


def label_option(meaning: str) -> Callable[[F], F]:
    """Add `--label`, which may be repeated. The function gets `labels`, pairs of name and value."""
    return click.option("-l", "--label", "labels", type=label, multiple=True, metavar="NAME=VALUE", help=meaning)


def interval_options(whose: str) -> Callable[[F], F]:
    """Add `--since` and `--until`, which the function gets as `start` and `end`. whose: what the interval is of."""

    def taking(function: F) -> F:
        until = click.option("--until", "end", type=instant, metavar="WHEN", help=f"End of the interval of {whose}.")
        since = click.option(
            "--since", "start", type=instant, metavar="WHEN", help=f"Start of the interval of {whose}."
        )
        return since(until(function))

    return taking


def namespace_options(function: F) -> F:
    """Add `--namespace` and `--all-namespaces`. The function gets `namespace`: None for all, else the name or the default."""

    @functools.wraps(function)
    def run(*given: Any, namespace: str | None, every: bool, **others: Any) -> Any:
        if every and namespace is not None:
            raise click.UsageError("--all-namespaces and --namespace exclude each other: remove one of them")
        return function(*given, namespace=None if every else namespace or DEFAULT_NAMESPACE, **others)

    all_of = click.option(
        "-A", "--all-namespaces", "every", is_flag=True, help="All namespaces that the token may see."
    )
    one = click.option("-n", "--namespace", help=f"The namespace. [default: {DEFAULT_NAMESPACE}]")
    return one(all_of(run))  # type: ignore[return-value]  # the same function to click


def until_option(function: F) -> F:
    """Add `--until`: an instant in whole seconds (see `instant`), or a duration from now (see `duration`)."""
    meaning = "End the pause automatically: an instant, or a duration from now such as 2h."
    return click.option("--until", type=_instant_or_wait, metavar="WHEN", help=meaning)(function)


def _instant_or_wait(value: str) -> datetime | timedelta:
    if re.fullmatch(r"(?:[0-9]+[dhms])+", value, re.ASCII):
        seconds = duration(value)
        if seconds > _LONGEST_WAIT:
            raise click.BadParameter(f"{value!r} is longer than a hundred years; write a nearer end, or omit it")
        return timedelta(seconds=seconds)
    end = instant(value)
    if end.microsecond:
        raise click.BadParameter(f"{value!r} has a fraction of a second; write whole seconds")
    return end


def json_value(value: str) -> tuple[Any]:
    """A JSON value as text, in a file (`@file`) or from stdin (`-`); in a tuple, which tells `null` from a missing option."""
    source, text = _read(value)

    def refuse(constant: str) -> NoReturn:
        raise click.BadParameter(f"{source} is not JSON: {constant} is not a JSON value; write null or a string")

    try:
        return (json.loads(text, parse_constant=refuse),)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        teach = "write a value such as '{\"day\": 1}', @FILE, or - for stdin"
        raise click.BadParameter(f"{source} is not JSON: {where}: {error.msg}; {teach}") from error
    except RecursionError as error:
        raise click.BadParameter(f"{source} is nested too deeply") from error


def _read(value: str) -> tuple[str, str]:
    if value != "-" and not value.startswith("@"):
        return repr(value[:60]), value
    source = "stdin" if value == "-" else value[1:]
    try:
        raw = sys.stdin.buffer.read() if value == "-" else Path(source).read_bytes()
        return source, raw.decode()
    except OSError as error:
        raise click.BadParameter(f"{source} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise click.BadParameter(f"{source} is not UTF-8 text") from error


def header(value: str) -> tuple[str, str]:
    """The name and the value of an HTTP header such as `X-Request-Source: cron`, stripped."""
    name, colon, text = value.partition(":")
    if not colon or not name.strip():
        raise click.BadParameter(f"{value!r} is not a header; write its name, a colon and its value: 'X-Source: cron'")
    return name.strip(), text.strip()
