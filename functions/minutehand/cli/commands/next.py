"""The command `next`."""

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from minutehand.cli.command import Session, command, full_name
from minutehand.cli.failures import Failure
from minutehand.cli.params import Instant, Whole, zone_option
from minutehand.cli.screen.job_text import shadow_text
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import rfc3339
from minutehand.cli.screen.words import counted

if TYPE_CHECKING:
    from minutehand.schedule import Schedule

COUNT = 10
LIMIT = 1000
MOST_OF_A_JOB = 100
_NEVER = datetime.max.replace(tzinfo=UTC)
_OF_EXPR = ("timezone", "dialect", "name", "anchor")
_AHEAD = timedelta(days=14_610)
"""How far ahead a schedule is searched for its next instant: 40 years."""


@command(
    "next", examples=['next "*/15 9-17 * * MON-FRI" --timezone Europe/Paris', "next --job shop/report --after tomorrow"]
)
@click.argument("expressions", nargs=-1, metavar='["EXPR"...|-]')
@click.option("--job", help="Show the runs of this job from the API, instead of EXPR.")
@click.option("-n", "--namespace", help="The namespace of --job, unless it includes it. [default: default]")
@zone_option("The IANA time zone of EXPR, and of local times in --after and --between. [default: UTC]")
@click.option("--dialect", help="The dialect of EXPR. [default: detected]")
@click.option("--name", help="The job whose name H in EXPR hashes: NAMESPACE/NAME.")
@click.option(
    "--anchor",
    type=Instant(ahead=True),
    help="What @every and rate() in EXPR count from. [default: 1970-01-01T00:00:00Z]",
)
@click.option("-c", "--count", type=Whole(1, 1000), help=f"Maximum number of instants. [default: {COUNT}]")
@click.option(
    "--after",
    type=Instant(ahead=True),
    help="Only instants later than this, such as 2026-11-20T09:00:00Z. [default: now]",
)
@click.option(
    "--between",
    type=Instant(ahead=True),
    nargs=2,
    metavar="START END",
    help="All instants later than START, up to END.",
)
@click.option("--limit", type=Whole(1, 100_000), help=f"Maximum number of instants with --between. [default: {LIMIT}]")
def next_command(
    session: Session,
    screen: Screen,
    *,
    expressions: tuple[str, ...],
    job: str | None,
    namespace: str | None,
    timezone: str | None,
    dialect: str | None,
    name: str | None,
    anchor: datetime | None,
    count: int | None,
    after: datetime | None,
    between: tuple[datetime, datetime] | None,
    limit: int | None,
) -> None:
    """Show the next instants of a schedule, in its time zone and in UTC, with the effects of clock changes.

    EXPR is evaluated locally, without the API. Quote it, since a shell expands *. Several EXPRs are joined. With - as EXPR, or
    from a pipe, each line of stdin is a JSON question: {"schedule", "timezone", "dialect", "after", "count"}; each line of the
    answer is {"next": [...]} or {"error": {...}}.
    """
    if job is not None:
        _refuse("between", "limit", why="a job's runs are limited by --count and --after")
        _refuse(*_OF_EXPR, why="it applies to EXPR; a job has its own")
        if expressions:
            raise click.UsageError(_WHAT)
        if count is not None and count > MOST_OF_A_JOB:
            raise click.UsageError(
                f"--count is {count}: the maximum for a job is {MOST_OF_A_JOB}; continue with --after"
            )
        _show_job(session, screen, full_name(job, namespace), count or COUNT, after)
        return
    _refuse("namespace", why="it applies to --job")
    if expressions in ((), ("-",)):
        if not expressions and sys.stdin.isatty():
            raise click.UsageError(_WHAT)
        _refuse(*_OF_EXPR, "between", "limit", "count", "after", why="each line of stdin has its own")
        from minutehand.cli.documents.json_lines import answers  # noqa: PLC0415 - loads the schedules, as all below do

        answered = False
        for answer in answers(sys.stdin.buffer, session.now):
            print(answer, flush=True)
            answered = True
        if not answered and not expressions:
            raise click.UsageError(_WHAT)
        return
    if between is not None:
        _refuse("count", "after", why="--between is a span itself")
    else:
        _refuse("limit", why="it applies to --between; otherwise use --count")
    if len(expressions) > 4 and not any(" " in text.strip() or text.startswith("@") for text in expressions):
        raise click.UsageError("put the schedule in quotes: the shell has split it at its spaces")
    from minutehand.cli.screen.schedules import compiled  # noqa: PLC0415 - see above

    with _naming_the_option_for_jobs(expressions):
        schedule = compiled(expressions, "UTC" if timezone is None else timezone, dialect, name=name, anchor=anchor)
    if between is not None:
        _show_span(screen, schedule, *between, limit or LIMIT, timezone=timezone)
    else:
        _show_next(screen, schedule, after or session.now(), count or COUNT, timezone=timezone)


