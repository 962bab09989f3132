"""The command `namespaces`."""

import click

from minutehand.cli.command import Session, command
from minutehand.cli.commands.namespace import at_once
from minutehand.cli.params import Whole
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.client import Namespace
from minutehand.client.calls import take


@command("namespaces", examples=["namespaces"])
@click.option("--limit", type=Whole(min=1), help="Maximum number of namespaces. [default: all]")
@click.option("--cursor", help='Continue a list: the "next" in the JSON of its last page.')
def namespaces_command(session: Session, screen: Screen, *, limit: int | None, cursor: str | None) -> None:
    """List the namespaces that the token may see and that have, or had, a job, a quota or settings."""
    with session.connect() as client:
        page = take(
            lambda size, at: client.namespaces_page(limit=size, cursor=at), limit=limit, cursor=cursor, at_once=100
        )
    screen.page(
        page,
        ["namespace", "at once", "paused", "shadow"],
        _cells,
        empty="no namespace that the token may see has had a job",
    )


def _cells(namespace: Namespace) -> list[str]:
    status = namespace["status"]
    until = f"until {in_utc(status['paused_until'])} UTC" if status["paused_until"] else "until it is resumed"
    paused, shadow = until if status["paused"] else "no", "yes" if status["shadow"] else "no"
    return [namespace["namespace"], at_once(namespace), paused, shadow]
