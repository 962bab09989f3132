"""Parts of every command: its session, `--output`, job names, and exit codes for the SDK's errors."""

import functools
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from minutehand.cli.connection import connect, settings_here, token_hint, token_origin
from minutehand.cli.context_option import context_option
from minutehand.cli.failures import Exit, Failure, failure
from minutehand.cli.screen.render import Screen
from minutehand.client import (
    Client,
    ConfigurationError,
    Conflict,
    Invalid,
    MinutehandError,
    NotAllowed,
    NotFound,
    Refused,
)
from minutehand.client.calls import DEFAULT_NAMESPACE

F = TypeVar("F", bound=Callable[..., Any])

EXIT_CODES: Mapping[type[MinutehandError], Exit] = {
    Invalid: Exit.USAGE,
    ConfigurationError: Exit.USAGE,
    NotFound: Exit.NOT_FOUND,
    Conflict: Exit.CONFLICT,
    NotAllowed: Exit.NOT_ALLOWED,
    MinutehandError: Exit.FAILED,
}
"""Exit codes of the SDK's errors; the first matching class applies."""


def _local_zone() -> str | None:
    """The machine's time zone: from /etc/timezone on Debian, else from the link /etc/localtime (localtime(5)); None if unknown."""
    from pathlib import Path  # noqa: PLC0415 - few commands ask for the machine's time zone

    try:
        return Path("/etc/timezone").read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        return os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2] or None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Session:
    """The environment of a command: the API's client, the clock, the terminal. Tests pass their own.

    `connect` opens a client, `connect_without_token` one for public endpoints; `sleep` and `monotonic` are in seconds; `is_attended`
    tells whether a terminal can answer a question; `local_zone` is the IANA name of the machine's time zone, if known; `token_origin` says where the token was found.
    """

    connect: Callable[[], Client] = connect
    connect_without_token: Callable[[], Client] = lambda: connect(needs_token=False)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    is_attended: Callable[[], bool] = lambda: sys.stdin.isatty() and sys.stderr.isatty()
    local_zone: Callable[[], str | None] = _local_zone
    token_origin: Callable[[], str] = lambda: token_origin(settings_here(needs_token=False))


def exit_code(error: MinutehandError) -> Exit:
    """The exit code for an error of the SDK."""
    return next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))


def problem_of(error: MinutehandError) -> dict[str, Any]:
    """The error as a problem document, with a hint for an unknown token."""
    problem = dict(error.problem())
    if isinstance(error, Refused) and error.status == 401:
        problem.setdefault("hint", token_hint(error.origin))
    return problem


class Command(click.Command):
    """A command whose help ends with examples.

    Attributes:
        examples: command lines, without the program's name at their beginning.
    """

    examples: Sequence[str] = ()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        if self.examples:
            with formatter.section("Examples" if len(self.examples) > 1 else "Example"):
                formatter.write("".join(f"  minutehand {line}\n" for line in self.examples))
        super().format_epilog(ctx, formatter)


def command(
    name: str, group: click.Group | None = None, *, examples: Sequence[str] = (), calls_api: bool = True
) -> Callable[[Callable[..., int | None]], click.Command]:
    """Make a function a command with `--output`, and with `--context` unless it never `calls_api`; add it to `group` if one is given. The
    function receives the session, the screen, and its options by keyword. examples: see `Command`."""

    def decorate(function: Callable[..., int | None]) -> click.Command:
        @functools.wraps(function)
        def run(output: str, **arguments: Any) -> int | None:
            context = click.get_current_context()
            try:
                return function(context.ensure_object(Session), Screen(as_json=output == "json"), **arguments)
            except MinutehandError as error:
                from minutehand.cli.similar import similar_job  # noqa: PLC0415 - only an error needs it

                problem = problem_of(error)
                if isinstance(error, NotFound) and (
                    hint := similar_job(error.message, context.ensure_object(Session).connect)
                ):
                    problem.setdefault("hint", hint)
                raise Failure(problem, exit_code=exit_code(error), message=error.message) from error
            except click.UsageError as error:
                error.ctx = error.ctx or context  # click needs the context to print the usage line above the message
                raise

        made = click.command(name, cls=Command)(run)
        made.examples = examples
        made.params.append(
            click.Option(
                ["-o", "--output"],
                type=click.Choice(["table", "json"]),
                default="table",
                show_default=True,
                help="Tables for people, JSON for programs.",
            )
        )
        if calls_api:
            made.params.append(context_option())
        if group is not None:
            group.add_command(made)
        return made

    return decorate


