"""The commands `cancel`, `drain` and `redrive`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

import click
from rich.text import Text

from minutehand.cli.command import Session, command, exit_code, full_name, job_argument
from minutehand.cli.failures import Exit, Failure, failure
from minutehand.cli.params import duration
from minutehand.cli.run_names import run_argument, with_run
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.run_text import outcome
from minutehand.cli.screen.tables import state_text
from minutehand.client import Backfill, Client, NotFound, Run, is_due
from minutehand.client.models import FINISHED

DRAIN_SECONDS = 900.0
LOOK_EVERY = 2.0
AHEAD = timedelta(minutes=1)
"""Scheduled runs that are due later than this after the pause do not count as active: it keeps them from starting, even if this
machine's clock is a little slow."""
_TO_BE_SKIPPED = "to be skipped: the job is paused"
_MOST_NAMED = 10


class Active(NamedTuple):
    """Active runs and backfills of a paused job; a pause does not stop backfills."""

    runs: list[Run]
    backfills: list[Backfill]

    @property
    def states(self) -> dict[str, str]:
        """The state of each run and backfill, by its label, such as `run 20261120T090000Z`."""
        return {_of_backfill(each): each["state"] for each in self.backfills} | {
            _of_run(run): f"{run['state']}; {_TO_BE_SKIPPED}" if _will_be_skipped(run) else run["state"]
            for run in self.runs
        }

    @property
    def skips(self) -> str:
        """How many of the runs the pause keeps from starting, as the end of a sentence; empty for none."""
        count = sum(map(_will_be_skipped, self.runs))
        which = "" if count == len(self.runs) and not self.backfills else f"{count} of them "
        return f", {which}{_TO_BE_SKIPPED}" if count else ""

    def without(self, label: str) -> "Active":
        """The others, if one of these has ended."""
        return Active(
            [run for run in self.runs if _of_run(run) != label],
            [each for each in self.backfills if _of_backfill(each) != label],
        )

    def joined(self, before: "Active") -> "Active":
        """These, and those of an earlier look that have ended since."""
        return Active(
            [*self.runs, *(run for run in before.runs if _of_run(run) not in self.states)],
            [*self.backfills, *(each for each in before.backfills if _of_backfill(each) not in self.states)],
        )

    def __bool__(self) -> bool:
        return bool(self.runs or self.backfills)

    def __str__(self) -> str:
        counts = ((len(self.runs), "run"), (len(self.backfills), "backfill"))
        parts = [f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts if count]
        return " and ".join(parts) or "0 runs"


@command("cancel", examples=["cancel shop/report", "cancel shop/report 20261120T0900"])
@job_argument
@run_argument
def cancel_command(session: Session, screen: Screen, *, job: str, run_id: str | None) -> None:
    """Cancel a run, by default the newest that has not ended: at once if it waits for a start, a retry or an answer without heartbeats. Otherwise its worker ends the call,
    or its target learns of the cancel at the next heartbeat."""
    with session.connect() as client:
        run = with_run(session, client, job, run_id, partial(client.cancel, job), active=True)
    screen.result(run, lambda run: _run_cells(run, session))


@command("drain", examples=["drain shop/report --wait --timeout 10m"])
@job_argument
@click.option("--wait", is_flag=True, help="Wait until no run and no backfill is active; exit 1 if some still are.")
@click.option("--timeout", type=duration, help="Timeout of --wait. [default: 15m]")
def drain_command(session: Session, screen: Screen, *, job: str, wait: bool, timeout: float | None) -> None:
    """Pause a job, and show its active runs and backfills."""
    if timeout is not None and not wait:
        raise click.UsageError("--timeout needs --wait: add it, or remove --timeout")
    with session.connect() as client:
        client.pause(job)
        look = partial(_active, client, job, session.now() + AHEAD)
        active = _drained(session, screen, job, look, timeout or DRAIN_SECONDS) if wait else look()
    if screen.as_json:
        screen.data({"job": job, "active": active.runs, "backfills": active.backfills})
    elif not active:
        screen.line("drained", job)
    elif not wait:
        screen.line("paused", job, f"still active: {active}{active.skips}")
        for backfill in active.backfills[:_MOST_NAMED]:
            screen.line(f"backfill {backfill['state']}", job, backfill["id"])
        for run in active.runs[:_MOST_NAMED]:
            screen.line(*_run_cells(run, session), _TO_BE_SKIPPED if _will_be_skipped(run) else "")
    if wait and active:
        raise _still_active(job, active)


