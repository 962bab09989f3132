"""The command `audit`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

import click

from minutehand.cli.command import Session, command, full_name
from minutehand.cli.params import Instant, Whole, local_times
from minutehand.cli.screen.differences import difference_line
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc, parse_instant
from minutehand.client import AuditFilter, AuditRecord
from minutehand.client.calls import DEFAULT_NAMESPACE, take

ACTIONS = (
    *("save", "restore", "pause", "resume", "shadow", "quota", "delete"),
    *("trigger", "cancel", "redrive", "purge", "backfill", "cancel_backfill"),
    *("create_token", "revoke_token", "ask_node"),
)
"""What people do, as the API calls it."""
_ROLLBACK = "rollback"
"""The command of the API's action `restore`."""


@command(
    "audit",
    examples=(
        "audit -n shop",
        "audit shop/report --actor ada",
        "audit -A --action delete --from 1d",
    ),
)
@click.argument("job", metavar="[JOB]", required=False)
@click.option("-n", "--namespace", help=f"The namespace, unless JOB includes it. [default: {DEFAULT_NAMESPACE}]")
@click.option("-A", "--all-namespaces", is_flag=True, help="All namespaces.")
@click.option("--actor", help="Only what this token did.")
@click.option("--action", type=click.Choice([*ACTIONS, _ROLLBACK]), help="Only changes of this kind.")
@click.option("--from", "start", type=Instant(), metavar="WHEN", help="Only changes at this instant or later.")
@click.option("--to", "end", type=Instant(), metavar="WHEN", help="Only changes before this instant.")
@local_times
@click.option("--limit", type=Whole(min=1), default=50, show_default=True, help="Maximum number of changes.")
@click.option("--cursor", help='Continue a list with older changes: the "next" in the JSON of its last page.')
def audit_command(
    session: Session,
    screen: Screen,
    *,
    job: str | None,
    namespace: str | None,
    all_namespaces: bool,
    limit: int,
    cursor: str | None,
    **filters: Any,
) -> None:
    """Show who changed what, newest first: when, from which address, and what differs. The JSON has all differences.

    With -A and more changes than --limit, the namespaces follow one after the other, each with its newest first.
    """
    if all_namespaces and (job is not None or namespace is not None):
        raise click.UsageError("-A shows all namespaces: remove JOB and --namespace, or -A")
    if filters["action"] == _ROLLBACK:
        filters["action"] = "restore"
    wanted = _wanted(job, namespace, filters)
    if not all_namespaces:
        wanted["namespace"] = wanted.get("namespace", DEFAULT_NAMESPACE)
    with session.connect() as client:
        page = take(lambda size, at: client.audit_page(limit=size, cursor=at, **wanted), limit=limit, cursor=cursor)
    whole = cursor is None and page["next"] is None
    if all_namespaces and whole:  # only then is it known that no other namespace has a change in between
        page["items"].sort(key=lambda record: parse_instant(record["at"]), reverse=True)
    screen.page(
        page,
        ["when (UTC)", "who", "token", "from", "did", "what", "changes"],
        lambda record: [
            in_utc(record["at"]),
            record["actor"],
            record.get("actor_id") or "-",
            record.get("address") or "-",
            _ROLLBACK if record["action"] == "restore" else record["action"],
            _what(record),
            _changes(record),
        ],
        empty="no changes are recorded that match",
    )
    if all_namespaces and page["items"] and not whole:
        screen.note("one namespace after the other, newest first in each; -n shows one namespace")


def _wanted(job: str | None, namespace: str | None, filters: Mapping[str, str | datetime | None]) -> AuditFilter:
    wanted: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    if job is not None:
        wanted["namespace"], wanted["job"] = full_name(job, namespace).split("/")
    elif namespace is not None:
        wanted["namespace"] = namespace
    return cast("AuditFilter", wanted)


def _what(record: AuditRecord) -> str:
    namespace = record["namespace"]
    if record.get("job"):
        return f"{namespace}/{record['job']}"
    if record.get("calendar"):
        return f"calendar {namespace}/{record['calendar']}"
    token = (record.get("about") or {}).get("token_id")
    return f"token {token}" if token else f"namespace {namespace}"


def _changes(record: AuditRecord) -> str:
    """What differs, or the run or backfill that was meant."""
    about = record.get("about") or {}
    if record["changes"]:
        return difference_line(record["changes"], record.get("changes_left_out", 0))
    named = [f"{name.replace('_', ' ')} {about[name]}" for name in ("run_id", "backfill_id") if name in about]
    runs = about.get("runs") or []
    return ", ".join([*named, *runs[:3], *([f"and {len(runs) - 3} more"] if len(runs) > 3 else [])]) or "-"
