"""Times of day in the time zone of a job, unless the command line names another zone."""

from datetime import datetime
from typing import NamedTuple

import click

from minutehand.cli.command import Session
from minutehand.cli.params import Instant, named_zone
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import local
from minutehand.client import Client, NotFound


class Written(NamedTuple):
    """An instant as written. `at` is what it means in `--timezone`, or else in UTC; `is_local`: it is a time of day or a day's
    name, and neither the text nor `--timezone` names a zone."""

    text: str
    at: datetime
    is_local: bool


class WrittenInstant(click.ParamType[Written, str | Written]):
    """An instant (see `parse_when`) that is yet to be read in the time zone of a job."""

    name = "when"

    def convert(self, value: str | Written, param: click.Parameter | None, ctx: click.Context | None) -> Written:
        """Parse the text of an option or an argument, so that a wrong one is refused before a call."""
        if isinstance(value, Written):
            return value
        from minutehand.cli.when import is_fixed  # noqa: PLC0415 - many command lines have no instant

        at = Instant().convert(value, param, ctx)
        zone = named_zone(ctx or click.get_current_context())
        return Written(value, at, is_local=zone is None and not is_fixed(value))


def in_zone_of(
    job: str, written: list[Written | None], client: Client, session: Session, screen: Screen
) -> list[datetime | None]:
    """The instants, times of day read in the job's time zone: a note names it where it is not UTC. A job that does not exist any more has UTC.

    Raises BadParameter for a local time that a clock change of the zone skips or repeats.
    """
    if not any(each and each.is_local for each in written):
        return [each and each.at for each in written]
    try:
        found = client.get_job(job)
    except NotFound:
        return [each and each.at for each in written]
    zone = str(found["status"].get("timezone") or found["timezone"])
    return [each and _in_zone(each, zone, session, screen) for each in written]


def _in_zone(written: Written, zone: str, session: Session, screen: Screen) -> datetime:
    if not written.is_local or zone == "UTC":
        return written.at
    from minutehand.cli.when import parse_when  # noqa: PLC0415 - as above

    try:
        at = parse_when(written.text, now=session.now(), zone=zone)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    if at != written.at:
        screen.note(
            f"{written.text} is {local(at, zone)} in {zone}, the job's time zone; --timezone reads it in another"
        )
    return at
