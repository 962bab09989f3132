"""`trigger`, `runs`, `run`."""

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import click
from rich.text import Text

from minutehand.cli.command import command, job_argument
from minutehand.cli.failures import Exit, Failure
from minutehand.cli.params import Duration, JsonValue
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.run_text import error_line, later_start, outcome, progress, used
from minutehand.cli.screen.tables import STATE_STYLES, state_text
from minutehand.cli.screen.times import in_utc, milliseconds
from minutehand.cli.session import Session
from minutehand.client import Client, Run, StillRunning, TriggerOptions, follow_runs, is_due, wait_for_run
from minutehand.client.paging import take

WAIT_SECONDS = 300.0
LONGEST_STATE = 9


@command("trigger")
@job_argument
@click.option("--wait", is_flag=True, help="Wait until the run has ended; exit 1 unless it succeeded.")
@click.option("--timeout", type=Duration(), help="Timeout of --wait. [default: 5m]")
@click.option("--idempotency-key", help="The same key returns the same run. [default: a new key]")
@click.option(
    "--payload",
    type=JsonValue(),
    help="JSON sent to the target instead of the job's payload: a value, @FILE, or - for stdin.",
)
@click.option("--ignore-overlap", is_flag=True, help="Run beside other runs of the job, whatever its overlap policy.")
def trigger_command(
    session: Session,
    screen: Screen,
    *,
    job: str,
    wait: bool,
    timeout: float | None,
    idempotency_key: str | None,
    payload: tuple[Any] | None,
    ignore_overlap: bool,
) -> None:
    """Run a job now, beside its schedule."""
    if timeout is not None and not wait:
        raise click.UsageError("--timeout needs --wait: add it, or remove --timeout")
    with session.connect() as client:
        options = TriggerOptions(idempotency_key=idempotency_key, ignore_overlap=ignore_overlap)
        if payload is not None:
            options["payload"] = payload[0]
        run = client.trigger(job, **options)
        if wait:
            screen.note(f"waiting for run {run['run_id']} of {run['job']}")
            run = _wait(session, screen, client, run, timeout or WAIT_SECONDS)
    if screen.as_json:
        screen.data(run)
    else:
        screen.line(state_text(run["state"]), run["job"], run["run_id"], outcome(run))
    if wait and run["state"] != "succeeded":
        raise Failure(
            {
                "title": "the run did not succeed",
                "detail": f"run {run['run_id']} of {run['job']} ended as {run['state']}",
                "hint": f"`minutehand run {run['job']} {run['run_id']}` shows its full record",
            },
            exit_code=Exit.FAILED,
        )


@command("runs")
@job_argument
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Maximum number of runs, newest first."
)
@click.option("--cursor", help='Continue a list with older runs: the "next" of its JSON.')
@click.option(
    "--state",
    type=click.Choice(["active", *STATE_STYLES]),
    help="Only runs in one state, or active for all that have not ended.",
)
@click.option("--upcoming", is_flag=True, help="Include runs claimed ahead, which wait for their instant.")
@click.option("--follow", is_flag=True, help="Keep printing runs that become due or change state, until Ctrl-C.")
def runs_command(
    session: Session,
    screen: Screen,
    *,
    job: str,
    limit: int,
    cursor: str | None,
    state: str | None,
    upcoming: bool,
    follow: bool,
) -> None:
    """List a job's due runs, newest first; with --follow oldest first, then every change."""
    if follow and cursor is not None:
        raise click.UsageError("--follow starts with the newest runs: remove --cursor")
    if follow and state is not None:
        raise click.UsageError("--follow prints every change of state: remove --state")
    if follow and upcoming:
        raise click.UsageError("--follow prints each run when it is due: remove --upcoming")
    now = session.now()
    with session.connect() as client:
        if follow:
            _follow(session, screen, client, job, limit)
            return
        page = take(
            lambda size, at: client.runs_page(job, limit=size, cursor=at, state=state),
            limit=limit,
            cursor=cursor,
            keep=lambda run: upcoming or is_due(run, now),
        )
    if screen.as_json:
        screen.data(page)
        return
    if not page["items"]:
        what = "no runs" if state is None else f"no {state} runs"
        screen.note(f"{job} has {what}" if upcoming else f"{job} has {what} that are due yet")
        return
    screen.table(
        ["scheduled for (UTC)", "state", "try", "late", "took", "run", "outcome"],
        [
            [
                in_utc(run.get("scheduled_for")),
                state_text(run["state"]),
                str(run.get("attempt", "-")),
                milliseconds(run.get("lateness_ms")),
                milliseconds(run.get("duration_ms")),
                run["run_id"],
                outcome(run),
            ]
            for run in page["items"]
        ],
    )
    if page["next"]:
        screen.note(f"more: --cursor {page['next']}")