@command("redrive", examples=["redrive shop/report", "redrive shop/ --lost"])
@click.argument("job", metavar="[JOB]", required=False)
@run_argument
@click.option("-n", "--namespace", help="The job's namespace; without JOB, the namespace whose jobs are all redriven.")
@click.option("--lost", is_flag=True, help="Replace each lost run by a new one, at most once.")
def redrive_command(
    session: Session, screen: Screen, *, job: str | None, run_id: str | None, namespace: str | None, lost: bool
) -> None:
    """Resend all overdue runs of a job, of a namespace (NAMESPACE/), or one; with --lost, replace lost runs by new ones."""
    whole = _whole_namespace(job, namespace)
    if whole is None:
        name = full_name(job or "", namespace)
    elif run_id is not None:
        raise click.UsageError(f"a run belongs to one job: write {whole}/NAME before {run_id}")
    with session.connect() as client:
        if whole is None:
            with _namespace_hint(job if run_id is None and namespace is None else None):
                if run_id is None:
                    runs = client.redrive(name, lost=lost)
                else:
                    runs = with_run(session, client, name, run_id, lambda found: client.redrive(name, found, lost=lost))
        else:
            runs = client.redrive_namespace(whole, lost=lost)
        empty = whole is not None and not runs and not client.jobs_page(whole, limit=1)["items"]
    if screen.as_json:
        screen.data({"items": runs})
        return
    for run in runs:
        screen.line(*_redriven(run, lost=lost))
    if empty:
        screen.note(f"namespace {whole} has no jobs, and so no run to redrive")
    elif not runs:
        what = name if whole is None else f"namespace {whole}"
        screen.note(f"{what} has no lost run left to replace" if lost else f"{what} has no overdue run")


@contextmanager
def _namespace_hint(job: str | None) -> Iterator[None]:
    """Add to NotFound, if JOB has no namespace, that a slash makes it one."""
    try:
        yield
    except NotFound as error:
        if job is None or "/" in job:
            raise
        hint = f"to redrive all jobs of the namespace {job}, write {job}/"
        raise Failure({"hint": hint, **error.problem()}, exit_code=exit_code(error), message=error.message) from error


def _redriven(run: Run, *, lost: bool) -> list[Text | str]:
    named = [run["job"], run["run_id"]]
    if run["state"] not in FINISHED:
        return ["replaced" if lost else "sent again", *named]
    note = "replaced before, by this run" if lost else "has already ended; a worker completes its follow-up"
    return [state_text(run["state"]), *named, note]


def _whole_namespace(job: str | None, namespace: str | None) -> str | None:
    """The namespace of `NAMESPACE/`, or of `--namespace` without JOB; None where a job is named."""
    if job is None:
        if namespace is None:
            raise click.UsageError("name a job, or a whole namespace: NAMESPACE/ or --namespace NAMESPACE")
        return namespace
    given, slash, name = job.rpartition("/")
    if name or not given or not slash or "/" in given:
        return None
    if namespace not in (None, given):
        raise click.UsageError(f"JOB is namespace {given!r}, but --namespace is {namespace!r}: remove one of them")
    return given


def _active(client: Client, job: str, until: datetime) -> Active:
    """Runs that have not ended, and backfills that have not. Of the schedule's queued runs, only those due up to `until`: the pause
    keeps the later ones from starting.

    Backfills are read after runs: an active backfill may have no active run at the moment, between two of its runs.
    """
    runs = [run for run in client.runs(job, state="active") if is_due(run, until) or "~" in run["run_id"]]
    return Active(runs, [backfill for backfill in client.backfills(job) if backfill["finished_at"] is None])


def _will_be_skipped(run: Run) -> bool:
    """Whether a run of a paused job will be skipped: one that its schedule or its parents' runs created, and that waits to start."""
    created_by = run["run_id"].partition("~")[2]
    return run["state"] == "queued" and (not created_by or created_by.startswith("child-"))


def _of_run(run: Run) -> str:
    return f"run {run['run_id']}"


def _of_backfill(backfill: Backfill) -> str:
    return f"backfill {backfill['id']}"


def _drained(session: Session, screen: Screen, job: str, look: Callable[[], Active], timeout: float) -> Active:
    """Wait until nothing is active or the timeout; prints what is new and what has ended. Returns what is still active."""
    ends = session.monotonic() + timeout
    active = look()
    if active:
        screen.note(f"{job} is paused; waiting for {active}{active.skips}")
    while active and (left := ends - session.monotonic()) > 0:
        session.sleep(min(LOOK_EVERY, left))
        before, active = active, look()
        for each in [each for each in active.states if each not in before.states]:
            screen.note(f"{each} is new")
        remaining = active.joined(before)
        for each in [each for each in before.states if each not in active.states]:
            remaining = remaining.without(each)
            screen.note(f"{each} has ended; {remaining} left")
    return active


def _still_active(job: str, active: Active) -> Failure:
    named = [f"{each} ({state})" for each, state in active.states.items()]
    more = [f"{len(named) - _MOST_NAMED} more"] if len(named) > _MOST_NAMED else []
    ways = [f"`minutehand backfill cancel {job} ID` to end a backfill"] if active.backfills else []
    ways += [f"`minutehand cancel {job} RUN_ID` to end a run"] if active.runs else []
    detail = f"{job} is paused, and still active: {', '.join(named[:_MOST_NAMED] + more)}"
    hint = ", or ".join(["drain again to wait longer", *ways])
    return failure("not drained", detail, hint=hint, exit_code=Exit.FAILED)


def _run_cells(run: Run, session: Session) -> list[Text | str]:
    return [state_text(run["state"]), run["job"], run["run_id"], outcome(run, session.now())]
