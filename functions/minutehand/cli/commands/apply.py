"""The command `apply`."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from minutehand.cli.command import Session, command
from minutehand.cli.documents.bulk_apply import check_all, print_warnings, result_cell, save_all
from minutehand.cli.documents.files import Document, read_documents
from minutehand.cli.failures import Exit
from minutehand.cli.params import files_argument
from minutehand.cli.screen.instants import show_coming
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.schedules import rounded, runs_a_day
from minutehand.client import Applied
from minutehand.schedule.description.english import counted

_PRETENDED = "; the runs above are those without the pause"
"""The end of the reason why a job is idle, below the runs of a dry run: only a pause is left out of them."""


@command("apply")
@files_argument(
    "A YAML or JSON file, a folder of them (with its subfolders), or - for stdin. Repeatable.", required=True
)
@click.option("-n", "--namespace", help="The namespace of jobs without one. [default: default]")
@click.option("--dry-run", is_flag=True, help="Validate everything and show what would change; save nothing.")
@click.option("--exit-code", is_flag=True, help="With --dry-run: exit 6 if anything would change.")
@click.pass_context
def apply_command(
    context: click.Context,
    session: Session,
    screen: Screen,
    *,
    files: tuple[str, ...],
    namespace: str | None,
    dry_run: bool,
    exit_code: bool,
) -> None:
    """Create or update jobs from files. A file may hold several jobs, in YAML separated by ---.

    All files are read first, then the API validates every job; nothing is saved unless all are valid.
    """
    if exit_code and not dry_run:
        raise click.UsageError("--exit-code tells whether a dry run found changes: give --dry-run, too")
    documents = read_documents(files, sys.stdin.buffer, namespace=namespace)
    with session.connect() as client:
        plans = check_all(screen, client, documents)
        if dry_run:
            _print_results(screen, plans, documents, dry_run=True)
            screen.note("nothing was saved: --dry-run")
            if exit_code and any(plan["result"] != "unchanged" for plan in plans):
                context.exit(Exit.DIFFERS)
            return
        changes = save_all(screen, client, documents, plans)
    _print_results(screen, changes.done, documents, dry_run=False)
    if not changes.complete:
        screen.note(
            f"{len(changes.done)} of {counted(changes.total, 'job')} saved as in the files; apply again to continue"
        )
    changes.end()


def _print_results(screen: Screen, done: Sequence[Applied], documents: Sequence[Document], *, dry_run: bool) -> None:
    """Print what was or would be saved, and for a dry run of one job its coming runs; of one job, also why it is idle."""
    if screen.as_json:
        screen.data({"items": [_item(each, dry_run=dry_run) for each in done]})
        return
    for each in done:
        revision = f"revision {each['job']['status']['revision']}"
        paused = "paused" if each["job"]["paused"] else ""
        words = ", ".join(filter(None, (edit_words(each), paused)))
        screen.line(result_cell(each["result"], dry_run=dry_run), _name(each), revision, words)
    if dry_run and len(done) == 1 and "preview" in done[0]:
        screen.line("")
        show_coming(screen, done[0]["preview"], done[0]["job"]["status"])
    if len(done) == 1 and (reason := done[0]["job"]["status"]["idle_because"]):
        pretended = dry_run and "preview" in done[0] and done[0]["preview"]["items"]
        screen.note(f"{_name(done[0])}: {reason}{_PRETENDED if pretended else ''}")
    print_warnings(screen, [each for each in done if dry_run or each["result"] != "unchanged"], documents)


def _name(applied: Applied) -> str:
    return f"{applied['job']['namespace']}/{applied['job']['name']}"


def _item(applied: Applied, *, dry_run: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "job": _name(applied),
        "result": applied["result"],
        "revision": applied["job"]["status"]["revision"],
        "warnings": applied["warnings"],
    }
    return fields | ({"preview": applied["preview"]} if dry_run and "preview" in applied else {})


def edit_words(applied: Applied) -> str:
    """How many runs a day the edit adds and removes, in words; empty without a preview."""
    diff = applied["preview"]["diff"] if "preview" in applied else None
    if diff is None:
        return ""
    if not diff["added_per_day"] and not diff["removed_per_day"]:
        return "adds and removes no runs"
    return runs_a_day(rounded(diff["added_per_day"]), rounded(diff["removed_per_day"]))
