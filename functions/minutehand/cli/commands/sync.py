"""The command `sync`."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from minutehand.cli.command import Session, command
from minutehand.cli.documents.app_jobs import TARGETS, app_documents, load_app, target_of
from minutehand.cli.documents.bulk_apply import (
    check_all,
    delete_all,
    print_warnings,
    result_cell,
    results_document,
    save_all,
)
from minutehand.cli.documents.files import Document
from minutehand.cli.documents.sources import (
    Items,
    Source,
    field_changes,
    gone_items,
    note_gone,
    print_changes,
    stored_jobs,
)
from minutehand.cli.failures import Exit, failure
from minutehand.cli.params import header
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.words import counted
from minutehand.client import Applied, Client, JobSummary
from minutehand.client.calls import DEFAULT_NAMESPACE
from minutehand.handlers.documents import LABEL


@command("sync", examples=["sync reports --target https://reports.example.com/minutehand --dry-run"])
@click.argument("app", metavar="APP")
@click.option("--target", metavar="URL|ARN", help=f"Where handlers without a pool of agents run: {TARGETS[6:]}.")
@click.option(
    "--header", "headers", multiple=True, type=header, metavar="'NAME: VALUE'", help="An HTTP header; repeatable."
)
@click.option("-n", "--namespace", help="The namespace of handlers without one. [default: default]")
@click.option("--prune", is_flag=True, help="Delete jobs whose handlers are gone; by default they are only listed.")
@click.option("--dry-run", is_flag=True, help="Validate everything and show what would change; save nothing.")
def sync_command(
    session: Session,
    screen: Screen,
    *,
    app: str,
    target: str | None,
    headers: tuple[tuple[str, str], ...],
    namespace: str | None,
    prune: bool,
    dry_run: bool,
) -> None:
    """Save the jobs that a package declares with @job.

    APP is the package or module with the handlers, or MODULE:APP. The API validates every job first; nothing is saved unless all are
    valid. Only jobs that sync made are changed.
    """
    made = target_of(target, headers)
    found = load_app(app)
    within = namespace or DEFAULT_NAMESPACE
    documents = app_documents(found, namespace=within, target=made)
    with session.connect() as client:
        stored = stored_jobs(client, {within, *(document.job.partition("/")[0] for document in documents)})
        _check_owners(documents, stored, found.package)
        items = gone_items(Source(LABEL, found.package), documents, stored, prune=prune)
        plans = check_all(screen, client, documents, shared_field="target")
        if dry_run:
            changed = field_changes(screen, client, plans)
            _print(screen, [_item(each, changed) for each in plans] + items, dry_run=True)
            print_warnings(screen, plans, documents)
            note_gone(screen, items, "handler")
            screen.note("nothing was saved: --dry-run")
        else:
            _save(screen, client, documents, plans, items)


def _save(screen: Screen, client: Client, documents: Sequence[Document], plans: Sequence[Applied], gone: Items) -> None:
    """Save the jobs, then delete those whose handlers are gone. Prints what was done, also after a failure or Ctrl-C."""
    changes = save_all(screen, client, documents, plans)
    saved = [_item(each, {}) for each in changes.done]
    if not changes.complete:
        _print(screen, saved, dry_run=False)
        screen.note(f"{len(saved)} of {counted(changes.total, 'job')} saved as in the code; sync again to continue")
        changes.end()
    deletions = delete_all(screen, client, [item["job"] for item in gone if item["result"] == "deleted"])
    deleted = set(deletions.done)
    left = [item for item in gone if item["result"] == "gone" or item["job"] in deleted]
    _print(screen, [*saved, *left], dry_run=False)
    print_warnings(screen, [each for each in changes.done if each["result"] != "unchanged"], documents)
    note_gone(screen, gone, "handler")
    deletions.end()


def _check_owners(documents: Sequence[Document], stored: Mapping[str, JobSummary], package: str) -> None:
    """Refuse to change a job that came from elsewhere. Raises Failure."""
    errors = []
    for document in documents:
        owner = (stored[document.job].get("labels") or {}).get(LABEL) if document.job in stored else package
        if owner != package:
            whose = f"of the app {owner}" if owner else "that sync did not make"
            hint = f"rename the handler, delete the job, or give it the label {LABEL}: {package}"
            message = f"there is a job {document.job} {whose}"
            errors.append({"file": document.place, "job": document.job, "message": message, "hint": hint})
    if errors:
        detail = "sync changes only its own jobs; nothing was saved"
        raise failure("jobs from elsewhere", detail, errors=errors, exit_code=Exit.CONFLICT)


def _item(applied: Applied, changes: Mapping[str, Any]) -> dict[str, Any]:
    job = applied["job"]
    name = f"{job['namespace']}/{job['name']}"
    revision = job["status"]["revision"]
    shown = {"job": name, "result": applied["result"], "revision": revision, "warnings": applied["warnings"]}
    return shown | ({"changes": changes[name]} if name in changes else {})


def _print(screen: Screen, items: Items, *, dry_run: bool) -> None:
    if screen.as_json:
        screen.data(results_document(items, dry_run=dry_run))
        return
    for item in items:
        screen.line(result_cell(item["result"], dry_run=dry_run), item["job"], f"revision {item['revision']}")
        print_changes(screen, item.get("changes", {}))
