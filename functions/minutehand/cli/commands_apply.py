"""`apply`."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from minutehand.cli.command import command, exit_code, problem_of
from minutehand.cli.failures import Exit, Failure
from minutehand.cli.files import Document, read_documents
from minutehand.cli.parallel import side_by_side
from minutehand.cli.render import Screen
from minutehand.cli.session import Session
from minutehand.client import Applied, Client, MinutehandError, Refused

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
        checked = _checked(screen, client, documents)
        if dry_run:
            _tell(screen, checked)
            screen.note("nothing was saved: --dry-run")
        else:
            _save(screen, client, documents, checked)


def _checked(screen: Screen, client: Client, documents: Sequence[Document]) -> list[Applied]:
    plans: list[Applied] = []
    refused: list[tuple[Document, Refused]] = []
    with screen.progress("checking", len(documents)) as step:
        outcomes = side_by_side(
            lambda document: client.apply_job(document.content, dry_run=True),
            documents,
            step=step,
            halts=lambda error: not _is_about_the_document(error),
        )
    if outcomes.interrupted:
        raise KeyboardInterrupt
    for document, outcome in zip(documents, outcomes.each, strict=True):
        if isinstance(outcome, Refused) and _is_about_the_document(outcome):
            refused.append((document, outcome))
        elif isinstance(outcome, MinutehandError):
            raise outcome
        elif outcome is not None:
            plans.append(outcome)
    if refused:
        raise _refusal(refused, len(documents)) from refused[0][1]
    return plans


def _is_about_the_document(error: MinutehandError) -> bool:
    return isinstance(error, Refused) and error.status < 500


def _save(screen: Screen, client: Client, documents: Sequence[Document], plans: Sequence[Applied]) -> None:
    """Save what is not yet as its file says, and tell what is saved, even when something fails or Ctrl-C comes in the middle."""
    with screen.progress("saving", len(documents)) as step:
        outcomes = side_by_side(
            lambda pair: pair[1] if pair[1]["result"] == "unchanged" else client.apply_job(pair[0].content),
            list(zip(documents, plans, strict=True)),
            step=step,
        )
    failures = [outcome for outcome in outcomes.each if isinstance(outcome, MinutehandError)]
    done = [outcome for outcome in outcomes.each if outcome is not None and not isinstance(outcome, MinutehandError)]
    _tell(screen, done)
    if len(done) < len(documents):
        screen.note(f"{len(done)} of {len(documents)} jobs are as their files say; applying again goes on from there")
    if outcomes.interrupted:
        raise KeyboardInterrupt
    if failures:
        raise failures[0]


def _tell(screen: Screen, done: Sequence[Applied]) -> None:
    items = [_item(applied) for applied in done]
    if screen.as_json:
        screen.data({"items": items})
        return
    for item in items:
        screen.line(item["result"].ljust(LONGEST_RESULT), item["job"], f"revision {item['revision']}")


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
