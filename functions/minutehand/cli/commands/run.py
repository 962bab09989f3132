"""The command `run`."""

import json
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from minutehand.cli.command import Session, command, job_argument
from minutehand.cli.run_names import run_argument, with_run
from minutehand.cli.screen.command_result import command_result
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.run_text import endpoint_of, error_line, gone_since, later_start, progress, used
from minutehand.cli.screen.styles import state_text
from minutehand.cli.screen.times import in_utc, milliseconds
from minutehand.client import Attempt, Run
from minutehand.client.models import LockWait

_MOST_HOLDERS = 10


@command("run", examples=["run shop/report", "run shop/report 20261120T0900", 'run shop/report "yesterday 09:00"'])
@job_argument
@run_argument
def run_command(session: Session, screen: Screen, *, job: str, run_id: str | None) -> None:
    """Show the full record of a run, by default of the newest: its times, the response body, the log that a function answered with, the error with its stack trace."""
    with session.connect() as client:
        run = with_run(session, client, job, run_id, partial(client.run, job))
    screen.record(run, partial(_fields, now=session.now()))
    if screen.as_json:
        return
    result, error, attempts = run.get("result"), run.get("error"), run.get("attempts") or ()
    if len(attempts) > 1:
        screen.line("")
        tried = any(attempt.get("endpoints") for attempt in attempts)
        screen.table(
            [
                "attempt",
                "state",
                "started (UTC)",
                "finished (UTC)",
                "worker",
                *(["endpoint"] if tried else []),
                "error",
            ],
            [
                [
                    str(attempt["number"]),
                    _ended_as(attempt, run),
                    in_utc(attempt["started_at"]),
                    in_utc(attempt["finished_at"] or attempt.get("lost_at")),
                    attempt["worker"] or "-",
                    *([endpoint_of(attempt) or "-"] if tried else []),
                    error_line(attempt["error"]),
                ]
                for attempt in attempts
            ],
        )
    _show_result(screen, run)
    if result and result.get("log"):
        screen.block("\nlog of the target, its end", result["log"])
    if error and error.get("stack"):
        screen.block("\nstack", str(error["stack"]))


def _show_result(screen: Screen, run: Run) -> None:
    """What a command wrote and a handler returned; of every other target the body of its answer."""
    result = run.get("result")
    if not result or not (body := result.get("body")):
        return
    text = body if isinstance(body, str) else json.dumps(body, indent=2, ensure_ascii=False)
    command = command_result(result)
    if command is None:
        screen.block(f"\nbody{_left_out(run, text)}", text)
        return
    if command.returned:
        screen.block("\nreturned", command.returned)
    if command.output:
        screen.block(f"\noutput{_left_out(run, text)}", command.output)


def _ended_as(attempt: Attempt, run: Run) -> str:
    """How an attempt ended, or that it lost its worker: then another attempt has followed it."""
    lost = attempt["state"] == "running" and attempt["number"] < run.get("attempt", 0)
    return "lost its worker" if lost else state_text(attempt["state"])


def _left_out(run: Run, text: str) -> str:
    """The remark, in the heading of a run's response body, that the body is not shown in full; empty if it is."""
    output = run.get("output")
    if not output or not (output["truncated"] or output["cut"]):
        return ""
    cut = "; the target sent more than 1 MiB, of which only the beginning was kept" if output["cut"] else ""
    if not output["truncated"]:
        return " (cut: the target sent more)"
    if output["bytes"] <= len(text.encode()):
        return f" (the beginning; the rest could not be kept or has expired{cut})"
    shown = f"`minutehand output {run['job']} {run['run_id']}` prints them"
    return f" (part of {output['bytes']:,} bytes; {shown}{cut})"


