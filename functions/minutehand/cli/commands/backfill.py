"""The commands `backfill start`, `list`, `show` and `cancel`."""

from datetime import datetime
from typing import Literal

import click

from minutehand.cli.command import Session, command, job_argument
from minutehand.cli.failures import Exit, Failure, failure
from minutehand.cli.params import Instant, Whole, duration, local_times
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.client import Backfill, Client, follow_backfill
from minutehand.client.calls import take


@click.group("backfill", no_args_is_help=True)
def backfill_command() -> None:
    """Replay the occurrences of a job's schedule in a past range."""


@command(
    "start",
    backfill_command,
    examples=[
        "backfill start shop/report --from 2026-11-16 --to 2026-11-20 --dry-run",
        "backfill start shop/report --from 3d --to now --wait",
    ],
)
@job_argument
@local_times
@click.option("--from", "start", type=Instant(), required=True, help="Start of the range, inclusive.")
@click.option("--to", "end", type=Instant(), required=True, help="End of the range, exclusive.")
@click.option(
    "--order",
    type=click.Choice(["oldest", "newest"]),
    default="oldest",
    show_default=True,
    help="Which occurrences run first.",
)
@click.option("--concurrency", type=Whole(1, 100), default=1, show_default=True, help="Maximum number of active runs.")
@click.option("--ignore-overlap", is_flag=True, help="Run beside other runs of the job, whatever its overlap policy.")
@click.option("--dry-run", is_flag=True, help="Show the number of occurrences; replay nothing.")
@click.option("--wait", is_flag=True, help="Show progress until the end; exit 1 unless all runs succeeded.")
@click.option("--timeout", type=duration, help="Timeout of --wait. [default: none]")
@click.option("--idempotency-key", help="The same key returns the same backfill. [default: a new key]")
def start_command(
    session: Session,
    screen: Screen,
    *,
    job: str,
    start: datetime,
    end: datetime,
    order: Literal["oldest", "newest"],
    concurrency: int,
    ignore_overlap: bool,
    dry_run: bool,
    wait: bool,
    timeout: float | None,
    idempotency_key: str | None,
) -> None:
    """Replay the schedule's occurrences from --from up to --to, including those that have run, even while the job is paused."""
    if timeout is not None and not wait:
        raise click.UsageError("--timeout needs --wait: add it, or remove --timeout")
    if dry_run and wait:
        raise click.UsageError("--dry-run replays nothing to wait for: remove --wait")
    with session.connect() as client:
        if dry_run:
            screen.result(
                client.preview_backfill(job, start, end),
                lambda extent: [
                    f"{extent['occurrences']:,} occurrence{'' if extent['occurrences'] == 1 else 's'}",
                    f"first {in_utc(extent['first'])}",
                    f"last {in_utc(extent['last'])} UTC",
                ],
            )
            screen.note("nothing was started: --dry-run")
            return
        found = client.backfill(
            job,
            start,
            end,
            order=order,
            concurrency=concurrency,
            ignore_overlap=ignore_overlap,
            idempotency_key=idempotency_key,
        )
        if wait:
            found = _wait(session, screen, client, found, timeout)
    screen.result(found, _cells)
    went_well = found["state"] == "done" and not found["ended"].keys() - {"succeeded"}
    if wait and not went_well:
        raise _wait_failure(found)


@command("list", backfill_command, examples=["backfill list shop/report"])
@job_argument
@click.option(
    "--limit",
    type=Whole(min=1),
    default=20,
    show_default=True,
    help="Maximum number of backfills, newest first.",
)
@click.option("--cursor", help='Continue a list with older backfills: the "next" in the JSON of its last page.')
def list_command(session: Session, screen: Screen, *, job: str, limit: int, cursor: str | None) -> None:
    """List a job's backfills, newest first. Ended backfills are kept for 30 days."""
    with session.connect() as client:
        page = take(lambda size, at: client.backfills_page(job, limit=size, cursor=at), limit=limit, cursor=cursor)
    screen.page(
        page,
        ["started (UTC)", "state", "from (UTC)", "to (UTC)", "backfill", "progress"],
        lambda found: [
            in_utc(found["created_at"]),
            found["state"],
            in_utc(found["from"]),
            in_utc(found["to"]),
            found["id"],
            _progress(found),
        ],
        empty=f"{job} has no backfills",
    )


