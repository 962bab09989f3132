"""The commands `list`, `show` and `delete`."""

from collections.abc import Sequence
from functools import cache, partial
from typing import cast

import click

from minutehand.cli.command import Session, command, confirm_delete, job_argument
from minutehand.cli.params import Whole, label_option, namespace_options
from minutehand.cli.screen.job_text import job_fields, joined, next_run_text
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.styles import state_text
from minutehand.cli.similar import meant_namespace
from minutehand.client import JobFilters, JobSummary
from minutehand.client.calls import JOBS_AT_ONCE, take


@command("list", examples=["list -n shop", "list -A -l team=data --last"])
@namespace_options
@label_option("Only jobs with this label; repeat it for jobs with all of several.")
@click.option("--paused/--not-paused", default=None, help="Only jobs that are paused, or that are not.")
@click.option("--target", metavar="TYPE", help="Only jobs with this type of target.")
@click.option("-q", "--name", "text", metavar="TEXT", help="Only jobs whose names contain this text.")
@click.option("--last", is_flag=True, help="Show how each job's newest known run ended; costs a read of each run.")
@click.option("--limit", type=Whole(min=1), help="Maximum number of jobs. [default: all]")
@click.option("--cursor", help='Continue a list: the "next" in the JSON of its last page.')
def list_command(
    session: Session,
    screen: Screen,
    *,
    namespace: str | None,
    labels: Sequence[tuple[str, str]],
    paused: bool | None,
    target: str | None,
    text: str | None,
    last: bool,
    limit: int | None,
    cursor: str | None,
) -> None:
    """List the jobs of a namespace by name, or of all; each with its next run or why it is idle."""
    given = {"labels": dict(labels), "paused": paused, "target": target, "q": text, "last": last or None}
    filters = cast("JobFilters", {name: value for name, value in given.items() if value})
    if paused is False:
        filters["paused"] = False
    with session.connect() as client:
        fetch = partial(client.all_jobs_page if namespace is None else partial(client.jobs_page, namespace), **filters)
        page = take(lambda size, at: fetch(limit=size, cursor=at), limit=limit, cursor=cursor, at_once=JOBS_AT_ONCE)
        unknown = namespace is not None and not (page["items"] or screen.as_json)
        meant = meant_namespace(client, namespace or "") if unknown else ""
    where = "no namespace has" if namespace is None else f"namespace {namespace} has no"
    columns = ["job", "schedule", "time zone", "target", "next run (UTC)"]
    screen.page(
        page,
        [*columns, "last"] if last else columns,
        lambda job: [
            f"{job['namespace']}/{job['name']}",
            joined(job.get("schedule", "-")),
            str(job.get("timezone", "-")),
            str(job.get("target_type", "-")),
            next_run_text(job["status"]),
            *([_last(job)] if last else []),
        ],
        empty=f"{where} jobs{meant or (' like that' if filters else '; `minutehand apply -f FILE` saves some')}",
    )


def _last(job: JobSummary) -> str:
    """How the job's newest known run ended."""
    found = job.get("last_run")
    return "-" if found is None else state_text(found["state"])


@command("show", examples=["show shop/report", "show report -n shop -o json"])
@job_argument
def show_command(session: Session, screen: Screen, *, job: str) -> None:
    """Show a job's definition, and its next run in its time zone and in UTC, or why it is idle."""
    with session.connect() as client:
        found = client.get_job(job)
    screen.record(found, job_fields)


@command("delete", examples=["delete shop/report"])
@job_argument
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def delete_command(session: Session, screen: Screen, *, job: str, yes: bool) -> None:
    """Delete a job, after confirmation. Its runs stay readable until their retention ends.

    Jobs that depend on it stay, but do not run until it is saved again; they are listed.
    """
    with session.connect() as client:
        children = cache(lambda: client.get_job(job)["status"].get("children", []))
        confirm_delete(session, screen, job, yes=yes, known=lambda: _dependents(children()))
        left = children()
        client.delete_job(job)
    screen.result({"job": job, "result": "deleted", "children": left}, lambda _: ["deleted", job])
    if left:
        screen.note(_dependents(left))


def _dependents(children: Sequence[str]) -> str:
    """A sentence that names the jobs which depend on the deleted job; empty if there are none."""
    if not children:
        return ""
    return f"{'1 job depends' if len(children) == 1 else f'{len(children)} jobs depend'} on it: {', '.join(children)}."
