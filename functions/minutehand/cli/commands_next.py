"""`next`."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

import click

from minutehand.cli.command import command, full_name
from minutehand.cli.failures import Exit, Failure
from minutehand.cli.params import Instant
from minutehand.cli.render import Screen
from minutehand.cli.session import Session
from minutehand.cli.times import local, parse_instant, rfc3339
from minutehand.client import Job
from minutehand.schedule import Schedule, ScheduleError


@command("next")
@click.argument("expression", required=False, metavar='["EXPR"]')
@click.option("--job", help="The schedule of this job, asked of the API, instead of EXPR.")
@click.option("-n", "--namespace", help="The namespace of --job, if it does not name it. [default: default]")
@click.option("--timezone", help="The IANA time zone of EXPR, such as Europe/Paris. [default: UTC]")
@click.option("--dialect", help="The dialect of EXPR. [default: by the text]")
@click.option("-c", "--count", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many instants.")
@click.option(
    "--after", type=Instant(), help="Only instants later than this, such as 2026-11-20T09:00:00Z. [default: now]"
)
def next_command(
    session: Session,
    screen: Screen,
    *,
    expression: str | None,
    job: str | None,
    namespace: str | None,
    timezone: str | None,
    dialect: str | None,
    count: int,
    after: datetime | None,
) -> None:
    """Show when a schedule is due next, in its time zone and in UTC.

    EXPR is read on this machine; no API is needed. Put it in quotes, since a shell reads * as file names.
    """
    if (expression is None) == (job is None):
        raise click.UsageError('say what to look at: either "EXPR" in quotes, or --job NAMESPACE/NAME')
    if job is None:
        if namespace is not None:
            raise click.UsageError("--namespace goes with --job")
        schedule = _compiled(str(expression), timezone or "UTC", dialect)
        start = after or session.now()
        instants = list(islice(_instants(schedule, start), count))
        _print(screen, schedule.timezone, instants)
        if len(instants) < count:
            _note_the_end(screen, instants[-1] if instants else start)
        return
    if timezone is not None or dialect is not None:
        raise click.UsageError("--job has its own time zone and dialect: leave --timezone and --dialect out")
    with session.connect() as client:
        found = client.get_job(full_name(job, namespace))
    instants = list(islice(_of_job(found, after), count))
    _print(screen, found["timezone"], instants)
    if instants or after is not None:
        if len(instants) < count:
            _note_the_end(screen, instants[-1] if instants else after)
    else:
        screen.note(
            f"{found['namespace']}/{found['name']} has no next run: {found['status'].get('idle_because') or 'none is left'}"
        )


def _of_job(job: Job, after: datetime | None) -> Iterator[datetime]:
    """What the API will dispatch: its own next run and what follows it. An idle job has nothing, unless `after` asks what would be."""
    told = job["status"].get("next_run_at")
    first = parse_instant(told) if told else None
    if first is None and after is None:
        return
    # Any instant of a fixed rate may serve as the anchor that the API keeps to itself.
    schedule = _compiled(
        job["schedule"], job["timezone"], job["dialect"], name=f"{job['namespace']}/{job['name']}", anchor=first
    )
    if after is not None:
        yield from _instants(schedule, after)
    elif first is not None:
        yield first
        yield from _instants(schedule, first)


def _instants(schedule: Schedule, after: datetime) -> Iterator[datetime]:
    instant = schedule.next(after)
    while instant is not None:
        yield instant
        instant = schedule.next(instant)


def _compiled(
    text: str, timezone: str, dialect: str | None, *, name: str | None = None, anchor: datetime | None = None
) -> Schedule:
    try:
        return Schedule.parse(text, timezone, dialect, name=name, anchor=anchor)
    except ScheduleError as error:
        field = {"path": error.field, "message": error.message, "hint": error.hint, "column": error.column}
        raise Failure(
            {"title": "invalid schedule", "detail": "the schedule cannot be used", "errors": [field]},
            exit_code=Exit.USAGE,
            texts={0: text},
        ) from error


def _note_the_end(screen: Screen, last: datetime | None) -> None:
    if last is not None:
        screen.note(f"there is no further instant after {rfc3339(last)}")


def _print(screen: Screen, timezone: str, instants: list[datetime]) -> None:
    if screen.as_json:
        screen.data({"next": [rfc3339(instant) for instant in instants]})
    elif instants:
        screen.table(
            [f"local ({timezone})", "UTC"],
            [[local(instant, timezone), f"{instant:%Y-%m-%d %H:%M:%S}"] for instant in instants],
        )
