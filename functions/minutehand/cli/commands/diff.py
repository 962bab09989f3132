"""The command `diff-schedule`."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from minutehand.cli.command import Session, command, full_name
from minutehand.cli.params import Instant, Whole, zone_option
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.schedules import (
    compiled,
    head_line,
    print_warnings,
    shape,
    warnings_of,
)
from minutehand.cli.screen.times import local, parse_instant, rfc3339
from minutehand.cli.screen.words import rounded, runs_a_day
from minutehand.client import Job
from minutehand.schedule import Schedule
from minutehand.schedule.difference import Difference, difference

_LAST = datetime.max.replace(tzinfo=UTC)


@command(
    "diff-schedule",
    examples=['diff-schedule "0 * * * *" "*/30 * * * *"', 'diff-schedule --job shop/report "0 7 * * MON-FRI"'],
)
@click.argument("texts", nargs=-1, metavar='["OLD"] "NEW"')
@click.option("--job", help="Take OLD from this job; NEW inherits its time zone, dialect and name.")
@click.option("-n", "--namespace", help="The namespace of --job, unless it includes it. [default: default]")
@zone_option("The IANA time zone of OLD and NEW, and of a local time in --from. [default: UTC]")
@click.option("--old-timezone", help="The IANA time zone of OLD only.")
@click.option("--new-timezone", help="The IANA time zone of NEW only.")
@click.option("--dialect", help="The dialect of OLD and NEW. [default: detected]")
@click.option("--old-dialect", help="The dialect of OLD only.")
@click.option("--new-dialect", help="The dialect of NEW only.")
@click.option("--name", help="The job whose name H hashes: NAMESPACE/NAME.")
@click.option(
    "--anchor", type=Instant(ahead=True), help="What @every and rate() count from. [default: 1970-01-01T00:00:00Z]"
)
@click.option(
    "--from", "start", type=Instant(ahead=True), help="Start of the span, such as 2026-11-20T09:00:00Z. [default: now]"
)
@click.option("--days", type=Whole(1, 36_525), default=30, show_default=True, help="Length of the span.")
@click.option(
    "-c",
    "--count",
    type=Whole(0, 1000),
    default=5,
    show_default=True,
    help="Maximum number of added and of removed instants to show.",
)
def diff_schedule_command(
    session: Session,
    screen: Screen,
    *,
    texts: tuple[str, ...],
    job: str | None,
    namespace: str | None,
    start: datetime | None,
    days: int,
    count: int,
    **how: Any,
) -> None:
    """Show which runs an edit of a schedule adds and removes, over the next 30 days or another span.

    OLD and NEW are evaluated locally. Quote them, since a shell expands *. Several texts joined are a JSON list: '["0 9 * * *",
    "0 18 * * *"]'.
    """
    if namespace is not None and job is None:
        raise click.UsageError("--namespace goes with --job")
    if len(texts) != (2 if job is None else 1):
        needed = '"OLD" and "NEW"' if job is None else '"NEW" alone, since --job is the old one'
        raise click.UsageError(
            f"give {needed}, each in quotes; there {'is 1 text' if len(texts) == 1 else f'are {len(texts)} texts'}"
        )
    if job is None:
        old, new = _given(texts[0], "OLD", **how), _given(texts[1], "NEW", **how)
    else:
        for option in ("old_timezone", "old_dialect"):
            if how[option] is not None:
                raise click.UsageError(f"leave --{option.replace('_', '-')} out: --job has its own")
        with session.connect() as client:
            old, new = _of_job(client.get_job(full_name(job, namespace)), texts[0], **how)
    beside = _first_given(how["new_timezone"], how["timezone"])
    begin = session.now() if start is None else start
    if begin > _LAST - timedelta(days=days):
        raise click.UsageError("the span ends after the year 9999: choose an earlier --from or fewer --days")
    found = difference(old, new, begin, begin + timedelta(days=days), first=count)
    if screen.as_json:
        screen.data(_data(old, new, begin, found) | {"warnings": warnings_of(new, begin, beside)})
    else:
        _print_difference(screen, old, new, begin, found, timezone=beside)


def _given(text: str, called: str, *, name: str | None, anchor: datetime | None, **how: Any) -> Schedule:
    """OLD or NEW, compiled. Options for it alone override the options for both."""
    side = called.lower()
    timezone = _first_given(how[f"{side}_timezone"], how["timezone"], "UTC") or ""
    dialect = _first_given(how[f"{side}_dialect"], how["dialect"])
    return compiled(_texts(text), timezone, dialect, name=name, anchor=anchor, called=called)


def _first_given(*values: str | None) -> str | None:
    return next((value for value in values if value is not None), None)


def _of_job(job: Job, text: str, *, name: str | None, anchor: datetime | None, **how: Any) -> tuple[Schedule, Schedule]:
    """The job's schedule, and the schedule that the job would have with NEW in its place and with the given options."""
    zone, next_run = job["timezone"], job["status"].get("next_run_at")
    name = name or f"{job['namespace']}/{job['name']}"
    # The API does not tell from which anchor a fixed rate counts. Any instant of the rate can replace the anchor.
    anchor = anchor or (parse_instant(next_run) if next_run else None)
    schedule: Any = job["schedule"]
    texts = schedule if isinstance(schedule, list) else [schedule]
    old = compiled(texts, zone, job["dialect"], name=name, anchor=anchor, called="the job's schedule")
    # If the job's dialect is the one detected for the old text, nobody chose it, and the dialect of NEW is detected, too.
    chosen = old != compiled(texts, zone, None, name=name, anchor=anchor)
    how["timezone"] = _first_given(how["timezone"], zone)
    how["dialect"] = _first_given(how["dialect"], job["dialect"] if chosen else None)
    return old, _given(text, "NEW", name=name, anchor=anchor, **how)


