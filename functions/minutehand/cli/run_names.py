"""Find the run that a command line names: by its id, by a unique beginning of it, by its instant, or as the newest."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

import click

from minutehand.cli.command import Session
from minutehand.cli.failures import Exit, Failure, failure
from minutehand.cli.params import given_zone, local_times
from minutehand.client import Client, NotFound, Run, is_due
from minutehand.client.calls import take

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

MOST_PAGES = 20
"""Maximum number of pages of runs that are read to find the beginning of an id."""
_MOST_NAMED = 10
_BEGINNING = re.compile(r"[0-9]{1,8}(?:T[0-9]{0,6}(?:Z(?:~[a-z0-9-]*)?)?)?")
_WHOLE = re.compile(r"[0-9]{8}T[0-9]{6}Z(?:~.+)?")


def run_argument(function: F) -> F:
    """Add the argument RUN, as `run_id`, and `--timezone`: to be found with `with_run`."""
    return click.argument("run_id", metavar="[RUN]", required=False)(local_times(function))


def with_run(
    session: Session, client: Client, job: str, given: str | None, call: Callable[[str], T], *, active: bool = False
) -> T:
    """Call `call` with the id of the run that is meant: the newest without `given`, or the newest that has not ended if `active`.

    Raises Failure when no run, or more than one, is meant.
    """
    if given is None:
        return call(_newest(client, job, session.now(), active=active))
    beginning = given if _BEGINNING.fullmatch(given) else _id_of(given, session.now())
    if not _WHOLE.fullmatch(beginning):
        return call(_only(client, job, beginning))
    try:
        return call(beginning)
    except NotFound as missing:
        try:
            found = _only(client, job, beginning)
        except Failure as unfound:
            if unfound.code is Exit.NOT_FOUND:
                raise missing from None
            raise
        if found == beginning:  # the run exists, but something of it does not
            raise
        return call(found)


def _newest(client: Client, job: str, now: datetime, *, active: bool) -> str:
    page = take(
        lambda size, cursor: client.runs_page(job, limit=size, cursor=cursor, state="active" if active else None),
        limit=1,
        keep=lambda run: is_due(run, now),
    )
    if not page["items"]:
        what = f"{job} has no run that has not ended" if active else f"{job} has no run that is due yet"
        hint = f"`minutehand runs {job} --upcoming` lists all of its runs"
        raise failure("no such run", what, hint=hint, exit_code=Exit.NOT_FOUND)
    return page["items"][0]["run_id"]


def _id_of(text: str, now: datetime) -> str:
    """The beginning of the ids of the runs of an instant. Raises UsageError for another text."""
    from minutehand.cli.when import parse_when  # noqa: PLC0415 - most command lines name a run by its id, or not at all

    zone = given_zone(click.get_current_context())
    try:
        return f"{parse_when(text, now=now, zone=zone):%Y%m%dT%H%M%SZ}"
    except ValueError as error:
        raise click.UsageError(f"{error}; RUN is also the beginning of a run's id, such as 20261120T09") from error


def _only(client: Client, job: str, beginning: str) -> str:
    """The one id that begins so."""
    found = [run["run_id"] for run in islice(_beginning_with(client, job, beginning), _MOST_NAMED + 1)]
    if len(found) == 1 or (found and found[-1] == beginning):
        return found[-1]
    if not found:
        detail = f"no run of {job} begins with {beginning}"
        hint = f"`minutehand runs {job}` lists the newest ones; the {MOST_PAGES * 50:,} newest are searched"
        raise failure("no such run", detail, hint=hint, exit_code=Exit.NOT_FOUND)
    more = " and more" if len(found) > _MOST_NAMED else ""
    detail = f"{beginning} begins the ids of several runs of {job}: {', '.join(found[:_MOST_NAMED])}{more}"
    raise failure("which run?", detail, hint="write more of the id", exit_code=Exit.USAGE)


def _beginning_with(client: Client, job: str, beginning: str) -> Iterator[Run]:
    """The runs whose ids begin so, newest first: a list of runs is in the order of their ids."""
    for page in islice(client.run_pages(job), MOST_PAGES):
        for run in page["items"]:
            if run["run_id"].startswith(beginning):
                yield run
            elif run["run_id"] < beginning:
                return
