"""The command `output`."""

import click

from minutehand.cli.command import Session, command, job_argument
from minutehand.cli.params import Whole
from minutehand.cli.screen.render import Screen


@command("output")
@job_argument
@click.argument("run_id")
@click.option("--attempt", type=Whole(min=1, max=100), help="The attempt's number. [default: the newest]")
def output_command(session: Session, screen: Screen, *, job: str, run_id: str, attempt: int | None) -> None:
    """Print the full output of a run, unchanged."""
    with session.connect() as client:
        output = client.output(job, run_id, attempt=attempt)
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