@command("run")
@job_argument
@click.argument("run_id")
def run_command(session: Session, screen: Screen, *, job: str, run_id: str) -> None:
    """Show the full record of a run: its times, the response body, the error with its stack trace."""
    with session.connect() as client:
        run = client.run(job, run_id)
    if screen.as_json:
        screen.data(run)
        return
    result = run.get("result")
    error = run.get("error")
    pairs: list[tuple[str, str | Text]] = [
        ("run", run["run_id"]),
        ("job", run["job"]),
        ("state", state_text(run["state"])),
        ("attempt", str(run.get("attempt", "-"))),
        ("scheduled for", f"{in_utc(run.get('scheduled_for'))} UTC"),
        *([("starts at", f"{start} UTC")] if (start := later_start(run)) else []),
        ("claimed", in_utc(run.get("claimed_at"))),
        ("started", in_utc(run.get("started_at"))),
        ("finished", in_utc(run.get("finished_at"))),
        ("late", milliseconds(run.get("lateness_ms"))),
        ("took", milliseconds(run.get("duration_ms"))),
    ]
    pairs += _story(run)
    if result:
        rest = {key: value for key, value in result.items() if key != "body" and value is not None}
        pairs.append(("result", ", ".join(f"{key} {value}" for key, value in rest.items())))
    if error:
        pairs.append(("error", f"{error.get('type')}: {error.get('message')}"))
    screen.fields(pairs)
    if len(run.get("attempts") or ()) > 1:
        screen.line("")
        _attempts(screen, run)
    if result and result.get("body"):
        body = result["body"]
        text = body if isinstance(body, str) else json.dumps(body, indent=2, ensure_ascii=False)
        screen.block(f"\nbody{_left_out(run, text)}", text)
    if error and error.get("stack"):
        screen.block("\nstack", str(error["stack"]))


def _attempts(screen: Screen, run: Run) -> None:
    screen.table(
        ["attempt", "state", "started (UTC)", "finished (UTC)", "worker", "error"],
        [
            [
                str(attempt["number"]),
                state_text(attempt["state"]),
                in_utc(attempt["started_at"]),
                in_utc(attempt["finished_at"]),
                attempt["worker"] or "-",
                error_line(attempt["error"]),
            ]
            for attempt in run.get("attempts", ())
        ],
    )


def _left_out(run: Run, text: str) -> str:
    """The heading's remark about a body that is not shown in full."""
    output = run.get("output")
    if not output or not (output["truncated"] or output["cut"]):
        return ""
    if not output["truncated"]:
        return " (cut: the target sent more)"
    if output["bytes"] <= len(text.encode()):
        return " (the beginning; the rest could not be kept or has expired)"
    return f" (part of {output['bytes']:,} bytes; `minutehand output {run['job']} {run['run_id']}` prints them)"


def _story(run: Run) -> Iterator[tuple[str, str]]:
    """Further fields of a run: reason, deadlines, progress, cancellation, usage, parents."""
    if run.get("reason"):
        yield "because", str(run["reason"])
    if run["state"] == "retrying" and run.get("retry_at"):
        yield "tries again", f"{in_utc(run['retry_at'])} UTC"
    if run.get("deadline_at"):
        yield "answers by", f"{in_utc(run['deadline_at'])} UTC"
    if told := progress(run):
        yield "progress", told
    if run.get("cancelled_by"):
        yield "cancelled by", str(run["cancelled_by"])
    if told := used(run):
        yield "used", told
    if parents := run.get("parents"):
        yield "parents", ", ".join(f"{each['job']} {each['run_id']}" for each in parents)


def _wait(session: Session, screen: Screen, client: Client, run: Run, timeout: float) -> Run:
    """Wait for the run's end. When waiting ends first, the run continues: print its last record or a note."""
    try:
        return wait_for_run(client, run, timeout=timeout, sleep=session.sleep, monotonic=session.monotonic)
    except StillRunning as error:
        if screen.as_json:
            screen.data(error.run)
        raise
    except BaseException:
        if screen.as_json:
            screen.data(run)
        screen.note(f"the run continues; `minutehand run {run['job']} {run['run_id']}` shows how it ends")
        raise


def _follow(session: Session, screen: Screen, client: Client, job: str, first: int) -> None:
    try:
        with closing(follow_runs(client, job, first=first, sleep=session.sleep, now=session.now)) as events:
            for run in events:
                if screen.as_json:
                    screen.event(run)
                else:
                    screen.line(
                        in_utc(run.get("scheduled_for")),
                        state_text(run["state"], LONGEST_STATE),
                        f"attempt {run.get('attempt', '-')}",
                        f"late {milliseconds(run.get('lateness_ms')):>7}",
                        f"took {milliseconds(run.get('duration_ms')):>7}",
                        run["run_id"],
                        outcome(run),
                    )
    except KeyboardInterrupt:
        screen.note("")
