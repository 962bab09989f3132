"""The commands `quota show`, `list`, `set` and `clear`."""

from collections.abc import Callable, Iterator, Sequence

import click

from minutehand.cli.command import Session, command
from minutehand.cli.commands.namespace import warn_if_new
from minutehand.cli.parallel import parallel_results
from minutehand.cli.params import NO_LIMIT, Whole, limit_or_none
from minutehand.cli.screen.render import Screen
from minutehand.client import Page, Quota
from minutehand.client.calls import take

_NAMESPACE = click.argument("namespace")


@click.group("quota", no_args_is_help=True)
def quota_command() -> None:
    """What the operator of the deployment allows a namespace: jobs, runs a minute, concurrent runs.

    Only an admin token for all namespaces may set it.
    """


@command("show", quota_command, examples=["quota show shop"])
@_NAMESPACE
def show_command(session: Session, screen: Screen, *, namespace: str) -> None:
    """Show a namespace's quota, and how much of it is used."""
    with session.connect() as client:
        found = client.get_quota(namespace)
    screen.record(found, _fields)


@command(
    "set",
    quota_command,
    examples=["quota set shop --jobs 200 --runs-per-minute 100 --concurrency 20", "quota set shop --jobs none"],
)
@_NAMESPACE
@click.option("--jobs", type=limit_or_none, metavar="N", help="Maximum number of jobs, or none.")
@click.option(
    "--runs-per-minute",
    "runs",
    type=limit_or_none,
    metavar="N",
    help="Maximum number of runs that begin in a minute, or none.",
)
@click.option("--concurrency", type=limit_or_none, metavar="N", help="Maximum number of concurrent runs, or none.")
def set_command(
    session: Session, screen: Screen, *, namespace: str, jobs: int | None, runs: int | None, concurrency: int | None
) -> None:
    """Set parts of a namespace's quota; the others stay. Jobs and runs that exceed it already stay, too."""
    if jobs is runs is concurrency is None:
        raise click.UsageError("set what? Give --jobs, --runs-per-minute or --concurrency")
    with session.connect() as client:
        stored = client.get_namespace(namespace)
        status = stored["status"]
        before = status["quota"] or {"jobs": None, "runs_per_minute": None, "concurrency": None}
        saved = client.set_quota(
            namespace,
            jobs=_chosen(jobs, before["jobs"]),
            runs_per_minute=_chosen(runs, before["runs_per_minute"]),
            concurrency=_chosen(concurrency, before["concurrency"]),
            if_revision=status["revision"],
        )
        if not status["revision"]:
            warn_if_new(screen, client, stored)
    screen.record(saved, _fields)


@command("list", quota_command, examples=["quota list"])
@click.option("--limit", type=Whole(min=1), help="Maximum number of namespaces. [default: all]")
@click.option("--cursor", help='Continue a list: the "next" in the JSON of its last page.')
def list_command(session: Session, screen: Screen, *, limit: int | None, cursor: str | None) -> None:
    """List the namespaces that have a quota and that the token may see, and how much of each quota is used."""
    with session.connect() as client:
        found = take(
            lambda size, at: client.namespaces_page(limit=size, cursor=at),
            limit=limit,
            cursor=cursor,
            keep=lambda namespace: namespace["status"]["quota"] is not None,
            at_once=100,
        )
        names = [namespace["namespace"] for namespace in found["items"]]
        quotas = parallel_results(screen, "reading", client.get_quota, names)
    screen.page(
        Page(items=quotas, next=found["next"]),
        ["namespace", *(name for name, _ in _LIMITS)],
        lambda quota: [quota["namespace"], *(cell(quota) for _, cell in _LIMITS)],
        empty="no namespace that the token may see has a quota",
    )


@command("clear", quota_command, examples=["quota clear shop"])
@_NAMESPACE
def clear_command(session: Session, screen: Screen, *, namespace: str) -> None:
    """Remove a namespace's quota."""
    with session.connect() as client:
        had = client.get_namespace(namespace)["status"]["quota"]
        client.remove_quota(namespace)
    screen.result({"namespace": namespace}, lambda _: ["removed" if had else "unchanged", namespace, "no quota"])


def _chosen(given: int | None, stored: int | None) -> int | None:
    return stored if given is None else None if given == NO_LIMIT else given


def _fields(quota: Quota) -> Iterator[tuple[str, str]]:
    yield "namespace", quota["namespace"]
    for name, cell in _LIMITS:
        yield name, cell(quota)


def _cell(most: int | None, used: int | None) -> str:
    if most is None:
        return "no limit"
    return f"{most:,}" if used is None else f"{most:,}, {used:,} used"


_LIMITS: Sequence[tuple[str, Callable[[Quota], str]]] = (
    ("jobs", lambda quota: _cell(quota["jobs"], quota["used"]["jobs"])),
    ("runs a minute", lambda quota: _cell(quota["runs_per_minute"], quota["used"]["runs_this_minute"])),
    ("at once", lambda quota: _cell(quota["concurrency"], None)),
)
"""What a quota limits, with its text."""
