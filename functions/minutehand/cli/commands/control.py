"""`cancel`, `drain`, `redrive`."""

from datetime import timedelta

import click

from minutehand.cli.command import command, job_argument
from minutehand.cli.failures import Exit, Failure
from minutehand.cli.params import Duration
from minutehand.cli.screen.outcomes import outcome
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.tables import state_text
from minutehand.cli.session import Session
from minutehand.client import Client, Run, is_due

DRAIN_SECONDS = 900.0
LOOK_EVERY = 2.0
AHEAD = timedelta(minutes=1)
"""What a schedule named for later than this, a pause keeps from starting, however much the clocks of two machines differ."""
_MOST_NAMED = 10


@command("cancel")
@job_argument
@click.argument("run_id")
def cancel_command(session: Session, screen: Screen, *, job: str, run_id: str) -> None:
    """End a run: at once while it waits for something; else its worker ends the call, or its target is told at its next heartbeat."""
    with session.connect() as client:
        run = client.cancel(job, run_id)
    if screen.as_json:
        screen.data(run)
    else:
        _tell(screen, run)


@command("drain")
@job_argument
@click.option("--wait", is_flag=True, help="Wait until none of its runs is active any more; exit 1 if some still are.")
@click.option("--timeout", type=Duration(), help="How long to wait, with --wait. [default: 15m]")
def drain_command(session: Session, screen: Screen, *, job: str, wait: bool, timeout: float | None) -> None:
    """Pause a job, and tell which of its runs are still active."""
    if timeout is not None and not wait:
        raise click.UsageError("--timeout says how long to wait: add --wait, or leave it out")
    with session.connect() as client:
        client.pause(job)
        if wait:
            active = _drained(session, screen, client, job, timeout or DRAIN_SECONDS)
        else:
            active = _active(session, client, job)
    if screen.as_json:
        screen.data({"job": job, "active": active})
    elif not active:
        screen.line("drained", job)
    elif not wait:
        screen.line("paused", job, f"still active: {_counted(active)}")
        for run in active[:_MOST_NAMED]:
            _tell(screen, run)
    if wait and active:
        raise Failure(
            {
                "title": "not drained",
                "detail": f"{job} is paused, and still active: {', '.join(_named(active))}",
                "hint": f"drain it again to wait longer, or `minutehand cancel {job} RUN_ID` to end one",
            },
            exit_code=Exit.FAILED,
        )


@command("redrive")
@job_argument
@click.argument("run_id", required=False)
@click.option("--lost", is_flag=True, help="Trigger new runs in the place of those that were lost.")
def redrive_command(session: Session, screen: Screen, *, job: str, run_id: str | None, lost: bool) -> None:
    """Have workers look at once at a job's runs that should have begun or ended by now, or at one run."""
    with session.connect() as client:
        runs = client.redrive(job, run_id, lost=lost)
    if screen.as_json:
        screen.data({"items": runs})
        return
    for run in runs:
        screen.line("made anew" if lost else "sent again", run["job"], run["run_id"])
    if not runs:
        screen.note(f"no run of {job} is lost" if lost else f"no run of {job} is overdue")


def _active(session: Session, client: Client, job: str) -> list[Run]:
    """The runs that may still start, or have not ended; those that the pause keeps from starting are not among them."""
    soon = session.now() + AHEAD
    return [run for run in client.runs(job, state="active") if is_due(run, soon) or "~" in run["run_id"]]


def _drained(session: Session, screen: Screen, client: Client, job: str, timeout: float) -> list[Run]:
    """The runs that are still active when none is, or the time is over; each is told of when it has ended."""
    ends = session.monotonic() + timeout
    active = _active(session, client, job)
    if active:
        screen.note(f"{job} is paused; waiting for {_counted(active)}")
    while active and (left := ends - session.monotonic()) > 0:
        session.sleep(min(LOOK_EVERY, left))
        before, active = active, _active(session, client, job)
        still = {run["run_id"] for run in active}
        for run in before:
            if run["run_id"] not in still:
                screen.note(f"run {run['run_id']} is over; {_counted(active)} left")
    return active


def _named(active: list[Run]) -> list[str]:
    named = [f"run {run['run_id']} ({run['state']})" for run in active[:_MOST_NAMED]]
    return [*named, f"{len(active) - _MOST_NAMED} more"] if len(active) > _MOST_NAMED else named


def _counted(active: list[Run]) -> str:
    return f"{len(active)} run{'' if len(active) == 1 else 's'}"


def _tell(screen: Screen, run: Run) -> None:
    screen.line(state_text(run["state"]), run["job"], run["run_id"], outcome(run))
