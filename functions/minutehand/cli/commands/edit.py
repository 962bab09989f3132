"""The command `edit`."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from minutehand.cli.command import Session, command, exit_code, job_argument
from minutehand.cli.documents.bulk_apply import is_validation_error, print_warnings, refusal, result_cell
from minutehand.cli.documents.files import Document
from minutehand.cli.documents.job_yaml import definition_of, edited, with_notes, without_empty
from minutehand.cli.documents.text_error import TextError
from minutehand.cli.failures import Exit, Failure, failure
from minutehand.cli.screen.job_text import next_run
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.client import Client, Job, Refused


@command("edit", examples=["edit shop/report"])
@job_argument
def edit_command(session: Session, screen: Screen, *, job: str) -> None:
    """Edit a job's definition as YAML in $VISUAL or $EDITOR, and save it if it was changed.

    If the API refuses the text, the editor opens again with the errors as comments. A text that is not saved stays in its file.
    """
    if not (os.environ.get("VISUAL") or os.environ.get("EDITOR") or session.is_attended()):
        raise click.UsageError("there is no terminal for an editor: set EDITOR, or use `show -o json` and `apply`")
    with session.connect() as client:
        stored = client.get_job(job)
        with _kept_file(screen, job, with_notes(_text(client, stored), _notes(stored))) as path:
            document = _edited(client, job, stored, path)
            saved = None if document is None else client.apply_job(document.content)
    if saved is None or document is None:
        screen.note(f"{job} was not changed")
    elif screen.as_json:
        screen.data(saved["job"])
    else:
        screen.line(result_cell(saved["result"]), job, f"revision {saved['job']['status']['revision']}")
        print_warnings(screen, [saved], [replace(document, place="", text="")])  # its file is gone


def _text(client: Client, stored: Job) -> str:
    """The job as YAML, without what is not set if the API reads that alike."""
    from minutehand.cli.documents.written_jobs import job_text  # noqa: PLC0415 - loads YAML, for a job that exists

    whole = definition_of(stored)
    short = without_empty(whole)
    if client.apply_job(short, dry_run=True)["result"] != "unchanged":
        return job_text(whole)
    unset = ", ".join(field for field in whole if field not in short)
    return f"{job_text(short)}# not set: {unset}\n"


def _notes(stored: Job) -> list[str]:
    status = stored["status"]
    name = f"{stored['namespace']}/{stored['name']}"
    return [
        f"{name}, revision {status['revision']}, {in_utc(status['updated_at'])} UTC by {status['updated_by'] or '-'}",
        ": ".join(next_run(stored)),
        "Save the text and leave the editor to save the job. An unchanged or empty text saves nothing.",
    ]


@contextmanager
def _kept_file(screen: Screen, job: str, text: str) -> Iterator[Path]:
    """A file with the text. It is deleted at the end, unless a failure would lose what was written into it."""
    import tempfile  # noqa: PLC0415 - as in `_text`

    handle, name = tempfile.mkstemp(prefix=f"{job.replace('/', '.')}.", suffix=".yaml")
    os.close(handle)
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    try:
        yield path
    except BaseException:
        if path.read_text(encoding="utf-8") == text:
            path.unlink()
        else:
            screen.note(f"your text is in {path}; `minutehand apply {path}` saves it")
        raise
    path.unlink()


def _edited(client: Client, job: str, stored: Job, path: Path) -> Document | None:
    """Open the editor until the API takes the text; None for a text that changes nothing, or for none. Errors name lines of the file.

    Raises Failure when a refused text is left as it is, and Conflict when someone else changed the job meanwhile.
    """
    start, refused, problem = edited(path.read_text(encoding="utf-8")), "", None
    while True:
        click.edit(filename=str(path))
        text = with_notes(path.read_text(encoding="utf-8"), [])
        if problem is not None and text == refused:
            raise problem
        try:
            found = edited(text)
            if found is None or (start is not None and found[1] == start[1]):
                return None
            content = _same_job(found[1], job, line=found[0])
            document = Document(place=f"{path}:{found[0]}", job=job, content=content, text=text)
            client.apply_job(document.content, dry_run=True)
        except TextError as error:
            said = partial(_unreadable, error)
        except Refused as error:
            if not is_validation_error(error) or exit_code(error) is not Exit.USAGE:
                raise
            said = partial(_refused, error, document)
        else:
            if client.get_job(job)["status"]["revision"] != stored["status"]["revision"]:
                detail, hint = f"someone else changed {job} meanwhile", "edit it again, with what you wrote at hand"
                raise failure("conflict", detail, hint=hint, exit_code=Exit.CONFLICT)
            return document
        notes = _notes(stored)
        problem = said(len(notes) + sum(len(line.splitlines()) for line in said(0).lines()))
        refused = text
        path.write_text(with_notes(text, [*problem.lines(), *notes]), encoding="utf-8")


def _same_job(content: Mapping[str, Any], job: str, *, line: int) -> dict[str, Any]:
    namespace, _, name = job.partition("/")
    given = content.get("namespace", namespace), content.get("name", name)
    if given != (namespace, name):
        message = f"this is {given[0]}/{given[1]}, not {job}: an edit does not rename a job"
        raise TextError(message=message, line=line, hint="`minutehand apply` saves a job under a new name")
    return {**content, "namespace": namespace, "name": name}


def _unreadable(error: TextError, above: int) -> Failure:
    """The failure for a text that is no job. above: how many lines of notes will be above it in its file."""
    column = f", column {error.column}" if error.column else ""
    return failure("invalid text", f"line {error.line + above}{column}: {error.message}", hint=error.hint)


def _refused(error: Refused, document: Document, above: int) -> Failure:
    """The failure for a job that the API refused; above: as for `_unreadable`."""
    file, _, line = document.place.rpartition(":")
    placed = replace(document, place=f"{file}:{int(line) + above}", text="\n" * above + document.text)
    return refusal([(placed, error)], total=1, noun="job")
