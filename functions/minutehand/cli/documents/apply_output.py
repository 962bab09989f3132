"""The output of saving jobs: results, warnings, and the runs that an edit adds and removes."""

from collections.abc import Iterator, Sequence
from typing import Any

from minutehand.cli.documents.files import Document
from minutehand.cli.documents.validation_errors import text_at
from minutehand.cli.failures import field_lines
from minutehand.cli.schedules.parsing import runs_a_day
from minutehand.cli.screen.render import Screen
from minutehand.client import Applied, FieldError

LONGEST_RESULT = 9


def job_name_of(applied: Applied) -> str:
    """`namespace/name`."""
    return f"{applied['job']['namespace']}/{applied['job']['name']}"


def item(applied: Applied, *, dry_run: bool) -> dict[str, Any]:
    """The result as JSON."""
    fields: dict[str, Any] = {
        "job": job_name_of(applied),
        "result": applied["result"],
        "revision": applied["job"]["status"]["revision"],
        "warnings": applied["warnings"],
    }
    return fields | ({"preview": applied["preview"]} if dry_run and "preview" in applied else {})


def print_result(screen: Screen, applied: Applied) -> None:
    """Print the result as a line."""
    revision = f"revision {applied['job']['status']['revision']}"
    screen.line(applied["result"].ljust(LONGEST_RESULT), job_name_of(applied), revision, edit_words(applied))


def edit_words(applied: Applied) -> str:
    """The runs that the edit adds and removes; empty without a preview."""
    diff = applied["preview"]["diff"] if "preview" in applied else None
    if diff is None:
        return ""
    if not diff["added_per_day"] and not diff["removed_per_day"]:
        return "adds and removes no runs"
    return runs_a_day(diff["added_per_day"], diff["removed_per_day"])


def print_warnings(screen: Screen, done: Sequence[Applied], documents: Sequence[Document]) -> None:
    """Print the warnings, each with its place and a caret under the text."""
    by_name = {document.job: document for document in documents}
    for applied in done:
        for warning in applied["warnings"]:
            for line in _lines(warning, by_name[job_name_of(applied)]):
                screen.note(line[2:])


def _lines(warning: FieldError, document: Document) -> Iterator[str]:
    text = text_at(document.content, str(warning["path"]))
    fields = {"file": document.place, "job": document.job, **warning}
    yield from field_lines(fields, text if isinstance(text, str) else None, kind="warning")
