"""The commands `revisions`, `revision`, `diff-revisions` and `rollback`."""

from collections.abc import Iterator
from typing import Any

import click

from minutehand.cli.command import Session, command, job_argument
from minutehand.cli.failures import Exit, failure
from minutehand.cli.params import Whole
from minutehand.cli.screen.differences import difference_rows
from minutehand.cli.screen.job_text import job_fields, next_run
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.client import Client, Revision
from minutehand.client.calls import take

_AHEAD = ("idle", "next run", "until then")
"""Fields of a job's text that describe the present."""
_NUMBER = Whole(1, 9_999_999)


@command("revisions", examples=("revisions shop/report", "revisions shop/report --limit 5"))
@job_argument
@click.option("--limit", type=Whole(min=1), default=20, show_default=True, help="Maximum number of revisions.")
@click.option("--cursor", help='Continue a list: the "next" in the JSON of its last page.')
def revisions_command(session: Session, screen: Screen, *, job: str, limit: int, cursor: str | None) -> None:
    """List the revisions of a job, newest first: when it was changed, by whom, and which fields."""
    with session.connect() as client:
        page = take(lambda size, at: client.revisions_page(job, limit=size, cursor=at), limit=limit, cursor=cursor)
    screen.page(
        page,
        ["revision", "changed (UTC)", "by", "what", "fields"],
        lambda past: [
            str(past["number"]),
            in_utc(past.get("at")),
            past.get("by") or "-",
            past["did"],
            ", ".join(past.get("changed") or ()) or "-",
        ],
        empty=f"{job} has no revisions",
    )


@command("revision", examples=("revision shop/report 3", "revision shop/report 3 -o json"))
@job_argument
@click.argument("number", type=_NUMBER)
def revision_command(session: Session, screen: Screen, *, job: str, number: int) -> None:
    """Show a job as it was under a revision. The "job" in the JSON can be applied again."""
    with session.connect() as client:
        found = client.revision(job, number)
    screen.record(found, _fields)
    if not screen.as_json and found["job"] is None:
        why = "was stored by a version that kept no jobs" if found.get("missing") else "deleted the job"
        screen.note(f"revision {number} {why}")


@command("diff-revisions", examples=("diff-revisions shop/report 3", "diff-revisions shop/report 3 5"))
@job_argument
@click.argument("number", type=_NUMBER)
@click.argument("other", type=_NUMBER, required=False)
def diff_revisions_command(session: Session, screen: Screen, *, job: str, number: int, other: int | None) -> None:
    """Show what a revision changed, or what differs between two revisions, the older one first."""
    with session.connect() as client:
        diff = client.diff_revisions(job, number, to=other)
    if screen.as_json:
        screen.data(diff)
    elif not diff["items"]:
        screen.note(f"revisions {diff['from']} and {diff['to']} of {job} have the same fields")
    else:
        before = f"revision {diff['from']}" if diff["from"] else "before"
        screen.table(["field", before, f"revision {diff['to']}"], difference_rows(diff["items"]))


@command("rollback", examples=("rollback shop/report", "rollback shop/report 3 --if-revision 5"))
@job_argument
@click.argument("number", type=_NUMBER, required=False)
@click.option(
    "--if-revision", type=_NUMBER, metavar="N", help="Only if N is the job's present revision; exit 4 if it is not."
)
def rollback_command(
    session: Session, screen: Screen, *, job: str, number: int | None, if_revision: int | None
) -> None:
    """Save an earlier revision of a job again, as a new revision, with all checks. A paused job stays paused.

    Without NUMBER, undo the last change of its fields: save the revision before it.
    """
    with session.connect() as client:
        number = number or _before_last_change(client, job)
        before = next(client.revisions(job), None)
        found = client.revision(job, number)
        if found["job"] is None:
            why = "was stored by a version that kept no jobs" if found.get("missing") else "deleted the job"
            raise failure(
                "no job to restore",
                f"revision {number} of {job} {why}",
                hint=f"`minutehand revisions {job}` lists the others",
                exit_code=Exit.CONFLICT,
            )
        restored = client.restore(job, number, if_revision=if_revision)
    now = restored["status"]["revision"]
    changed = before is None or before["number"] != now
    screen.result(
        restored,
        lambda after: [
            "restored" if changed else "unchanged",
            f"{after['namespace']}/{after['name']}",
            f"revision {number} as revision {now}"
            if changed
            else f"revision {now} has the fields of revision {number}",
            ": ".join(next_run(after)),
        ],
    )


def _before_last_change(client: Client, job: str) -> int:
    """The revision before the last one that changed fields of the job. Raises Failure without one."""
    changes = False
    for past in client.revisions(job):
        if changes:
            return past["number"]
        changes = bool(set(past.get("changed") or ()) - {"paused"})
    hint = f"`minutehand revisions {job}` lists its revisions"
    raise failure(
        "nothing to undo",
        f"{job} was never changed, or what it was before is no longer kept",
        hint=hint,
        exit_code=Exit.CONFLICT,
    )


def _fields(revision: Revision) -> Iterator[tuple[str, str]]:
    """The job as it was, without what lies ahead of it."""
    at, by = revision.get("at"), revision.get("by")
    if revision["job"] is None:
        yield "revision", f"{revision['number']}, {in_utc(at)} UTC by {by or '-'}"
        return
    status = {"revision": revision["number"], "updated_at": at, "updated_by": by}
    as_it_was: Any = {**revision["job"], "status": status}
    yield from (field for field in job_fields(as_it_was) if field[0] not in _AHEAD)
