"""The command group `crontab`, with `list`, `export` and `clear`; `import` is in `crontab_import`."""

from collections.abc import Iterable

import click

from minutehand.cli.command import Session, ask, command, require_terminal
from minutehand.cli.commands.crontab_import import import_command
from minutehand.cli.documents.bulk_apply import delete_all
from minutehand.cli.parallel import parallel_results
from minutehand.cli.screen.job_text import next_run_text
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.words import counted
from minutehand.client import JobSummary
from minutehand.client.calls import DEFAULT_NAMESPACE
from minutehand.tools.crontab.documents import SOURCE, USER, is_from
from minutehand.tools.crontab.writing import write_crontab

namespace_of_the_jobs = click.option(
    "-n", "--namespace", default=DEFAULT_NAMESPACE, show_default=True, help="The namespace of the jobs."
)


@click.group("crontab", no_args_is_help=True)
def crontab_command() -> None:
    """Import crontabs as jobs, and export jobs as a crontab.

    An imported job has the label crontab/source, the name of its crontab.
    """


crontab_command.add_command(import_command)


@command("export", crontab_command, examples=["crontab export -n shop"])
@namespace_of_the_jobs
@click.option("--source", help="Only the jobs from this crontab, or from this folder of crontabs. [default: all jobs]")
@click.option(
    "--system/--no-system",
    default=None,
    help="Write a user column before each command, or none. [default: a column if any job has a user]",
)
def export_command(
    session: Session, screen: Screen, *, namespace: str, source: str | None, system: bool | None
) -> None:
    """Write the jobs of a namespace as a crontab to stdout. Jobs that a crontab cannot express become comments with the reason."""
    with session.connect() as client:
        listed = client.list_jobs(namespace)
        names = [_full_name(job) for job in (listed if source is None else _from_crontabs(listed, source))]
        jobs = parallel_results(screen, "reading", client.get_job, names)
    written = write_crontab(jobs, system=system)
    if screen.as_json:
        left_out = [{"job": job, "reason": reason} for job, reason in written.left_out.items()]
        screen.data({"crontab": written.text, "left_out": left_out})
        return
    screen.text(written.text)
    if written.left_out:
        left = len(written.left_out)
        are = "is only a comment" if left == 1 else "are only comments"
        screen.note(f"{left} of {counted(len(jobs), 'job')} {are} in the crontab, with the reason")


@command("list", crontab_command, examples=["crontab list -n shop"])
@namespace_of_the_jobs
@click.option("--source", help="Only the jobs from this crontab, or from this folder of crontabs.")
def list_command(session: Session, screen: Screen, *, namespace: str, source: str | None) -> None:
    """List the jobs imported from crontabs."""
    with session.connect() as client:
        jobs = _from_crontabs(client.list_jobs(namespace), source)
    screen.page(
        {"items": jobs, "next": None},
        ["job", "source", "user", "schedule", "time zone", "next run (UTC)"],
        lambda job: [
            _full_name(job),
            job["labels"][SOURCE],
            job["labels"].get(USER, "-"),
            str(job.get("schedule", "-")),
            str(job.get("timezone", "-")),
            next_run_text(job["status"]),
        ],
        empty=_none(namespace, source),
    )


@command("clear", crontab_command, examples=["crontab clear --source cron.d/php"])
@namespace_of_the_jobs
@click.option("--source", help="Only the jobs from this crontab, or from this folder of crontabs.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def clear_command(session: Session, screen: Screen, *, namespace: str, source: str | None, yes: bool) -> None:
    """Delete the jobs imported from crontabs, after confirmation. Their runs stay readable until their retention ends."""
    if not yes:
        require_terminal(session, screen, "nothing was deleted")
    with session.connect() as client:
        jobs = [_full_name(job) for job in _from_crontabs(client.list_jobs(namespace), source)]
        if jobs and not yes:
            shown = ", ".join(jobs[:5]) + (f" and {len(jobs) - 5} more" if len(jobs) > 5 else "")
            ask(f"Delete {len(jobs)} job{'s' if len(jobs) > 1 else ''} ({shown})?", left="the jobs still exist")
        changes = delete_all(screen, client, jobs)
    if screen.as_json:
        screen.data({"items": [{"job": job, "result": "deleted"} for job in changes.done]})
    for job in () if screen.as_json else changes.done:
        screen.line("deleted", job)
    if not jobs:
        screen.note(_none(namespace, source))
    if not changes.complete:
        screen.note(f"{len(changes.done)} of {counted(changes.total, 'job')} deleted; clear again to continue")
    changes.end()


def _from_crontabs(jobs: Iterable[JobSummary], source: str | None) -> list[JobSummary]:
    return [job for job in jobs if is_from(job.get("labels") or {}, source)]


def _full_name(job: JobSummary) -> str:
    return f"{job['namespace']}/{job['name']}"


def _none(namespace: str, source: str | None) -> str:
    return f"namespace {namespace} has no jobs from {'crontabs' if source is None else f'the crontab {source}'}"
