"""Parameter types for click: they parse the given text, and raise BadParameter if it is invalid."""

import functools
import json
import math
import re
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from minutehand.cli.command import Session
from minutehand.client.calls import DEFAULT_NAMESPACE

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])

ZONE_VARIABLE = "MINUTEHAND_TIMEZONE"
NO_LIMIT = -1
"""The value of `limit_or_none` for `none`; None means that an option was not given."""
_ZONE = "minutehand.timezone"
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


class OneOrMore(click.ParamType[tuple[str, ...], str | tuple[str, ...]]):
    """Words out of a choice, joined by commas."""

    name = "words"

    def __init__(self, choices: Sequence[str]) -> None:
        self._each = click.Choice(choices)

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """The words of a text. Raises BadParameter for one that is not of the choice."""
        if isinstance(value, tuple):
            return value
        return tuple(self._each.convert(word.strip(), param, ctx) for word in value.split(","))

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """The words, for the help."""
        return self._each.get_metavar(param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        """The words that begin so."""
        return self._each.shell_complete(ctx, param, incomplete)


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


def limit_or_none(value: str) -> int:
    """Parse the limit of an option, a whole number, or `none` (`NO_LIMIT`). The API knows the bounds."""
    if value == "none":
        return NO_LIMIT
    if not (value.isascii() and value.isdecimal()):
        raise click.BadParameter(f"{value!r:.60} is not a limit; write a whole number, or none")
    return int(value)


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


class Instant(click.ParamType[datetime, str | datetime]):
    """An instant (see `parse_when`), as an aware UTC datetime. Local times are those of `--timezone`, by default UTC.

    ahead: whether a duration, a weekday or a time of day means the next one, or else the latest.
    """

    name = "when"

    def __init__(self, *, ahead: bool = False) -> None:
        self._ahead = ahead

    def convert(self, value: str | datetime, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Parse the text of an option or an argument."""
        if isinstance(value, datetime):
            return value
        from minutehand.cli.when import parse_when  # noqa: PLC0415 - many command lines have no instant

        context = ctx or click.get_current_context()
        try:
            return parse_when(
                value, now=context.ensure_object(Session).now(), zone=given_zone(context), ahead=self._ahead
            )
        except ValueError as error:
            self.fail(str(error), param, ctx)


def given_zone(context: click.Context) -> str:
    """The time zone of the command line's local times."""
    return named_zone(context) or "UTC"


def named_zone(context: click.Context) -> str | None:
    """The time zone that the command line names; None if it names none."""
    return context.meta.get(_ZONE)


def zone_option(meaning: str) -> Callable[[F], F]:
    """Add `--timezone`, in which the instants among the command's options are read, too."""

    def read(ctx: click.Context, _: click.Parameter, value: str | None) -> str | None:
        ctx.meta[_ZONE] = value
        return value

    # Eager, so that it is known when the instants are read.
    return click.option("--timezone", is_eager=True, callback=read, help=meaning)


def local_times(function: F, *, default: str = "UTC") -> F:
    """Add `--timezone` for the instants among the command's options; the command does not get it. default: which zone the help names."""

    def check(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            from minutehand.schedule.errors import ScheduleError  # noqa: PLC0415 - most command lines name no zone
            from minutehand.schedule.zones import check_zone  # noqa: PLC0415 - see above

            try:
                check_zone(value)
            except ScheduleError as error:
                raise click.BadParameter(f"{error.message}; {error.hint}") from error
        ctx.meta[_ZONE] = value

    meaning = f"The IANA time zone of local times, such as Europe/Paris. [default: {default}]"
    add = click.option(
        "--timezone", envvar=ZONE_VARIABLE, is_eager=True, expose_value=False, callback=check, help=meaning
    )
    return add(function)


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
    """Add `--since` and `--until`, which the function gets as `start` and `end`, and `--timezone`. whose: what the interval is of."""

    def taking(function: F) -> F:
        until = click.option("--until", "end", type=Instant(), metavar="WHEN", help=f"End of the interval of {whose}.")
        since = click.option(
            "--since", "start", type=Instant(), metavar="WHEN", help=f"Start of the interval of {whose}."
        )
        return since(until(local_times(function)))

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
    """Add `--until`: an instant in whole seconds, or a duration from now, and `--timezone`."""

    def whole(_: click.Context, __: click.Parameter, end: datetime | None) -> datetime | None:
        if end is not None and end.microsecond:
            raise click.BadParameter("it has a fraction of a second; write whole seconds")
        return end

    meaning = "End the pause automatically: an instant, or a duration from now such as 2h."
    return click.option("--until", type=Instant(ahead=True), callback=whole, metavar="WHEN", help=meaning)(
        local_times(function)
    )


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
    from pathlib import Path  # noqa: PLC0415 - few command lines name a file

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