def _fields(run: Run, now: datetime) -> Iterator[tuple[str, str]]:
    yield "run", run["run_id"]
    yield "job", run["job"]
    yield "state", state_text(run["state"])
    yield "attempt", str(run.get("attempt", "-"))
    yield "scheduled for", f"{in_utc(run.get('scheduled_for'))} UTC"
    if start := later_start(run):
        yield "starts at", f"{start} UTC"
    yield "claimed", in_utc(run.get("claimed_at"))
    yield "started", in_utc(run.get("started_at"))
    yield "finished", in_utc(run.get("finished_at"))
    if gone := gone_since(run, now):
        yield "worker", f"gone: its lease ended at {gone} UTC; another worker takes the run over"
    yield "late", milliseconds(run.get("lateness_ms"))
    yield "took", milliseconds(run.get("duration_ms"))
    if run.get("reason"):
        yield "because", str(run["reason"])
    yield from _waits(run)
    if (run["state"] == "retrying" or run.get("waits_for")) and run.get("retry_at"):
        yield "tries again", f"{in_utc(run['retry_at'])} UTC"
    if run.get("deadline_at"):
        yield "answers by", f"{in_utc(run['deadline_at'])} UTC"
    if text := progress(run):
        yield "progress", text
    if run.get("cancelled_by"):
        yield "cancelled by", str(run["cancelled_by"])
    if (attempts := run.get("attempts")) and (text := endpoint_of(attempts[-1])):
        yield "endpoint", text
    if text := used(run):
        yield "used", text
    if parents := run.get("parents"):
        yield "parents", ", ".join(f"{each['job']} {each['run_id']}" for each in parents)
    yield from _nodes(run)
    yield from _result(run)
    if error := run.get("error"):
        yield "error", f"{error.get('type')}: {error.get('message')}"


def _nodes(run: Run) -> Iterator[tuple[str, str]]:
    """The nodes of a run on several nodes, one in each line; of a run on one of them, its place."""
    if part := run.get("part_of"):
        place = f"{part['index'] + 1} of {part['total']}"
        yield "node", f"{part['node']} of pool {part['pool']}, {place} of run {part['run_id']}"
    for number, each in enumerate(run.get("nodes", ())):
        state = state_text(each["state"]) if each["state"] else "not started"
        yield "" if number else "nodes", " ".join((each["node"], state, each["run_id"] or "")).rstrip()


def _result(run: Run) -> Iterator[tuple[str, str]]:
    result = run.get("result")
    if command := command_result(result):
        yield "result", command.said
    elif result:
        rest = {key: value for key, value in result.items() if key not in ("body", "log") and value is not None}
        yield "result", ", ".join(f"{key} {value}" for key, value in rest.items())


def _waits(run: Run) -> Iterator[tuple[str, str]]:
    """What the run waits for: a slot of a limit, with the runs that hold its slots, or another run of its job."""
    if limit := run.get("waits_for"):
        yield "waits for", f"{limit} when it last looked; free by now" if run.get("held_by") == [] else limit
    yield from _holders(run)
    if behind := run.get("behind"):
        yield "waits for", _in_the_way(behind)


def _in_the_way(behind: LockWait) -> str:
    """The run of the same job for which a run waits, and how many others come before it."""
    begun = f", begun {in_utc(behind['since'])} UTC" if behind["since"] else ""
    before = behind["before"]
    others = f"; {before:,} {'run' if before == 1 else 'runs'} before it" if before else ""
    return f"run {behind['run_id']} of this job (overlap: {behind['overlap']}){begun}{others}"


def _holders(run: Run) -> Iterator[tuple[str, str]]:
    """The runs that hold the slots for which the run waits, one in each line."""
    holders = run.get("held_by")
    if holders is None:
        return
    lines = [f"{each['job']} {each['run_id']}, since {in_utc(each['since'])} UTC" for each in holders[:_MOST_HOLDERS]]
    if len(holders) > _MOST_HOLDERS:
        lines.append(f"and {len(holders) - _MOST_HOLDERS:,} more")
    for number, line in enumerate(lines):
        yield "" if number else "held by", line
