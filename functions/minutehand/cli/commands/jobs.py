"""The commands `list`, `show`, `pause`, `resume` and `delete`."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Literal

import click

from minutehand.cli.command import Session, command, confirm_delete, job_argument
from minutehand.cli.params import until_option
from minutehand.cli.screen.job_text import job_fields, joined, next_run, next_run_text
from minutehand.cli.screen.render import Screen
from minutehand.client.calls import DEFAULT_NAMESPACE, take


@command("list", examples=["list -n shop"])
@click.option("-n", "--namespace", default=DEFAULT_NAMESPACE, show_default=True, help="The namespace to list.")
@click.option("--limit", type=click.IntRange(min=1), help="Maximum number of jobs. [default: all]")
@click.option("--cursor", help='Continue a list: the "next" in the JSON of its last page.')
def list_command(session: Session, screen: Screen, *, namespace: str, limit: int | None, cursor: str | None) -> None:
    """List the jobs of a namespace by name, each with its next run or why it is idle."""
    with session.connect() as client:
        page = take(lambda size, at: client.jobs_page(namespace, limit=size, cursor=at), limit=limit, cursor=cursor)
    screen.page(
        page,
        ["job", "schedule", "time zone", "target", "next run (UTC)"],
        lambda job: [
            f"{job['namespace']}/{job['name']}",
            joined(job.get("schedule", "-")),
            str(job.get("timezone", "-")),
            str(job.get("target_type", "-")),
            next_run_text(job["status"]),
        ],
        empty=f"namespace {namespace} has no jobs; `minutehand apply -f FILE` saves some",
    )


@command("show", examples=["show shop/report", "show report -n shop -o json"])
@job_argument
def show_command(session: Session, screen: Screen, *, job: str) -> None:
    """Show a job's definition, and its next run in its time zone and in UTC, or why it is idle."""
    with session.connect() as client:
        found = client.get_job(job)
    screen.record(found, job_fields)


@command(
    "pause",
    examples=["pause shop/report --until 2h", 'pause shop/report --until "monday 9:00" --timezone Europe/Paris'],
)
@job_argument
@until_option
def pause_command(session: Session, screen: Screen, *, job: str, until: datetime | None) -> None:
    """Pause a job's schedule until `resume`, or until an instant. Runs that have started continue."""
    with session.connect() as client:
        paused = client.pause(job, until=until)
    screen.result(paused, lambda job: ["paused", f"{job['namespace']}/{job['name']}", ": ".join(next_run(job))])


@command("resume", examples=["resume shop/report", "resume shop/report --catch-up all"])
@job_argument
@click.option(
    "--catch-up",
    type=click.Choice(["skip", "latest", "all"]),
    default="skip",
    show_default=True,
    help="Which occurrences missed during the pause a backfill replays.",
)
def resume_command(session: Session, screen: Screen, *, job: str, catch_up: Literal["skip", "latest", "all"]) -> None:
    """Resume a paused job's schedule. Missed occurrences are dropped unless --catch-up replays them."""
    with session.connect() as client:
        was_paused = catch_up != "skip" and client.get_job(job)["paused"]
        resumed = client.resume(job, catch_up=catch_up)
    screen.result(resumed, lambda job: ["resumed", f"{job['namespace']}/{job['name']}", ": ".join(next_run(job))])
    if backfill := resumed.get("backfill"):
        one = backfill["occurrences"] == 1
        screen.note(f"backfill {backfill['id']} replays {backfill['occurrences']:,} occurrence{'' if one else 's'}")
    elif catch_up != "skip":
        why = "the job's present schedule names no instant in the pause" if was_paused else "the job was not paused"
        screen.note(f"nothing to replay: {why}")


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
