"""A job's definition as names and values, its next run, and its policies without those at their defaults."""

import json
import shlex
from collections.abc import Iterator
from typing import Any

from minutehand.cli.screen.times import in_utc, local, parse_instant
from minutehand.client import Job, JobStatus, SummaryStatus

MOST_SHOWN = 1000
"""Maximum number of characters of a value."""
_ABOUT = ("namespace", "name", "description", "owner", "labels", "status", "target", "payload")
_SCHEDULE = ("schedule", "timezone", "dialect", "calendars", "on_blocked", "start_at", "end_at", "max_runs", "jitter")
_DEPENDENCIES = ("depends_on", "join", "join_window")
_POLICIES = ("paused", "shadow", "max_concurrency", "limits", "run_timeout", "retry", "retention_count", "record_units")
_RENDERED = frozenset((*_ABOUT, *_SCHEDULE, *_DEPENDENCIES, *_POLICIES))
"""Fields of a job that this module words itself. Others, which a later API may add, are printed as they are."""


def job_fields(job: Job) -> Iterator[tuple[str, str]]:
    """Names and values of a job's definition, with its next run or why it is idle."""
    status, target = job["status"], job.get("target") or {}
    yield "job", f"{job['namespace']}/{job['name']}"
    for name, value in (("description", job.get("description")), ("owner", job.get("owner"))):
        if value:
            yield name, str(value)
    if labels := job.get("labels"):
        yield "labels", ", ".join(f"{key}={value}" for key, value in labels.items())
    yield next_run(job)
    if shadow := status.get("shadow_of"):
        yield "shadow", shadow_text(shadow)
    if status.get("next_run_at") and status.get("idle_because"):
        yield "until then", _idle_because(status)
    read_by = (status.get("timezone") or job.get("timezone"), status.get("dialect") or job.get("dialect"))
    effective = ", ".join(str(value) for value in read_by if value is not None)
    yield "schedule", f"{joined(job.get('schedule'))} ({effective})"
    if status.get("description"):
        yield "meaning", str(status["description"])
    yield from _schedule_limits(job)
    yield from _target(target)
    if job.get("payload") is not None:
        yield "payload", _shortened(json.dumps(job["payload"], ensure_ascii=False))
    for field, content in job.items():
        if field == "overlap" and content == "allow" and _is_fixed_delay(job):
            yield "overlap", "skip, since a fixed delay has one run at a time"
        elif field not in _RENDERED and content not in (None, "", [], {}):
            text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
            yield field.replace("_", " "), _shortened(text)
    yield from policies(job)
    for name, jobs in (("children", status.get("children")), ("deleted parents", status.get("deleted_parents"))):
        if jobs:
            yield name, ", ".join(jobs)
    changed = f"{in_utc(status.get('updated_at'))} UTC by {status.get('updated_by') or '-'}"
    yield "revision", f"{status['revision']}, {changed}"


def _shortened(text: str) -> str:
    """The text; if it is long, its beginning and how to see the rest."""
    if len(text) <= MOST_SHOWN:
        return text
    return f"{text[:MOST_SHOWN]}… ({MOST_SHOWN:,} of {len(text):,} characters; --output json shows all)"


def _is_fixed_delay(job: Job) -> bool:
    """Whether the schedule is a fixed delay (`@after`), which treats the overlap policy `allow` as `skip`."""
    return "@after" in joined(job.get("schedule")).split()


def next_run(job: Job) -> tuple[str, str]:
    """A field: the next run in the job's time zone and in UTC, or why the job is idle."""
    at = job["status"].get("next_run_at")
    timezone = str(job["status"].get("timezone") or job.get("timezone", "UTC"))
    if not at:
        return "idle", _idle_because(job["status"])
    if timezone == "UTC":
        return "next run", f"{in_utc(at)} UTC"
    try:
        return "next run", f"{local(parse_instant(at), timezone)} ({timezone}) = {in_utc(at)} UTC"
    except ValueError:
        return "next run", at


def shadow_text(shadow_of: str) -> str:
    """That runs call no target, and what is in shadow: the job, its namespace or the stack."""
    return f"runs call no target: the {shadow_of} is in shadow"


def next_run_text(status: SummaryStatus) -> str:
    """The next run in UTC, with remarks if a pause delays it or it will call no target, or why there is none."""
    if status.get("next_run_at"):
        paused = status.get("paused_until")
        put_off = f" (paused until {in_utc(paused)})" if paused else ""
        shadow = " (shadow)" if status.get("shadow_of") else ""
        return f"{in_utc(status['next_run_at'])}{put_off}{shadow}"
    return f"idle: {_idle_because(status)}"


def _idle_because(status: SummaryStatus | JobStatus) -> str:
    return status.get("idle_because") or "no reason given"


def joined(schedule: object) -> str:
    """A schedule's text, or its texts in a line."""
    return "; ".join(map(str, schedule)) if isinstance(schedule, list) else str(schedule)


