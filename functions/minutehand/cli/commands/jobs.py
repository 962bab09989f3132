"""The commands `list`, `show`, `pause`, `resume` and `delete`."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Literal

import click

from minutehand.cli.command import command, confirm_delete, job_argument
from minutehand.cli.params import until_option
from minutehand.cli.screen.policy_text import SHOWN, policies, schedule_limits
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc, local, parse_instant
from minutehand.cli.session import Session
from minutehand.client import Job, SummaryStatus
from minutehand.client.calls import DEFAULT_NAMESPACE
from minutehand.client.paging import take


@command("list")
@click.option("-n", "--namespace", default=DEFAULT_NAMESPACE, show_default=True, help="The namespace to list.")
@click.option("--limit", type=click.IntRange(min=1), help="Maximum number of jobs. [default: all]")
@click.option("--cursor", help='Continue a list: the "next" of its JSON.')
def list_command(session: Session, screen: Screen, *, namespace: str, limit: int | None, cursor: str | None) -> None:
    """List the jobs of a namespace by name, each with its next run or why it is idle."""
    with session.connect() as client:
        page = take(lambda size, at: client.jobs_page(namespace, limit=size, cursor=at), limit=limit, cursor=cursor)
    screen.page(
        page,
        ["job", "schedule", "time zone", "target", "next run (UTC)"],
        lambda job: [
            f"{job['namespace']}/{job['name']}",
            _joined(job.get("schedule", "-")),
            str(job.get("timezone", "-")),
            str(job.get("target_type", "-")),
            next_run_text(job["status"]),
        ],
        empty=f"namespace {namespace} has no jobs; `minutehand apply -f FILE` saves some",
    )


@command("show")
@job_argument
def show_command(session: Session, screen: Screen, *, job: str) -> None:
    """Show a job's definition, and its next run in its time zone and in UTC, or why it is idle."""
    with session.connect() as client:
        found = client.get_job(job)
    if screen.as_json:
        screen.data(found)
    else:
        _show(screen, found)


@command("pause")
@job_argument
@until_option
def pause_command(session: Session, screen: Screen, *, job: str, until: datetime | timedelta | None) -> None:
    """Pause a job's schedule until `resume`, or until an instant. Runs that have started continue."""
    if isinstance(until, timedelta):
        until = session.now().replace(microsecond=0) + until
    with session.connect() as client:
        _changed(screen, client.pause(job, until=until), "paused")


@command("resume")
@job_argument
@click.option(
    "--catch-up",
    type=click.Choice(["skip", "latest", "all"]),
    default="skip",
    show_default=True,
    help="Which occurrences missed during the pause a backfill replays.",
)
def resume_command(session: Session, screen: Screen, *, job: str, catch_up: Literal["skip", "latest", "all"]) -> None:
    """Resume a paused job's schedule. Missed occurrences are dropped unless --catch-up replays them."""
    with session.connect() as client:
        resumed = client.resume(job, catch_up=catch_up)
    _changed(screen, resumed, "resumed")
    if backfill := resumed.get("backfill"):
        one = backfill["occurrences"] == 1
        screen.note(f"backfill {backfill['id']} replays {backfill['occurrences']:,} occurrence{'' if one else 's'}")
    elif catch_up != "skip":
        screen.note("the pause skipped no run")


@command("delete")
@job_argument
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def delete_command(session: Session, screen: Screen, *, job: str, yes: bool) -> None:
    """Delete a job, after confirmation. Its runs stay readable until their retention ends.

    Jobs that depend on it stay, but do not run until it is saved again; they are listed.
    """
    with session.connect() as client:
        children = cache(lambda: client.get_job(job)["status"].get("children", []))
        confirm_delete(session, screen, job, yes=yes, known=lambda: _dependents(children()))
        left = children()
        client.delete_job(job)
    screen.result({"job": job, "result": "deleted", "children": left}, "deleted", job)
    if left:
        screen.note(_dependents(left))


def _changed(screen: Screen, job: Job, what: str) -> None:
    screen.result(job, what, f"{job['namespace']}/{job['name']}", ": ".join(_next_run(job)))


