"""The commands `quota show`, `set` and `clear`."""

from collections.abc import Iterator
from typing import Any

import click

from minutehand.cli.command import Session, command
from minutehand.cli.screen.render import Screen
from minutehand.client import Quota

_MOST_JOBS, _MOST_RUNS, _MOST_AT_ONCE = 20_000, 10_000, 1000
_NAMESPACE = click.argument("namespace")


class _Limit(click.ParamType[int | None]):
    """A number, or `none` for no limit."""

    name = "limit"

    def __init__(self, least: int, most: int) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        """Parse a limit; -1 means `none`, since None means that the option was not given."""
        if isinstance(value, int) or value == "none":
            return -1 if value == "none" else value
        if not (value.isascii() and value.isdecimal() and self._least <= int(value) <= self._most):
            self.fail(f"{value!r} is not a limit; write {self._least} to {self._most}, or none", param, ctx)
        return int(value)


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
@click.option(
    "--jobs", type=_Limit(0, _MOST_JOBS), metavar="N", help=f"Maximum number of jobs, 0 to {_MOST_JOBS}, or none."
)
@click.option(
    "--runs-per-minute",
    "runs",
    type=_Limit(1, _MOST_RUNS),
    metavar="N",
    help=f"Maximum number of runs that begin in a minute, 1 to {_MOST_RUNS}, or none.",
)
@click.option(
    "--concurrency",
    type=_Limit(1, _MOST_AT_ONCE),
    metavar="N",
    help=f"Maximum number of concurrent runs, 1 to {_MOST_AT_ONCE}, or none.",
)
def set_command(
    session: Session, screen: Screen, *, namespace: str, jobs: int | None, runs: int | None, concurrency: int | None
) -> None:
    """Set parts of a namespace's quota; the others stay. Jobs and runs that exceed it already stay, too."""
    if jobs is runs is concurrency is None:
        raise click.UsageError("set what? Give --jobs, --runs-per-minute or --concurrency")
    with session.connect() as client:
        status = client.get_namespace(namespace)["status"]
        before = status["quota"] or {"jobs": None, "runs_per_minute": None, "concurrency": None}
        saved = client.set_quota(
            namespace,
            jobs=_chosen(jobs, before["jobs"]),
            runs_per_minute=_chosen(runs, before["runs_per_minute"]),
            concurrency=_chosen(concurrency, before["concurrency"]),
            if_revision=status["revision"],
        )
    screen.record(saved, _fields)


@command("clear", quota_command, examples=["quota clear shop"])
@_NAMESPACE
def clear_command(session: Session, screen: Screen, *, namespace: str) -> None:
    """Remove a namespace's quota."""
    with session.connect() as client:
        had = client.get_namespace(namespace)["status"]["quota"]
        client.remove_quota(namespace)
    screen.result({"namespace": namespace}, lambda _: ["removed" if had else "unchanged", namespace, "no quota"])


def _chosen(given: int | None, stored: int | None) -> int | None:
    return stored if given is None else None if given == -1 else given


def _fields(quota: Quota) -> Iterator[tuple[str, str]]:
    used = quota["used"]
    yield "namespace", quota["namespace"]
    yield "jobs", _cell(quota["jobs"], used["jobs"])
    yield "runs a minute", _cell(quota["runs_per_minute"], used["runs_this_minute"])
    yield "at once", _cell(quota["concurrency"], None)


def _cell(most: int | None, used: int | None) -> str:
    if most is None:
        return "no limit"
    return f"{most:,}" if used is None else f"{most:,}, {used:,} used"
