"""The commands `apply` and `diff`."""

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from minutehand.cli.command import Session, command
from minutehand.cli.documents.bulk_apply import (
    WOULD,
    check_all,
    delete_all,
    print_warnings,
    result_cell,
    results_document,
    save_all,
)
from minutehand.cli.documents.files import Document, read_documents
from minutehand.cli.documents.sources import (
    APPLIED,
    Changes,
    Items,
    Source,
    check_sources,
    field_changes,
    gone_items,
    note_gone,
    print_changes,
    print_gone,
    stored_jobs,
    with_kept_source,
)
from minutehand.cli.failures import Exit
from minutehand.cli.params import files_argument
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.words import counted, rounded, runs_a_day
from minutehand.client import Applied, Client

_PRETENDED = "; the runs above are those without the pause"
"""The end of the reason why a job is idle, below the runs of a dry run: only a pause is left out of them."""


@command(
    "apply",
    examples=[
        "apply jobs/",
        "apply jobs/ --dry-run",
        "apply jobs/ --source shop-jobs --prune",
        "show demo/report -o json | minutehand apply -",
    ],
)
@files_argument(
    "A YAML or JSON file, a folder of them (with its subfolders), or - for stdin. Repeatable.", required=True
)
@click.option("-n", "--namespace", help="The namespace of jobs without one. [default: default]")
@click.option(
    "--source", metavar="NAME", help="Mark the jobs as those of this source of your own, such as a repository's name."
)
@click.option("--prune", is_flag=True, help="Delete the jobs of --source that are in no file any more.")
@click.option("--dry-run", is_flag=True, help="Validate everything and show what would change; save nothing.")
@click.option("--exit-code", is_flag=True, help="With --dry-run: exit 6 if anything would change.")
@click.option("-q", "--quiet", is_flag=True, help="Print only what changes: neither unchanged jobs nor warnings.")
@click.pass_context
def apply_command(
    context: click.Context,
    session: Session,
    screen: Screen,
    *,
    files: tuple[str, ...],
    namespace: str | None,
    source: str | None,
    prune: bool,
    dry_run: bool,
    exit_code: bool,
    quiet: bool,
) -> None:
    """Create or update jobs from files. A file may hold several jobs, in YAML separated by ---.

    All files are read first, then the API validates every job; nothing is saved unless all are valid.
    """
    if exit_code and not dry_run:
        raise click.UsageError("--exit-code tells whether a dry run found changes: give --dry-run, too")
    differs = _apply(session, screen, files, namespace, source, prune=prune, dry_run=dry_run, quiet=quiet)
    if dry_run:
        screen.note("nothing was saved: --dry-run")
    if exit_code and differs:
        context.exit(Exit.DIFFERS)


@command("diff", examples=["diff jobs/", "diff jobs/ --source shop-jobs --prune"])
@files_argument(
    "A YAML or JSON file, a folder of them (with its subfolders), or - for stdin. Repeatable.", required=True
)
@click.option("-n", "--namespace", help="The namespace of jobs without one. [default: default]")
@click.option("--source", metavar="NAME", help="Show also which jobs of this source are in no file any more.")
@click.option("--prune", is_flag=True, help="With --source: as `apply --prune`, which deletes these.")
@click.option("-q", "--quiet", is_flag=True, help="Print only what would change: neither unchanged jobs nor warnings.")
@click.pass_context
def diff_command(
    context: click.Context,
    session: Session,
    screen: Screen,
    *,
    files: tuple[str, ...],
    namespace: str | None,
    source: str | None,
    prune: bool,
    quiet: bool,
) -> None:
    """Show what `apply` would change; save nothing. Exit 6 if anything would change, as `apply --dry-run --exit-code`."""
    if _apply(session, screen, files, namespace, source, prune=prune, dry_run=True, quiet=quiet):
        context.exit(Exit.DIFFERS)


def _apply(
    session: Session,
    screen: Screen,
    files: tuple[str, ...],
    namespace: str | None,
    source: str | None,
    *,
    prune: bool,
    dry_run: bool,
    quiet: bool,
) -> bool:
    """Save the jobs of files, or show what would change. Returns whether anything would change, for a dry run."""
    if prune and source is None:
        raise click.UsageError(
            "--prune deletes the jobs that came from a source: name it, such as --source shop-jobs; jobs that were saved "
            "without it are never deleted"
        )
    documents = read_documents(files, sys.stdin.buffer, namespace=namespace)
    with session.connect() as client:
        gone: Items = []
        if source is not None:
            documents, gone = _of_source(client, Source(APPLIED, source), documents, namespace, prune=prune)
        plans = check_all(screen, client, documents, preview=dry_run)
        if source is None:
            kept = with_kept_source(screen, client, documents, plans)
            if kept != documents:
                documents = kept
                plans = check_all(screen, client, documents, preview=dry_run)
        if dry_run:
            changes = field_changes(screen, client, plans)
            _print_results(screen, plans, documents, gone, changes=changes, dry_run=True, quiet=quiet)
            return bool(gone) or any(plan["result"] != "unchanged" for plan in plans)
        _save(screen, client, documents, plans, gone, quiet=quiet)
        return False


