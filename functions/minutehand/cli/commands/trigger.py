"""The commands `trigger` and `rerun`."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from minutehand.cli.command import Session, command, job_argument
from minutehand.cli.failures import Exit, failure
from minutehand.cli.params import duration, json_value
from minutehand.cli.run_names import run_argument, with_run
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.run_text import run_cells
from minutehand.cli.waiting import require_success, waited_for
from minutehand.client import Client, Run, TriggerOptions
from minutehand.client.calls import take

F = TypeVar("F", bound=Callable[..., Any])


def _start_options(function: F) -> F:
    """Add the options of both commands."""
    for option in (
        click.option(
            "--ignore-overlap", is_flag=True, help="Run beside other runs of the job, whatever its overlap policy."
        ),
        click.option("--idempotency-key", help="The same key returns the same run. [default: a new key]"),
        click.option("--timeout", type=duration, help="Timeout of --wait. [default: 5m]"),
        click.option("-w", "--wait", is_flag=True, help="Wait until the run has ended; exit 1 unless it succeeded."),
    ):
        function = option(function)
    return function


@command(
    "trigger",
    examples=[
        "trigger shop/report --wait",
        "trigger shop/report --payload '{\"days\": 7}'",
        "trigger shop/clean-up --node web-1",
    ],
)
@job_argument
@_start_options
@click.option(
    "--payload",
    type=json_value,
    metavar="JSON",
    help="JSON sent to the target instead of the job's payload: a value, @FILE, or - for stdin.",
)
@click.option("--node", help="The one node of the job's pool that runs it. [default: as the job says]")
def trigger_command(
    session: Session,
    screen: Screen,
    *,
    job: str,
    node: str | None,
    wait: bool,
    timeout: float | None,
    idempotency_key: str | None,
    payload: tuple[Any] | None,
    ignore_overlap: bool,
) -> None:
    """Run a job now, in addition to its schedule."""
    _require_wait(timeout, wait=wait)
    options = TriggerOptions(idempotency_key=idempotency_key, ignore_overlap=ignore_overlap)
    if payload is not None:
        options["payload"] = payload[0]
    if node is not None:
        options["node"] = node
    with session.connect() as client:
        _start(session, screen, client, client.trigger(job, **options), timeout, wait=wait)


@command("rerun", examples=["rerun shop/report --wait", "rerun shop/report 20261120T0900"])
@job_argument
@run_argument
@_start_options
def rerun_command(
    session: Session,
    screen: Screen,
    *,
    job: str,
    run_id: str | None,
    wait: bool,
    timeout: float | None,
    idempotency_key: str | None,
    ignore_overlap: bool,
) -> None:
    """Run a job again as in a run, by default the newest that failed, timed out or was lost: a new run starts now, with that run's
    payload."""
    _require_wait(timeout, wait=wait)

    def again(found: str) -> Run:
        options = TriggerOptions(idempotency_key=idempotency_key, ignore_overlap=ignore_overlap, payload_of=found)
        return client.trigger(job, **options)

    with session.connect() as client:
        made = again(_newest_failed(client, job)) if run_id is None else with_run(session, client, job, run_id, again)
        _start(session, screen, client, made, timeout, wait=wait)


def _newest_failed(client: Client, job: str) -> str:
    page = take(lambda size, at: client.runs_page(job, limit=size, cursor=at, state="attention"), limit=1)
    if not page["items"]:
        hint = f"name the run to run again, or `minutehand trigger {job}`"
        raise failure("no such run", f"no run of {job} has failed", hint=hint, exit_code=Exit.NOT_FOUND)
    return page["items"][0]["run_id"]


def _require_wait(timeout: float | None, *, wait: bool) -> None:
    if timeout is not None and not wait:
        raise click.UsageError("--timeout needs --wait: add it, or remove --timeout")


def _start(session: Session, screen: Screen, client: Client, run: Run, timeout: float | None, *, wait: bool) -> None:
    """Print the run that was made, after waiting for its end if asked to."""
    if wait:
        run = waited_for(session, screen, client, run, timeout)
    screen.result(run, lambda run: run_cells(run, session.now()))
    if wait:
        require_success(run)
