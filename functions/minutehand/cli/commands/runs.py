"""The commands `trigger` and `runs`."""

from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import click

from minutehand.cli.command import Session, command, full_name, job_argument
from minutehand.cli.failures import Exit, failure
from minutehand.cli.params import Whole, duration, interval_options, json_value, label_option
from minutehand.cli.screen.folding import Folding
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.run_text import outcome, run_cells
from minutehand.cli.screen.styles import STATE_STYLES, state_text
from minutehand.cli.screen.times import in_utc, milliseconds
from minutehand.client import Client, Page, Run, StillRunning, TriggerOptions, follow_runs, is_due, wait_for_run
from minutehand.client.calls import DEFAULT_NAMESPACE, take
from minutehand.client.models import FINISHED

WAIT_SECONDS = 300.0
LONGEST_STATE = 9
CLAIMED_AHEAD = timedelta(minutes=15)
"""How far ahead of its instant a tick may claim a run: the longest look-ahead."""


@command("trigger", examples=["trigger shop/report --wait", "trigger shop/report --payload '{\"days\": 7}'"])
@job_argument
@click.option("--wait", is_flag=True, help="Wait until the run has ended; exit 1 unless it succeeded.")
@click.option("--timeout", type=duration, help="Timeout of --wait. [default: 5m]")
@click.option("--idempotency-key", help="The same key returns the same run. [default: a new key]")
@click.option(
    "--payload",
    type=json_value,
    metavar="JSON",
    help="JSON sent to the target instead of the job's payload: a value, @FILE, or - for stdin.",
)
@click.option("--ignore-overlap", is_flag=True, help="Run beside other runs of the job, whatever its overlap policy.")
def trigger_command(
    session: Session,
    screen: Screen,
    *,
    job: str,
    wait: bool,
    timeout: float | None,
    idempotency_key: str | None,
    payload: tuple[Any] | None,
    ignore_overlap: bool,
) -> None:
    """Run a job now, in addition to its schedule."""
    if timeout is not None and not wait:
        raise click.UsageError("--timeout needs --wait: add it, or remove --timeout")
    with session.connect() as client:
        options = TriggerOptions(idempotency_key=idempotency_key, ignore_overlap=ignore_overlap)
        if payload is not None:
            options["payload"] = payload[0]
        run = client.trigger(job, **options)
        if wait:
            screen.note(f"waiting for run {run['run_id']} of {run['job']}")
            run = _wait(session, screen, client, run, timeout or WAIT_SECONDS)
    screen.result(run, lambda run: run_cells(run, session.now()))
    if wait and run["state"] != "succeeded":
        detail = f"run {run['run_id']} of {run['job']} ended as {run['state']}"
        hint = f"`minutehand run {run['job']} {run['run_id']}` shows its full record"
        raise failure("the run did not succeed", detail, hint=hint, exit_code=Exit.FAILED)


