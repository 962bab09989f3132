"""The commands `cancel` and `redrive`."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import click

from minutehand.cli.command import Session, command, exit_code, full_name, job_argument
from minutehand.cli.failures import Failure
from minutehand.cli.run_names import run_argument, with_run
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.run_text import run_cells
from minutehand.cli.screen.styles import state_text
from minutehand.client import NotFound, Run
from minutehand.client.models import FINISHED


@command("cancel", examples=["cancel shop/report", "cancel shop/report 20261120T0900"])
@job_argument
@run_argument
def cancel_command(session: Session, screen: Screen, *, job: str, run_id: str | None) -> None:
    """Cancel a run, by default the newest that has not ended: at once if it waits for a start, a retry or an answer without heartbeats. Otherwise its worker ends the call,
    or its target learns of the cancel at the next heartbeat."""
    with session.connect() as client:
        run = with_run(session, client, job, run_id, partial(client.cancel, job), active=True)
    screen.result(run, lambda run: run_cells(run, session.now()))


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


def _redriven(run: Run, *, lost: bool) -> list[str]:
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
