"""The command `explain`."""

import re
from functools import partial

import click

from minutehand.cli.command import Session, command, job_argument
from minutehand.cli.job_times import Written, WrittenInstant, in_zone_of
from minutehand.cli.params import local_times
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.styles import state_text
from minutehand.cli.screen.times import in_utc
from minutehand.client import Finding


@command(
    "explain",
    examples=[
        'explain shop/report "yesterday 09:00"',
        'explain shop/report --from "monday 0:00" --timezone Europe/Paris',
    ],
)
@job_argument
@partial(local_times, default="the job's, with a date UTC")
@click.argument("when", type=WrittenInstant(), required=False)
@click.option("--from", "start", type=WrittenInstant(), help="Start of the range. [default: a day ago]")
@click.option("--to", "end", type=WrittenInstant(), help="End of the range, exclusive. [default: now]")
def explain_command(
    session: Session, screen: Screen, *, job: str, when: Written | None, start: Written | None, end: Written | None
) -> None:
    """Explain what happened at WHEN, such as 09:00 or 2026-11-20T09:00:00Z, or in a range, or why nothing did.

    The default is the last day. A time of day, such as 09:00 or "monday 8:30", is in the job's time zone, and one with a date in UTC, unless
    --timezone names another.
    """
    if when is not None and (start or end):
        raise click.UsageError("WHEN is one instant, --from and --to are a range: give either")
    if end is not None and start is None:
        raise click.UsageError("--to is the end of a range: add its start with --from")
    with session.connect() as client:
        at, begin, stop = in_zone_of(job, [when, start, end], client, session, screen)
        found = client.explain(job, at=at, start=begin, end=stop)
    if screen.as_json:
        screen.data(found)
        return
    if when is not None:
        for finding in found["items"]:
            screen.line(f"{in_utc(finding['first'])} UTC", state_text(_what(finding)), _why(finding))
    elif found["items"]:
        screen.table(
            ["from (UTC)", "to (UTC)", "times", "what", "why"],
            [
                [
                    in_utc(finding["first"]),
                    "" if finding["first"] == finding["last"] else in_utc(finding["last"]),
                    "" if finding["times"] is None else f"{finding['times']:,}",
                    state_text(_what(finding)),
                    _why(finding),
                ]
                for finding in found["items"]
            ],
        )
    if found["beside"]:
        screen.line("")
        screen.line("beside it:")
        for finding in found["beside"]:
            run = finding["run"]
            screen.line(f"{in_utc(finding['first'])} UTC", finding["text"], run["run_id"] if run else "")
    if when is None and found["next"]:
        screen.note(f"more: --from {found['next']} --to {found['to']}")


def _what(finding: Finding) -> str:
    """A finding in a few words: the state of the run that it is about, or else the kind of finding."""
    run = finding["run"]
    return run["state"] if run else finding["kind"].replace("_", " ")


def _why(finding: Finding) -> str:
    """The finding's sentence without its first word, the run's state or the kind: the column before shows that. If the schedule did
    not name the run, its id follows: other runs may have the same instant."""
    what = re.escape(_what(finding).replace("_", " "))
    text = re.sub(rf"^{what}[:;]? ", "", finding["text"])
    run_id = finding["run"]["run_id"] if finding["run"] else ""
    return f"{text} (run {run_id})" if "~" in run_id else text