@command(
    "runs",
    examples=["runs shop/report --state failed", "runs shop/report --follow", "runs -A --state attention --since 1d"],
)
@click.argument("job", required=False, metavar="[JOB]")
@click.option("-n", "--namespace", help=f"The namespace, of JOB or of all runs to list. [default: {DEFAULT_NAMESPACE}]")
@click.option(
    "-A", "--all-namespaces", "every", is_flag=True, help="Without JOB: all namespaces that the token may see."
)
@label_option("Without JOB: only runs of jobs that have this label now; repeat it for jobs with all of several.")
@click.option("--target", metavar="TYPE", help="Without JOB: only runs with this type of target.")
@interval_options("the runs' instants. Without JOB, the last 24 hours by default")
@click.option("--limit", type=Whole(min=1), default=20, show_default=True, help="Maximum number of runs, newest first.")
@click.option("--cursor", help='Continue a list with older runs: the "next" in the JSON of its last page.')
@click.option(
    "--state",
    type=click.Choice(["active", "attention", *STATE_STYLES]),
    help="Only runs in one state, active for all that have not ended, or attention for failed, timed_out and lost.",
)
@click.option("--upcoming", is_flag=True, help="Include runs claimed ahead, which wait for their instant.")
@click.option("--follow", is_flag=True, help="Keep printing runs that become due or change state, until Ctrl-C.")
def runs_command(
    session: Session,
    screen: Screen,
    *,
    job: str | None,
    namespace: str | None,
    every: bool,
    labels: Sequence[tuple[str, str]],
    target: str | None,
    start: datetime | None,
    end: datetime | None,
    limit: int,
    cursor: str | None,
    state: str | None,
    upcoming: bool,
    follow: bool,
) -> None:
    """List the due runs of a job, newest first; without JOB those of a namespace, or of all. With --follow, print a job's runs oldest
    first, then every change.
    """
    if job is None:
        _require_job(follow=follow)
    else:
        _refuse_with_job(every=every, labels=labels, target=target)
        job = full_name(job, namespace)
    if every and namespace is not None:
        raise click.UsageError("--all-namespaces and --namespace exclude each other: remove one of them")
    if follow and not (start is None and end is None):
        raise click.UsageError("--follow starts with the newest runs: remove --since and --until")
    if follow and cursor is not None:
        raise click.UsageError("--follow starts with the newest runs: remove --cursor")
    if follow and state is not None:
        raise click.UsageError("--follow prints every change of state: remove --state")
    if follow and upcoming:
        raise click.UsageError("--follow prints each run when it is due: remove --upcoming")
    now, folding = session.now(), Folding()
    whole = screen.as_json or state is not None or job is None
    with session.connect() as client:
        if follow and job is not None:
            _follow(session, screen, client, job, limit)
            return
        if job is None:
            where = None if every else namespace or DEFAULT_NAMESPACE
            ahead = now + CLAIMED_AHEAD if upcoming else None
            fetch: Callable[..., Page[Run]] = partial(
                client.all_runs_page,
                namespace=where,
                labels=dict(labels),
                target=target,
                state=state,
                start=start,
                end=end or ahead,
            )
        else:
            fetch = partial(client.runs_page, job, state=state, start=start, end=end)
        page = take(
            lambda size, at: fetch(limit=size, cursor=at),
            limit=limit,
            cursor=cursor,
            keep=lambda run: (upcoming or is_due(run, now)) and (whole or folding.keep(run)),
        )
    what = "no runs" if state is None else f"no {state} runs"
    whose = job or ("no namespace" if every else f"namespace {namespace or DEFAULT_NAMESPACE}")
    what = what.removeprefix("no ") if whose == "no namespace" else what
    screen.page(
        page,
        ["scheduled for (UTC)", *([] if job else ["job"]), "state", "try", "late", "took", "run", "outcome"],
        lambda run: [
            in_utc(run.get("scheduled_for")),
            *([] if job else [run["job"]]),
            state_text(run["state"]),
            str(run.get("attempt", "-")),
            milliseconds(run.get("lateness_ms")),
            milliseconds(run.get("duration_ms")),
            run["run_id"],
            f"{outcome(run, now)}{folding.more(run)}",
        ],
        empty=f"{whose} has {what}{_which(job, start, labels, upcoming=upcoming)}",
    )


def _which(job: str | None, start: datetime | None, labels: Sequence[tuple[str, str]], *, upcoming: bool) -> str:
    """Which runs were looked for, for the note about an empty list."""
    if job is not None and start is None:
        return "" if upcoming else " that are due yet"
    return f"{' like that' if labels else ''} {'in the last 24 hours' if start is None else 'in this interval'}"


def _require_job(*, follow: bool) -> None:
    if follow:
        raise click.UsageError("--follow prints the runs of one job: give JOB")


def _refuse_with_job(*, every: bool, labels: Sequence[tuple[str, str]], target: str | None) -> None:
    given = {"--all-namespaces": every, "--label": labels, "--target": target}
    if wrong := [name for name, value in given.items() if value]:
        raise click.UsageError(f"{wrong[0]} chooses among jobs, and JOB names one: remove either")


def _wait(session: Session, screen: Screen, client: Client, run: Run, timeout: float) -> Run:
    """Wait for the run's end, and print its states on the way. After a timeout, an error or Ctrl-C, the run continues: print its last record or a note."""
    shown = ""

    def show(latest: Run) -> None:
        nonlocal shown, run
        run = latest
        status = ", ".join(
            filter(
                None,
                (run["state"], f"attempt {run['attempt']}" if run.get("attempt") else "", outcome(run, session.now())),
            )
        )
        if run["state"] not in FINISHED and status != shown:
            shown = status
            screen.note(status)

    try:
        return wait_for_run(
            client, run, timeout=timeout, sleep=session.sleep, monotonic=session.monotonic, on_poll=show
        )
    except StillRunning as error:
        if screen.as_json:
            screen.data(error.run)
        raise
    except BaseException:
        if screen.as_json:
            screen.data(run)
        screen.note(f"the run continues; `minutehand run {run['job']} {run['run_id']}` shows how it ends")
        raise


def _follow(session: Session, screen: Screen, client: Client, job: str, first: int) -> None:
    try:
        with closing(follow_runs(client, job, first=first, sleep=session.sleep, now=session.now)) as events:
            for run in events:
                if screen.as_json:
                    screen.event(run)
                else:
                    screen.line(
                        in_utc(run.get("scheduled_for")),
                        state_text(run["state"], LONGEST_STATE),
                        f"attempt {run.get('attempt', '-')}",
                        f"late {milliseconds(run.get('lateness_ms')):>7}",
                        f"took {milliseconds(run.get('duration_ms')):>7}",
                        run["run_id"],
                        outcome(run, session.now()),
                    )
    except KeyboardInterrupt:
        screen.note("")