def _texts(text: str) -> Sequence[str]:
    if not text.lstrip().startswith("["):
        return [text]
    try:
        texts = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{text!r:.60} is not a JSON list of schedules: {error}") from error
    if not isinstance(texts, list) or not texts or not all(isinstance(each, str) for each in texts):
        raise click.UsageError(f"{text!r:.60} is not a JSON list of schedules")
    return texts


def _a_day(runs: int, start: datetime, found: Difference) -> float:
    days = (found.until - start) / timedelta(days=1)
    return round(runs / days, 2) if days else 0.0


def _data(old: Schedule, new: Schedule, start: datetime, found: Difference) -> dict[str, Any]:
    def counted(runs: int) -> dict[str, Any]:
        return {"runs": runs, "per_day": _a_day(runs, start, found)}

    return {
        "old": shape(old),
        "new": shape(new),
        "from": rfc3339(start),
        "until": rfc3339(found.until),
        "cut": found.cut,
        "added": counted(found.added) | {"first": [rfc3339(instant) for instant in found.first_added]},
        "removed": counted(found.removed) | {"first": [rfc3339(instant) for instant in found.first_removed]},
        "kept": counted(found.kept),
    }


def _print_difference(
    screen: Screen, old: Schedule, new: Schedule, start: datetime, found: Difference, *, timezone: str | None
) -> None:
    days = rounded(round((found.until - start) / timedelta(days=1), 2))
    unit = "day" if days == "1" else "days"
    screen.fields(
        [
            ("old", head_line(old)),
            ("new", head_line(new)),
            ("span", f"{start:%Y-%m-%d %H:%M:%S} to {found.until:%Y-%m-%d %H:%M:%S} UTC, {days} {unit}"),
        ]
    )
    counts = {"added": found.added, "removed": found.removed, "kept": found.kept}
    averages = {what: _average(runs, start, found) for what, runs in counts.items()}
    screen.line("")
    if found.added or found.removed:
        screen.line(runs_a_day(averages["added"], averages["removed"]))
    else:
        screen.line("nothing changes" if found.kept else "neither schedule has an occurrence in this span")
    screen.table(["", "runs", "a day"], [[what, str(runs), averages[what]] for what, runs in counts.items()])
    for what, schedule, instants in (("added", new, found.first_added), ("removed", old, found.first_removed)):
        if instants:
            screen.line("")
            columns = [f"first {what} ({schedule.timezone})", "UTC"]
            screen.table(columns, [[local(at, schedule.timezone), f"{at:%Y-%m-%d %H:%M:%S}"] for at in instants])
    print_warnings(screen, new, start, timezone)
    for schedule, word in ((old, "OLD"), (new, "NEW")):
        if schedule.delay is not None:
            screen.note(f"{word} counts from the end of each run; this comparison counts as if runs took no time")
    if found.cut:
        read = found.added + found.removed + 2 * found.kept
        screen.note(
            f"compared up to {rfc3339(found.until)} only, after {read} instants; a smaller --days compares a shorter span"
        )


def _average(runs: int, start: datetime, found: Difference) -> str:
    average = _a_day(runs, start, found)
    return "less than 0.01" if runs and not average else rounded(average)
