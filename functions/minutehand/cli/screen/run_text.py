"""The outcome of a run, or what the run waits for, in a few words."""

from datetime import datetime, timedelta

from minutehand.cli.screen.command_result import in_short
from minutehand.cli.screen.styles import state_text
from minutehand.cli.screen.times import in_utc, milliseconds, parse_instant
from minutehand.client import Attempt, Run, RunError
from minutehand.client.models import FINISHED

SOON = timedelta(seconds=10)
"""Nothing is called late before this much time has passed: clocks differ, and workers need a moment."""


def later_start(run: Run) -> str | None:
    """When the run may start, in UTC, if that is later than its instant."""
    starts = run.get("starts_at")
    return in_utc(starts) if starts and starts != run.get("scheduled_for") else None


def gone_since(run: Run, now: datetime) -> str | None:
    """When the lease of a running run's worker ended, in UTC, if the worker is gone: it died, and none has taken the run over yet."""
    lease = run.get("lease_until") if run["state"] == "running" else None
    return in_utc(lease) if lease and parse_instant(lease) + SOON <= now else None


def outcome(run: Run, now: datetime) -> str:
    """Why the run was skipped, what it waits for at `now`, its progress, or how it ended."""
    if run.get("reason"):
        return str(run["reason"])
    by = run.get("cancelled_by")
    if run["state"] in FINISHED:
        cancelled = f"by {by}" if by and run["state"] == "cancelled" else ""
        return ", ".join(filter(None, (cancelled, _answer(run))))
    asked_to_end = f"cancellation requested by {by}" if by else ""
    return ", ".join(
        filter(None, (asked_to_end, progress(run), _gone(run, now), _waits(run, now), _answer(run)))
    ) or _since(run)


def run_cells(run: Run, now: datetime) -> list[str]:
    """A run as the cells of a line: its state, its job, its id, and its outcome."""
    return [state_text(run["state"]), run["job"], run["run_id"], outcome(run, now)]


def progress(run: Run) -> str:
    """The progress that the target reported last: `40 % copying`."""
    reported = run.get("progress")
    if not reported:
        return ""
    percent = reported.get("percent")
    return " ".join(filter(None, ("" if percent is None else f"{percent} %", str(reported.get("text") or ""))))


def endpoint_of(attempt: Attempt) -> str:
    """The endpoint that an attempt called last, and those that it tried before; empty for a target with one URL."""
    *before, last = attempt.get("endpoints") or [""]
    return f"{last} (not reached: {', '.join(before)})" if before else last


def used(run: Run) -> str:
    """The run's recorded usage in one line; empty if there is none, since its job does not set `record_units`."""
    units = run.get("units")
    if not units:
        return ""
    stored = units.get("stored_bytes")
    parts = (
        f"{units['write']:g} write and {units['read']:g} read units",
        _counted(units["calls"], "call"),
        _counted(units["messages"], "message"),
        f"{milliseconds(units['worker_ms'])} of a worker",
        f"{stored:,} bytes in S3" if stored else "",
    )
    return ", ".join(filter(None, parts))


def _counted(number: float, noun: str) -> str:
    return f"{number:g} {noun}{'' if number == 1 else 's'}"


def _gone(run: Run, now: datetime) -> str:
    gone = gone_since(run, now)
    return f"its worker is gone: its lease ended at {_beside(gone, run)}" if gone else ""


def _waits(run: Run, now: datetime) -> str:
    limit, again = run.get("waits_for"), run.get("retry_at")
    if again and (limit or run["state"] == "queued"):
        return f"waits for {limit or 'a free slot'}; tries again at {_beside(in_utc(again), run)}"
    starts = run.get("starts_at")
    match run["state"]:
        case "queued" if starts and parse_instant(starts) + SOON <= now:
            return f"due since {_beside(in_utc(starts), run)}, waits for its turn or a worker"
        case "queued" if start := later_start(run):
            return f"starts {_beside(start, run)}"
        case "retrying" if run.get("retry_at"):
            return f"tries again at {_beside(in_utc(run['retry_at']), run)}"
        case "waiting" if run.get("deadline_at"):
            return f"answers by {_beside(in_utc(run['deadline_at']), run)}"
    return ""


def _since(run: Run) -> str:
    """Since when a run is under way, of which nothing else is known."""
    begun = run.get("started_at") if run["state"] == "running" else None
    return f"since {_beside(in_utc(begun), run)}" if begun else ""


def _beside(at: str, run: Run) -> str:
    """An instant as text; if it is on the day for which the run was scheduled, only its time of day."""
    day, _, time = at.partition(" ")
    return time if in_utc(run.get("scheduled_for")).startswith(day) else at


def error_line(error: RunError | None) -> str:
    """An error in one line; empty for None."""
    return f"{error.get('type')}: {error.get('message')}".partition("\n")[0] if error else ""


def _answer(run: Run) -> str:
    result, error = run.get("result"), run.get("error")
    if error:
        return error_line(error)
    if result and result.get("type") == "http":
        return f"HTTP {result.get('status')}"
    return (in_short(result) or str(result.get("type", ""))) if result else ""