def policies(job: Job) -> Iterator[tuple[str, str]]:
    """Names and values of the policies that are set."""
    paused: Any = job.get("paused", False)
    yield "paused", f"until {in_utc(paused.get('until'))} UTC" if isinstance(paused, dict) else str(paused).lower()
    if parents := job.get("depends_on"):
        joined = " and " if job.get("join") == "all" else " or "
        window = f", within one window of {job['join_window']}" if job.get("join_window") else ""
        yield "depends on", joined.join(f"{each['job']} ({each['on']})" for each in parents) + window
    for name in ("run_timeout", "max_concurrency", "retention_count"):
        if (value := job.get(name)) is not None:
            yield name.replace("_", " "), str(value)
    if limits := job.get("limits"):
        yield "limits", ", ".join(f"{each['name']} (at most {each['max']})" for each in limits)
    if job.get("record_units"):
        yield "record units", "yes"
    if retry := job.get("retry"):
        yield "retry", _retry(dict(retry))


def _schedule_limits(job: Job) -> Iterator[tuple[str, str]]:
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


def _target(target: dict[str, Any]) -> Iterator[tuple[str, str]]:
    match target.get("type"):
        case "http":
            yield from _http(target)
        case "command":
            yield from _command(target)
        case other:
            yield "target", str(other)
            for name, value in target.items():
                if name != "type" and value not in (None, "", [], {}, False):
                    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                    yield name.replace("_", " "), text


def _http(target: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "target", f"http {target.get('method', '')} {target.get('url', '')}"
    if target.get("headers"):
        yield "headers", ", ".join(f"{key}: {value}" for key, value in target["headers"].items())
    if target.get("query"):
        yield "query", ", ".join(f"{key}={value}" for key, value in target["query"].items())
    for kind, value in (target.get("body") or {}).items():
        if value not in (None, {}, ""):
            yield f"{kind} body", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    expect = target.get("expect") or {}
    if expect.get("status", ["2xx"]) != ["2xx"] or expect.get("body"):
        pattern = f", a body that matches {expect['body']}" if expect.get("body") else ""
        yield "expects", f"{' or '.join(expect.get('status', ['2xx']))}{pattern}"
    if target.get("redirects"):
        yield "redirects", f"up to {target['redirects']}"
    if (target.get("tls") or {}).get("ca"):
        yield "trusts", f"the system's authorities and {target['tls']['ca'].count('BEGIN CERTIFICATE')} more"
    if target.get("signing_key"):
        yield "signed with", target["signing_key"]
    if target.get("mode", "auto") != "auto" or target.get("heartbeat"):
        heartbeat = f", a heartbeat every {target['heartbeat']}" if target.get("heartbeat") else ""
        yield "answers", f"{target.get('mode', 'auto')}{heartbeat}"


def _command(target: dict[str, Any]) -> Iterator[tuple[str, str]]:
    node = f"node {target['node']}" if target.get("node") else "any node"
    yield "target", f"{'handler' if target.get('handler') else 'command'} on {node} of pool {target.get('pool', '')}"
    if target.get("at_start"):
        yield "also runs", "when a machine starts"
    command = target.get("command")
    if target.get("handler"):
        yield "handler", str(target["handler"])
    elif isinstance(command, list):
        yield "command", _shortened(shlex.join(map(str, command)))
    else:
        yield "command", _shortened(str(command or ""))
        yield "shell", str(target.get("shell", ""))
    for name in ("directory", "user"):
        if value := target.get(name):
            yield name, str(value)
    if environment := target.get("environment"):
        yield "environment", _shortened(", ".join(f"{name}={value}" for name, value in environment.items()))
    if target.get("stdin") == "none":
        yield "stdin", "nothing"
    if (codes := target.get("success_codes", [0])) != [0]:
        yield "succeeds with", f"exit code {' or '.join(map(str, codes))}"
    if codes := target.get("skipped_codes"):
        yield "is skipped with", f"exit code {' or '.join(map(str, codes))}"
    if target.get("heartbeat"):
        yield "heartbeat", str(target["heartbeat"])


def _retry(retry: dict[str, Any]) -> str:
    most = retry.get("max_attempts", 1)
    if most == 1:
        return "no: 1 attempt"
    backoff = retry.get("backoff") or {}
    factor, longest = backoff.get("factor"), backoff.get("max")
    growing = f", each time {factor} times as long, up to {longest}" if factor != 1 else ""
    spread = f", give or take {backoff['jitter']:.0%}" if backoff.get("jitter") else ""
    what = f"; on {', '.join(retry['retry_on'])}" if retry.get("retry_on") else ""
    not_what = f"; not on {', '.join(retry['give_up_on'])}" if retry.get("give_up_on") else ""
    return f"{most} attempts, after {backoff.get('initial')}{growing}{spread}{what}{not_what}"
