"""A job's policies as text, without those at their defaults."""

from collections.abc import Iterator
from typing import Any

from minutehand.cli.screen.times import in_utc
from minutehand.client import Job

SHOWN = frozenset(
    (
        "depends_on",
        "join",
        "join_window",
        "paused",
        "max_concurrency",
        "run_timeout",
        "retry",
        "retention_count",
        "record_units",
    )
)
"""Fields of a job that `policies` renders."""


def policies(job: Job) -> Iterator[tuple[str, str]]:
    """Names and values of the policies that are set."""
    yield "paused", _paused(job.get("paused", False))
    if parents := job.get("depends_on"):
        joined = " and " if job.get("join") == "all" else " or "
        window = f", within one window of {job['join_window']}" if job.get("join_window") else ""
        yield "depends on", joined.join(f"{each['job']} ({each['on']})" for each in parents) + window
    for name in ("run_timeout", "max_concurrency", "retention_count"):
        if (value := job.get(name)) is not None:
            yield name.replace("_", " "), str(value)
    if job.get("record_units"):
        yield "record units", "yes"
    if retry := job.get("retry"):
        yield "retry", _retry(dict(retry))


def schedule_limits(job: Job) -> Iterator[tuple[str, str]]:
    """The limits of the schedule that are set."""
    if calendars := job.get("calendars"):
        blocked = str(job.get("on_blocked", "skip")).replace("_", " ")
        yield "calendars", f"{', '.join(map(str, calendars))} (when blocked: {blocked})"
    for name, at in (("starts", job.get("start_at")), ("ends", job.get("end_at"))):
        if at:
            yield name, f"{in_utc(at)} UTC"
    if (most := job.get("max_runs")) is not None:
        left = job["status"].get("runs_left")
        yield "max runs", f"{most}" if left is None else f"{most}, {left} left"
    if jitter := job.get("jitter"):
        yield "jitter", f"up to {jitter}"


def _paused(paused: Any) -> str:
    return f"until {in_utc(paused.get('until'))} UTC" if isinstance(paused, dict) else str(paused).lower()


def _retry(retry: dict[str, Any]) -> str:
    most = retry.get("max_attempts", 1)
    if most == 1:
        return "no: 1 attempt"
    backoff = retry.get("backoff") or {}
    factor, longest = backoff.get("factor"), backoff.get("max")
    waits = f"after {backoff.get('initial')}" + (
        f", each time {factor} times as long, up to {longest}" if factor != 1 else ""
    )
    spread = f", give or take {backoff['jitter']:.0%}" if backoff.get("jitter") else ""
    what = f"; on {', '.join(retry['retry_on'])}" if retry.get("retry_on") else ""
    not_what = f"; not on {', '.join(retry['give_up_on'])}" if retry.get("give_up_on") else ""
    return f"{most} attempts, {waits}{spread}{what}{not_what}"