def _of_source(
    client: Client, source: Source, documents: Sequence[Document], namespace: str | None, *, prune: bool
) -> tuple[list[Document], Items]:
    """The documents with the label of their source, and what became of its other jobs in their namespaces."""
    namespaces = {document.job.partition("/")[0] for document in documents} | ({namespace} if namespace else set())
    stored = stored_jobs(client, namespaces)
    check_sources(source, documents, stored)
    return [source.marked(each) for each in documents], gone_items(source, documents, stored, prune=prune)


def _save(
    screen: Screen, client: Client, documents: Sequence[Document], plans: Sequence[Applied], gone: Items, *, quiet: bool
) -> None:
    """Save the jobs, then delete those that are gone. Prints what was done, also after a failure or Ctrl-C."""
    changes = save_all(screen, client, documents, plans)
    if not changes.complete:
        _print_results(screen, changes.done, documents, [], quiet=quiet)
        screen.note(
            f"{len(changes.done)} of {counted(changes.total, 'job')} saved as in the files; apply again to continue"
        )
        changes.end()
    deletions = delete_all(screen, client, [item["job"] for item in gone if item["result"] == "deleted"])
    deleted = set(deletions.done)
    left = [item for item in gone if item["result"] == "gone" or item["job"] in deleted]
    _print_results(screen, changes.done, documents, left, quiet=quiet)
    deletions.end()


def _print_results(
    screen: Screen,
    done: Sequence[Applied],
    documents: Sequence[Document],
    gone: Items,
    *,
    changes: Changes | None = None,
    dry_run: bool = False,
    quiet: bool = False,
) -> None:
    """Print what was or would be saved, and for a dry run of one job that changes its coming runs; of one job, also why it is idle."""
    if screen.as_json:
        items = [*(_item(each, changes or {}, dry_run=dry_run) for each in done), *gone]
        screen.data(results_document(items, dry_run=dry_run))
        return
    alone = len(done) == 1
    foreseen = dry_run and alone and done[0]["result"] != "unchanged" and "preview" in done[0]
    changed = [each for each in done if each["result"] != "unchanged"]
    for each in changed if quiet else done:
        revision = f"revision {each['job']['status']['revision']}"
        paused = "paused" if each["job"]["paused"] else ""
        edit = "" if each["result"] == "unchanged" else edit_words(each)
        words = ", ".join(filter(None, (edit, paused)))
        screen.line(result_cell(each["result"], dry_run=dry_run), _name(each), revision, words)
        print_changes(screen, (changes or {}).get(_name(each), {}))
    print_gone(screen, gone, dry_run=dry_run)
    if foreseen:
        from minutehand.cli.screen.instants import show_coming  # noqa: PLC0415 - loads the schedules, for one job alone

        screen.line("")
        show_coming(screen, done[0]["preview"], done[0]["job"]["status"])
    if alone and (reason := done[0]["job"]["status"]["idle_because"]):
        pretended = foreseen and done[0]["preview"]["items"]
        screen.note(f"{_name(done[0])}: {reason}{_PRETENDED if pretended else ''}")
    if not quiet:
        print_warnings(screen, done if dry_run and alone else changed, documents)
        if dry_run and not alone:
            _count(screen, done, gone)
    note_gone(screen, gone, "file")


def _count(screen: Screen, done: Sequence[Applied], gone: Items) -> None:
    """Count what would be done, and the warnings of the jobs that stay as they are."""
    counts = Counter(each["result"] for each in (*done, *gone))
    parts = [f"{count} {f'to {WOULD[each]}' if each in WOULD else each}" for each, count in counts.items()]
    screen.note(f"{counted(len(done), 'job')}: {', '.join(parts)}")
    unchanged = [each for each in done if each["result"] == "unchanged" and each["warnings"]]
    if unchanged:
        warnings = counted(sum(len(each["warnings"]) for each in unchanged), "warning")
        screen.note(f"{warnings} about {counted(len(unchanged), 'unchanged job')}; -o json lists them")


def _name(applied: Applied) -> str:
    return f"{applied['job']['namespace']}/{applied['job']['name']}"


def _item(applied: Applied, changes: Changes, *, dry_run: bool) -> dict[str, Any]:
    name = _name(applied)
    fields: dict[str, Any] = {
        "job": name,
        "result": applied["result"],
        "revision": applied["job"]["status"]["revision"],
        "warnings": applied["warnings"],
    }
    changed = {"changes": changes[name]} if name in changes else {}
    return fields | changed | ({"preview": applied["preview"]} if dry_run and "preview" in applied else {})


def edit_words(applied: Applied) -> str:
    """How many runs a day the edit adds and removes, in words; empty without a preview."""
    diff = applied["preview"]["diff"] if "preview" in applied else None
    if diff is None:
        return ""
    if not diff["added_per_day"] and not diff["removed_per_day"]:
        return "adds and removes no runs"
    return runs_a_day(rounded(diff["added_per_day"]), rounded(diff["removed_per_day"]))
