"""`apply`."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from minutehand.cli.applying import check_all, save_all
from minutehand.cli.command import command
from minutehand.cli.files import read_documents
from minutehand.cli.render import Screen
from minutehand.cli.session import Session
from minutehand.client import Applied

LONGEST_RESULT = 9


@command("apply")
@click.option(
    "-f",
    "--file",
    "files",
    multiple=True,
    required=True,
    metavar="FILE|DIR",
    help="A YAML or JSON file, a folder of them (with those below it), or - for stdin. May be given several times.",
)
@click.option("-n", "--namespace", help="For jobs that name no namespace. [default: default]")
@click.option("--dry-run", is_flag=True, help="Check everything and say what would happen; save nothing.")
def apply_command(
    session: Session, screen: Screen, *, files: tuple[str, ...], namespace: str | None, dry_run: bool
) -> None:
    """Create or update jobs from files. A file may hold several jobs, in YAML separated by ---.

    All files are read first, then every job is checked by the API, and only when all are right is anything saved.
    """
    documents = read_documents(files, sys.stdin.buffer, namespace=namespace)
    with session.connect() as client:
        plans = check_all(screen, client, documents)
        if dry_run:
            _tell(screen, plans)
            screen.note("nothing was saved: --dry-run")
            return
        changes = save_all(screen, client, documents, plans)
    _tell(screen, changes.saved)
    if not changes.complete:
        screen.note(
            f"{len(changes.saved)} of {changes.total} jobs are as their files say; applying again goes on from there"
        )
    changes.end()


def _tell(screen: Screen, done: Sequence[Applied]) -> None:
    items = [_item(applied) for applied in done]
    if screen.as_json:
        screen.data({"items": items})
        return
    for item in items:
        screen.line(item["result"].ljust(LONGEST_RESULT), item["job"], f"revision {item['revision']}")


def _item(applied: Applied) -> dict[str, Any]:
    job = applied["job"]
    return {
        "job": f"{job['namespace']}/{job['name']}",
        "result": applied["result"],
        "revision": job["status"]["revision"],
    }
