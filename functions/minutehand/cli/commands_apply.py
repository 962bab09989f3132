"""`apply`."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from minutehand.cli.command import command, exit_code, problem_of
from minutehand.cli.failures import Exit, Failure
from minutehand.cli.files import Document, read_documents
from minutehand.cli.render import Screen
from minutehand.cli.session import Session
from minutehand.client import Applied, Client, Refused

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
    done: list[Applied] = []
    with session.connect() as client:
        checked = _checked(client, documents)
        try:
            for document, plan in zip(documents, checked, strict=True):
                settled = dry_run or plan["result"] == "unchanged"
                applied = plan if settled else client.apply_job(document.content)
                done.append(applied)
                if not screen.as_json:
                    revision = applied["job"]["status"]["revision"]
                    screen.line(applied["result"].ljust(LONGEST_RESULT), document.job, f"revision {revision}")
            if dry_run:
                screen.note("nothing was saved: --dry-run")
        except BaseException:
            screen.note(
                f"{len(done)} of {len(documents)} jobs are as their files say; applying again goes on from there"
            )
            raise
        finally:
            if screen.as_json:
                screen.data({"items": [_item(applied) for applied in done]})


def _checked(client: Client, documents: Sequence[Document]) -> list[Applied]:
    plans: list[Applied] = []
    refused: list[tuple[Document, Refused]] = []
    for document in documents:
        try:
            plans.append(client.apply_job(document.content, dry_run=True))
        except Refused as error:
            if error.status >= 500:  # nothing to be said against the document
                raise
            refused.append((document, error))
    if refused:
        raise _refusal(refused, len(documents)) from refused[0][1]
    return plans


def _refusal(refused: Sequence[tuple[Document, Refused]], total: int) -> Failure:
    """Everything the API has against the files, in one failure; an invalid one decides the exit code."""
    errors: list[dict[str, Any]] = []
    texts: dict[int, str] = {}
    for document, error in refused:
        for field in error.errors or [{"path": "", "message": error.message, "hint": problem_of(error).get("hint")}]:
            text = _at(document.content, str(field["path"]))
            if isinstance(text, str):
                texts[len(errors)] = text
            errors.append({"file": document.place, "job": document.job, **field})
    codes = [exit_code(error) for _, error in refused]
    return Failure(
        {
            "title": refused[0][1].title,
            "status": refused[0][1].status,
            "detail": f"{len(refused)} of {total} jobs {'was' if len(refused) == 1 else 'were'} refused; nothing was saved",
            "errors": errors,
        },
        exit_code=Exit.USAGE if Exit.USAGE in codes else codes[0],
        texts=texts,
    )


def _at(content: Any, path: str) -> Any:
    for part in path.split("."):
        content = content.get(part) if isinstance(content, dict) else None
    return content


def _item(applied: Applied) -> dict[str, Any]:
    job = applied["job"]
    return {
        "job": f"{job['namespace']}/{job['name']}",
        "result": applied["result"],
        "revision": job["status"]["revision"],
    }
