"""The commands `namespace show`, `set`, `pause` and `resume`."""

from collections.abc import Iterator
from datetime import datetime

import click

from minutehand.cli.command import Session, command
from minutehand.cli.params import until_option
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.cli.screen.words import counted
from minutehand.client import Namespace


def _limit(value: str) -> int:
    """Parse the value of `--max-concurrency`, a number of runs; 0 for `none`."""
    if value == "none":
        return 0
    if not value.isascii() or not value.isdecimal() or not 1 <= int(value) <= 1000:
        raise click.BadParameter(f"{value!r} is not a limit; write 1 to 1000, or none")
    return int(value)


_NAMESPACE = click.argument("namespace")


@click.group("namespace", no_args_is_help=True)
def namespace_command() -> None:
    """Limit how many runs of a namespace are in progress; pause and resume all its jobs.

    A namespace needs no creation: every valid name is one.
    """


@command("show", namespace_command, examples=["namespace show shop"])
@_NAMESPACE
def show_command(session: Session, screen: Screen, *, namespace: str) -> None:
    """Show a namespace's concurrency limit, whether it is paused, and its last pauses."""
    with session.connect() as client:
        found = client.get_namespace(namespace)
    screen.record(found, _fields)


@command("set", namespace_command, examples=["namespace set shop --max-concurrency 20"])
@_NAMESPACE
@click.option(
    "--max-concurrency",
    "most",
    type=_limit,
    metavar="N",
    required=True,
    help="Maximum number of concurrent runs, 1 to 1000, or none for no limit.",
)
def set_command(session: Session, screen: Screen, *, namespace: str, most: int) -> None:
    """Limit the concurrent runs of a namespace's jobs; further runs wait. Runs under way continue."""
    with session.connect() as client:
        saved = client.set_namespace(namespace, max_concurrency=most or None)
    now = saved["max_concurrency"]
    limit = "no concurrency limit" if now is None else f"at most {counted(now, 'run')} under way at once"
    screen.result(saved, lambda saved: ["saved", saved["namespace"], limit])


@command("pause", namespace_command, examples=["namespace pause shop --until 2h"])
@_NAMESPACE
@until_option
def pause_command(session: Session, screen: Screen, *, namespace: str, until: datetime | None) -> None:
    """Pause all jobs of a namespace until `resume`, or until an instant; occurrences due meanwhile are skipped.

    Runs that have started continue, and jobs can still be triggered.
    """
    with session.connect() as client:
        _changed(screen, client.pause_namespace(namespace, until=until))


@command("resume", namespace_command, examples=["namespace resume shop"])
@_NAMESPACE
def resume_command(session: Session, screen: Screen, *, namespace: str) -> None:
    """Resume the jobs of a paused namespace."""
    with session.connect() as client:
        _changed(screen, client.resume_namespace(namespace))


def _changed(screen: Screen, namespace: Namespace) -> None:
    if screen.as_json:
        screen.data(namespace)
    elif namespace["status"]["paused"]:
        screen.line("paused", namespace["namespace"], _until(namespace["status"]["paused_until"]))
    else:
        screen.line("resumed", namespace["namespace"], "its jobs run")


def _until(instant: str | None) -> str:
    return f"until {in_utc(instant)} UTC" if instant else "until it is resumed"


def _fields(namespace: Namespace) -> Iterator[tuple[str, str]]:
    status, most = namespace["status"], namespace["max_concurrency"]
    yield "namespace", namespace["namespace"]
    yield "at once", "no limit" if most is None else counted(most, "run")
    yield "paused", _until(status["paused_until"]) if status["paused"] else "no"
    for place, pause in enumerate(status["pauses"]):
        to = f"to {in_utc(pause['to'])}" if pause["to"] else "on"
        resumed = f", resumed by {pause['resumed_by']}" if pause["resumed_by"] else ""
        text = f"from {in_utc(pause['from'])} {to} UTC, by {pause['by']}{resumed}"
        yield "pauses" if place == 0 else "", text
    if status["revision"]:
        changed = f"{in_utc(status['updated_at'])} UTC by {status['updated_by'] or '?'}"
        yield "revision", f"{status['revision']}, {changed}"