def name_argument(noun: str, metavar: str) -> Callable[[F], F]:
    """Add an argument for the name of a `noun`, such as a job, and `--namespace`. The function gets the full name, as `noun`."""

    def taking(function: F) -> F:
        @functools.wraps(function)
        def run(*arguments: Any, namespace: str | None, **rest: Any) -> Any:
            return function(*arguments, **(rest | {noun: full_name(rest[noun], namespace, noun=noun)}))

        meaning = f"The {noun}'s namespace, unless {metavar} includes it. [default: {DEFAULT_NAMESPACE}]"
        option = click.option("-n", "--namespace", help=meaning)
        complete = complete_job if noun == "job" else None
        return click.argument(noun, metavar=metavar, shell_complete=complete)(option(run))  # type: ignore[return-value]  # the same function to click, with two more parameters

    return taking


def complete_job(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The jobs of one page of a namespace whose names begin so; none if the API cannot be asked."""
    from minutehand.cli.similar import MOST_JOBS  # noqa: PLC0415 - only a completion needs it

    given, slash, name = incomplete.rpartition("/")
    namespace = given if slash else context.params.get("namespace") or DEFAULT_NAMESPACE
    session = context.find_object(Session) or Session()
    try:
        with context.scope(), session.connect() as client:
            jobs = client.jobs_page(namespace, limit=MOST_JOBS)["items"]
    except MinutehandError:
        return []
    return [f"{given}{slash}{job['name']}" for job in jobs if job["name"].startswith(name)]


job_argument = name_argument("job", "JOB")
"""Adds the argument JOB and the option `--namespace`."""


def confirm_delete(
    session: Session, screen: Screen, name: str, *, yes: bool, known: Callable[[], str] = lambda: ""
) -> None:
    """Return with `--yes`, or when the user confirms; the sentence that `known` returns is shown before the question.

    Raises UsageError without a terminal, Failure when the user declines.
    """
    if yes:
        return
    require_terminal(session, screen, f"not deleted: {name}")
    ask(" ".join(filter(None, (known(), f"Delete {name}?"))), left=f"{name} still exists")


def require_terminal(session: Session, screen: Screen, not_done: str) -> None:
    """Raise UsageError without a terminal that can answer whether to delete; `not_done` starts its message."""
    if screen.as_json or not session.is_attended():
        raise click.UsageError(f"{not_done}: confirm with --yes, since there is no terminal to ask")


def ask(question: str, *, left: str) -> None:
    """Ask whether to delete. Raises Failure when the user declines; `left` says what still exists."""
    try:
        agreed = click.confirm(question, err=True)
    except click.Abort:
        agreed = False
    if not agreed:
        detail, hint = f"nothing was deleted: {left}", "--yes deletes without confirmation"
        raise failure("not deleted", detail, hint=hint, exit_code=Exit.FAILED)


def full_name(given_name: str, namespace: str | None, *, noun: str = "job") -> str:
    """`namespace/name` from JOB and `--namespace`. Raises UsageError for an invalid name and for two different namespaces."""
    given, slash, name = given_name.rpartition("/")
    if not name or "/" in given or (slash and not given):
        raise click.UsageError(f"{given_name!r} is not the name of a {noun}: write NAME or NAMESPACE/NAME")
    if slash and namespace is not None and namespace != given:
        raise click.UsageError(
            f"{noun.upper()} is in namespace {given!r}, but --namespace is {namespace!r}: remove one of them"
        )
    return f"{given or namespace or DEFAULT_NAMESPACE}/{name}"
