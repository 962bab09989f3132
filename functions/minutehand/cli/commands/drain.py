"""The command `drain`."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

import click

from minutehand.cli.command import Session, command, job_argument
from minutehand.cli.failures import Exit, Failure, failure
from minutehand.cli.params import duration
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.run_text import SOON, outcome, run_cells
from minutehand.cli.screen.times import parse_instant
from minutehand.client import Backfill, Client, Run, is_due

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

    def startable(self, now: datetime) -> "Active":
        """These without the runs that cannot start: those that the pause skips once their limit, their turn or a worker comes."""
        return self._replace(runs=[run for run in self.runs if not _cannot_start(run, now)])

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
        active = look()
        if wait:
            _note_unstartable(screen, active, session.now())
            active = _drained(session, screen, job, lambda: look().startable(session.now()), timeout or DRAIN_SECONDS)
    if screen.as_json:
        screen.data({"job": job, "active": active.runs, "backfills": active.backfills})
    elif not active:
        screen.line("drained", job)
    elif not wait:
        screen.line("paused", job, f"still active: {active}{active.skips}")
        for backfill in active.backfills[:_MOST_NAMED]:
            screen.line(f"backfill {backfill['state']}", job, backfill["id"])
        for run in active.runs[:_MOST_NAMED]:
            screen.line(*run_cells(run, session.now()), _TO_BE_SKIPPED if _will_be_skipped(run) else "")
    if wait and active:
        raise _still_active(job, active)


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


def _cannot_start(run: Run, now: datetime) -> bool:
    """Whether a run of a paused job waits for something other than its instant, and will be skipped instead of started."""
    starts = parse_instant(run.get("starts_at") or run["scheduled_for"])
    return _will_be_skipped(run) and (run.get("retry_at") is not None or starts + SOON <= now)


def _note_unstartable(screen: Screen, active: Active, now: datetime) -> None:
    """Name the runs that are not waited for, and why."""
    runs = [run for run in active.runs if _cannot_start(run, now)]
    for run in runs[:_MOST_NAMED]:
        screen.note(f"not waiting for {_of_run(run)}, which the pause keeps from starting: {outcome(run, now)}")
    if len(runs) > _MOST_NAMED:
        screen.note(f"nor for {len(runs) - _MOST_NAMED} more")


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
