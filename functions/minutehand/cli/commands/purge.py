"""The command `purge`."""

from datetime import datetime

import click

from minutehand.cli.command import Session, command, confirm_delete, job_argument
from minutehand.cli.params import Instant, local_times
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.words import counted


@command("purge", examples=["purge shop/report --before 30d", "purge shop/report --yes"])
@job_argument
@click.option(
    "--before", type=Instant(), metavar="WHEN", help="Only runs scheduled before this instant. [default: all]"
)
@local_times
@click.option("--yes", is_flag=True, help="Purge without confirmation.")
def purge_command(session: Session, screen: Screen, *, job: str, before: datetime | None, yes: bool) -> None:
    """Remove a job's runs for good, with their payloads and outputs. Runs of the last day lose only their outputs."""
    removed, emptied, active = 0, 0, 0
    with session.connect() as client:
        confirm_delete(session, screen, f"the runs of {job}", yes=yes)
        for page in client.purge(job, before=before):
            removed += len(page["removed"])
            emptied += len(page["emptied"])
            active += len(page["active"])
    done = {"job": job, "removed": removed, "emptied": emptied, "active": active}
    screen.result(done, lambda _: ["purged", job, f"{counted(removed, 'run')} removed"])
    if emptied and not screen.as_json:
        screen.note(f"{counted(emptied, 'run')} of the last day lost only outputs; purge again in a day")
    if active and not screen.as_json:
        screen.note(f"{counted(active, 'run')} still active and left alone; `minutehand cancel {job} RUN` ends one")
