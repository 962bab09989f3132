"""The command `output`."""

import click

from minutehand.cli.command import Session, command, job_argument
from minutehand.cli.params import Whole
from minutehand.cli.run_names import run_argument, with_run
from minutehand.cli.screen.render import Screen


@command("output", examples=["output shop/report", 'output shop/report "yesterday 09:00" --attempt 1'])
@job_argument
@run_argument
@click.option("--attempt", type=Whole(min=1, max=100), help="The attempt's number. [default: the newest]")
def output_command(session: Session, screen: Screen, *, job: str, run_id: str | None, attempt: int | None) -> None:
    """Print the full output of a run, by default of the newest, unchanged."""
    with session.connect() as client:
        output = with_run(session, client, job, run_id, lambda found: client.output(job, found, attempt=attempt))
    if screen.as_json:
        screen.data(output)
        return
    text = output["text"] or ""
    screen.text(text)
    if output["truncated"]:
        known = output["bytes"] > len(text.encode())
        of = f"of {output['bytes']:,} bytes, " if known else ""
        screen.note(f"incomplete: {of}the rest could not be kept or has expired")
    if output["cut"]:
        screen.note("the target sent more than 1 MiB; only the beginning was kept")
