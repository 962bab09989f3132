"""The commands `namespace show`, `set`, `pause`, `resume` and `shadow`."""

from collections.abc import Iterator
from datetime import datetime

import click

from minutehand.cli.command import Session, command
from minutehand.cli.params import NO_LIMIT, limit_or_none, until_option
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.cli.screen.words import counted
from minutehand.cli.similar import jobless
from minutehand.client import Client, Namespace

_NAMESPACE = click.argument("namespace")


@click.group("namespace", no_args_is_help=True)
def namespace_command() -> None:
    """Limit how many runs of a namespace are in progress; pause, resume and shadow all its jobs.

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
    type=limit_or_none,
    metavar="N",
    required=True,
    help="Maximum number of concurrent runs, or none for no limit.",
)
def set_command(session: Session, screen: Screen, *, namespace: str, most: int) -> None:
    """Limit the concurrent runs of a namespace's jobs; further runs wait. Runs under way continue."""
    with session.connect() as client:
        saved = client.set_namespace(namespace, max_concurrency=None if most == NO_LIMIT else most)
        warn_if_new(screen, client, saved)
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
        paused = client.pause_namespace(namespace, until=until)
        warn_if_new(screen, client, paused)
    _changed(screen, paused)


@command("resume", namespace_command, examples=["namespace resume shop"])
@_NAMESPACE
def resume_command(session: Session, screen: Screen, *, namespace: str) -> None:
    """Resume the jobs of a paused namespace."""
    with session.connect() as client:
        resumed = client.resume_namespace(namespace)
        warn_if_new(screen, client, resumed)
    _changed(screen, resumed)


@command("shadow", namespace_command, examples=["namespace shadow shop", "namespace shadow shop --off"])
@_NAMESPACE
@click.option("--off", is_flag=True, help="Take the jobs out of shadow: they call their targets again.")
def shadow_command(session: Session, screen: Screen, *, namespace: str, off: bool) -> None:
    """Put all jobs of a namespace in shadow: runs are planned, started and recorded as always, but call no target.

    Jobs with a shadow of their own stay in shadow with --off.
    """
    with session.connect() as client:
        changed = client.shadow_namespace(namespace, on=not off)
        warn_if_new(screen, client, changed)
    now = (
        "in shadow: its jobs call no target"
        if changed["status"]["shadow"]
        else "out of shadow: its jobs call their targets"
    )
    screen.result(changed, lambda changed: ["saved", changed["namespace"], now])


def warn_if_new(screen: Screen, client: Client, namespace: Namespace) -> None:
    """Warn of a namespace without jobs where its settings are its first ones, or it has none: its name may be misspelt."""
    if namespace["status"]["revision"] <= 1 and not screen.as_json:
        found = jobless(client, namespace["namespace"])
        if found:
            screen.note(f"warning: {found}")


def at_once(namespace: Namespace) -> str:
    """The limit of the concurrent runs: the lower of that of the namespace and that of its quota, which is then named."""
    own, quota = namespace["max_concurrency"], namespace["status"]["quota"]
    most = quota["concurrency"] if quota else None
    if most is not None and (own is None or most < own):
        return f"{counted(most, 'run')} (quota)"
    return "no limit" if own is None else counted(own, "run")


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
    status = namespace["status"]
    yield "namespace", namespace["namespace"]
    yield "at once", at_once(namespace)
    yield "paused", _until(status["paused_until"]) if status["paused"] else "no"
    if status["shadow"]:
        yield "shadow", "yes: its jobs call no target"
    for place, pause in enumerate(status["pauses"]):
        to = f"to {in_utc(pause['to'])}" if pause["to"] else "on"
        resumed = f", resumed by {pause['resumed_by']}" if pause["resumed_by"] else ""
        text = f"from {in_utc(pause['from'])} {to} UTC, by {pause['by']}{resumed}"
        yield "pauses" if place == 0 else "", text
    if status["revision"]:
        changed = f"{in_utc(status['updated_at'])} UTC by {status['updated_by'] or '?'}"
        yield "revision", f"{status['revision']}, {changed}"