_JOB = re.compile(r"([a-z0-9._-]+/)?[a-z][a-z0-9._-]*")
_WHAT = 'give "EXPR" in quotes, --job NAMESPACE/NAME, or - for JSON questions on stdin'


@contextmanager
def _naming_the_option_for_jobs(expressions: Sequence[str]) -> Iterator[None]:
    """Add a hint to the failure of a schedule that looks like the name of a job."""
    try:
        yield
    except Failure as error:
        if len(expressions) == 1 and _JOB.fullmatch(expressions[0]):
            hint = f"for the next runs of a job: `minutehand next --job {expressions[0]}`"
            error.problem = {**error.problem, "hint": hint}
        raise


def _refuse(*options: str, why: str) -> None:
    for option in options:
        if click.get_current_context().params[option] is not None:
            raise click.UsageError(f"leave --{option} out: {why}")


def _show_next(screen: Screen, schedule: "Schedule", start: datetime, count: int, *, timezone: str | None) -> None:
    from minutehand.cli.screen.instants import show_instants  # noqa: PLC0415 - see above

    instants = schedule.between(start, _NEVER, count)
    whole = len(instants) == count
    end = instants[-1] if whole else min(start, _NEVER - _AHEAD) + _AHEAD
    show_instants(screen, schedule, instants, start=start, end=end, timezone=timezone)
    if not whole and not schedule.manual:
        screen.note(f"there is no further instant after {rfc3339(instants[-1] if instants else start)}")


def _show_span(
    screen: Screen, schedule: "Schedule", start: datetime, end: datetime, limit: int, *, timezone: str | None
) -> None:
    from minutehand.cli.screen.instants import show_instants  # noqa: PLC0415 - see above

    if end < start:
        raise click.UsageError(f"--between ends at {rfc3339(end)}, before it starts: write the earlier instant first")
    found = schedule.between(start, end, limit + 1)
    instants, cut = found[:limit], len(found) > limit
    until = instants[-1] if cut else end
    show_instants(screen, schedule, instants, start=start, end=until, timezone=timezone, cut=cut)
    if cut:
        more = "--limit shows more" if limit < 100_000 else "ask for a shorter span"
        screen.note(f"cut after {counted(limit, 'instant')}, at {rfc3339(instants[-1])}; {more}")
    elif not instants and not schedule.manual:
        screen.note(f"there is no instant after {rfc3339(start)}, up to {rfc3339(end)}")


def _show_job(session: Session, screen: Screen, name: str, count: int, after: datetime | None) -> None:
    with session.connect() as client:
        found = client.next_runs(name, count=count, after=after)
    if screen.as_json:
        screen.data(found)
        return
    from minutehand.cli.screen.instants import show_coming  # noqa: PLC0415 - see above

    show_coming(screen, found, found)
    items = found["items"]
    if items and (shadow := found.get("shadow_of")):
        screen.note(shadow_text(shadow))
    if found["idle_because"]:
        screen.note(f"{name}{'' if items else ' has no next run'}: {found['idle_because']}")
    if found.get("cut"):
        screen.note(f"continue with --after {items[-1]['at']}")
    elif len(items) < count and (items or not found["idle_because"]):
        last = items[-1]["at"] if items else rfc3339(after or session.now())
        screen.note(f"there is no further run after {last}")
