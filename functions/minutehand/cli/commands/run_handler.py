"""The command `run-handler`."""

import logging
import secrets
import sys
from datetime import datetime, timedelta
from typing import Any

import click

from minutehand.cli.command import Session, command
from minutehand.cli.documents.app_jobs import app_failures, load_app, near
from minutehand.cli.failures import Exit, failure, printable
from minutehand.cli.params import Instant, duration, json_value, local_times
from minutehand.cli.screen.render import Screen
from minutehand.client.calls import DEFAULT_NAMESPACE
from minutehand.handlers import Invocation, Worker, log_run
from minutehand.handlers.modules import place_in
from minutehand.handlers.outcome import RunError
from minutehand.handlers.outcome import failure as outcome_of


@command(
    "run-handler",
    examples=["run-handler reports.nightly --app reports --payload '{\"days\": 3}'"],
    calls_api=False,
)
@click.argument("name", metavar="NAME")
@click.option("--app", required=True, help="The package or module with the handler, or MODULE:APP.")
@click.option("--payload", type=json_value, help="The payload: JSON, @FILE, or - for stdin. [default: that of @job]")
@local_times
@click.option("--scheduled-for", type=Instant(), help="The instant of the run. [default: now]")
@click.option("--timeout", type=duration, default="1h", show_default=True, help="The time until the run's deadline.")
def run_handler_command(
    session: Session,
    screen: Screen,
    *,
    name: str,
    app: str,
    payload: tuple[Any] | None,
    scheduled_for: datetime | None,
    timeout: float,
) -> None:
    """Run a handler once in this process, without Minutehand.

    NAME is the handler's name, or the full name of its job. Prints the result; progress and log lines go to stderr.
    """
    found = load_app(app)
    with app_failures():
        ready = found.find(name)
    fields = {**found.defaults, **ready.handler.fields}
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")  # unless the app has done it
    now = session.now()
    at = scheduled_for or now.replace(microsecond=0)
    invocation = Invocation(
        job=name if "/" in name else f"{DEFAULT_NAMESPACE}/{name}",
        run_id=f"{at:%Y%m%dT%H%M%SZ}~handler-{secrets.token_hex(4)}",
        scheduled_for=at,
        deadline=now + timedelta(seconds=timeout),
        payload=fields.get("payload") if payload is None else payload[0],
    )
    with Worker(found, clock=session.now) as worker:
        _set_up(worker)
        outcome = worker.run(invocation, _Stderr())
    if outcome.error is None:
        screen.data(outcome.result)
        return
    if log_run not in ready.middlewares:
        _print_stack(outcome.error)
    detail = f"{outcome.error.type}: {outcome.error.message}"
    raise failure("the handler failed", detail, exit_code=Exit.FAILED)


def _set_up(worker: Worker) -> None:
    """Call the app's init function. Raises Failure with the place in the app's code where it failed."""
    try:
        worker.set_up()
    except (Exception, SystemExit) as error:
        found = outcome_of(error).error
        assert found is not None  # noqa: S101 - the outcome of an exception
        _print_stack(found)
        place = place_in(worker.app.package, error)
        at = f", at {near(place)}" if place else ""
        detail = f"{worker.app!r}: its init function failed with {found.type}: {found.message}{at}"
        raise failure("the app could not be set up", detail, exit_code=Exit.FAILED) from error


def _print_stack(error: RunError) -> None:
    if error.stack:
        print(printable(error.stack), end="", file=sys.stderr)


class _Stderr:
    """A line to the terminal."""

    unwanted = False

    def progress(self, percent: int | None = None, text: str | None = None) -> bool:
        """Print progress to stderr."""
        done = "" if percent is None else f"{percent} %"
        print(printable("  ".join(filter(None, (done, text)))), file=sys.stderr)
        return False

    def heartbeat(self) -> bool:
        """Do nothing."""
        return False