def next_run_text(status: SummaryStatus) -> str:
    """The next run in UTC, with a remark if a pause delays it, or why there is none."""
    if status.get("next_run_at"):
        put_off = " (paused until then)" if status.get("idle_because") else ""
        return f"{in_utc(status['next_run_at'])}{put_off}"
    return f"idle: {status.get('idle_because') or 'no reason given'}"


def _next_run(job: Job) -> tuple[str, str]:
    """A field: the next run in the job's time zone and in UTC, or why the job is idle."""
    at = job["status"].get("next_run_at")
    timezone = str(job["status"].get("timezone") or job.get("timezone", "UTC"))
    if not at:
        return "idle", job["status"].get("idle_because") or "no reason given"
    if timezone == "UTC":
        return "next run", f"{in_utc(at)} UTC"
    try:
        return "next run", f"{local(parse_instant(at), timezone)} ({timezone}) = {in_utc(at)} UTC"
    except ValueError:
        return "next run", at


def _show(screen: Screen, job: Job) -> None:
    status = job["status"]
    target = job.get("target") or {}
    people = [("description", job.get("description")), ("owner", job.get("owner"))]
    labels = job.get("labels") or {}
    pairs: list[tuple[str, str]] = [("job", f"{job['namespace']}/{job['name']}")]
    pairs += [(name, str(value)) for name, value in people if value]
    if labels:
        pairs.append(("labels", ", ".join(f"{key}={value}" for key, value in labels.items())))
    pairs += [
        _next_run(job),
        ("schedule", f"{_joined(job.get('schedule'))} ({', '.join(_read_by(job))})"),
        *([("meaning", str(status["description"]))] if status.get("description") else []),
        *schedule_limits(job),
        ("target", _target(target)),
    ]
    if target.get("headers"):
        pairs.append(("headers", ", ".join(f"{key}: {value}" for key, value in target["headers"].items())))
    if target.get("mode", "auto") != "auto" or target.get("heartbeat"):
        heartbeat = f", a heartbeat every {target['heartbeat']}" if target.get("heartbeat") else ""
        pairs.append(("answers", f"{target.get('mode', 'auto')}{heartbeat}"))
    if job.get("payload") is not None:
        pairs.append(("payload", json.dumps(job["payload"], ensure_ascii=False)))
    rendered = {
        "namespace",
        "name",
        "description",
        "owner",
        "labels",
        "schedule",
        "timezone",
        "dialect",
        "calendars",
        "on_blocked",
        "start_at",
        "end_at",
        "max_runs",
        "jitter",
        "target",
        "payload",
        "status",
        *SHOWN,
    }
    pairs += [
        (name.replace("_", " "), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in job.items()
        if name not in rendered and value not in (None, "", [], {})
    ]
    pairs += policies(job)
    family = (("children", status.get("children")), ("deleted parents", status.get("deleted_parents")))
    pairs += [(name, ", ".join(jobs)) for name, jobs in family if jobs]
    pairs.append(
        (
            "revision",
            f"{status['revision']}, {in_utc(status.get('updated_at'))} UTC by {status.get('updated_by') or '-'}",
        )
    )
    screen.fields(pairs)


def _dependents(children: Sequence[str]) -> str:
    """A sentence about the jobs that depend on it; empty for none."""
    if not children:
        return ""
    return f"{'1 job depends' if len(children) == 1 else f'{len(children)} jobs depend'} on it: {', '.join(children)}."


def _joined(schedule: object) -> str:
    return "; ".join(map(str, schedule)) if isinstance(schedule, list) else str(schedule)


def _read_by(job: Job) -> list[str]:
    """The effective time zone and dialect."""
    status = job["status"]
    values = (status.get("timezone") or job.get("timezone"), status.get("dialect") or job.get("dialect"))
    return [str(value) for value in values if value is not None]


def _target(target: dict[str, object]) -> str:
    if target.get("type") == "http":
        return f"http {target.get('method', '')} {target.get('url', '')}"
    return json.dumps(target, ensure_ascii=False)