@command("show", backfill_command, examples=["backfill show shop/report"])
@job_argument
@click.argument("backfill", required=False)
def show_command(session: Session, screen: Screen, *, job: str, backfill: str | None) -> None:
    """Show a backfill, by default the newest: its range, its progress and its active runs."""
    with session.connect() as client:
        found = client.get_backfill(job, backfill or _newest(client, job))
    if screen.as_json:
        screen.data(found)
        return
    screen.fields(
        [
            ("backfill", found["id"]),
            ("job", found["job"]),
            ("state", found["state"]),
            *([("because", found["reason"])] if found["reason"] else []),
            ("from", f"{in_utc(found['from'])} UTC"),
            ("to", f"{in_utc(found['to'])} UTC"),
            ("order", f"{found['order']} first"),
            ("concurrency", str(found["concurrency"])),
            *([("overlap", "ignored")] if found["ignore_overlap"] else []),
            ("started", f"{in_utc(found['created_at'])} UTC by {found['created_by']}"),
            *([("finished", f"{in_utc(found['finished_at'])} UTC")] if found["finished_at"] else []),
            ("progress", _progress(found)),
            *([("active", ", ".join(found["active"]))] if found["active"] else []),
        ]
    )


@command("cancel", backfill_command, examples=["backfill cancel shop/report"])
@job_argument
@click.argument("backfill", required=False)
def cancel_command(session: Session, screen: Screen, *, job: str, backfill: str | None) -> None:
    """Stop a backfill, by default the newest, and cancel its runs that have not started. Runs that have started continue."""
    with session.connect() as client:
        screen.result(client.cancel_backfill(job, backfill or _newest(client, job)), _cells)


def _newest(client: Client, job: str) -> str:
    items = client.backfills_page(job, limit=1)["items"]
    if not items:
        raise failure("no such backfill", f"{job} has no backfills", exit_code=Exit.NOT_FOUND)
    return items[0]["id"]


def _cells(found: Backfill) -> list[str]:
    return [found["state"], found["job"], found["id"], _progress(found)]


def _progress(found: Backfill) -> str:
    """A backfill's progress in words, such as `12 of 60 ended: 11 succeeded, 1 failed; 2 active`."""
    ended = sum(found["ended"].values())
    how = ", ".join(f"{count} {state}" for state, count in found["ended"].items())
    active = f"; {len(found['active'])} active" if found["active"] else ""
    return f"{ended} of {found['occurrences']} ended{f': {how}' if how else ''}{active}"


def _wait(session: Session, screen: Screen, client: Client, found: Backfill, timeout: float | None) -> Backfill:
    """Wait for the backfill's end or the timeout, and print its progress. The backfill continues after a timeout."""
    last = found
    try:
        for each in follow_backfill(client, found, timeout=timeout, sleep=session.sleep, monotonic=session.monotonic):
            last = each
            screen.note(_progress(last))
    except BaseException:
        if screen.as_json:
            screen.data(last)
        screen.note(f"the backfill continues; {_shown(last)}")
        raise
    return last


def _shown(found: Backfill) -> str:
    return f"`minutehand backfill show {found['job']} {found['id']}` shows its progress"


def _wait_failure(found: Backfill) -> Failure:
    name = f"backfill {found['id']} of {found['job']}"
    if found["finished_at"] is None:
        title, detail, hint = "still active", f"{name} has not ended", f"it continues; {_shown(found)}"
        return failure(title, detail, hint=hint, exit_code=Exit.FAILED)
    if found["state"] != "done":
        return failure("cancelled", f"{name}: {found['reason']}", exit_code=Exit.FAILED)
    hint = f"`minutehand runs {found['job']}` shows how each run ended"
    return failure("not all runs succeeded", f"{name}: {_progress(found)}", hint=hint, exit_code=Exit.FAILED)
