"""A stored job as YAML to edit: without what is not set, below comments about the job."""

from collections.abc import Mapping, Sequence
from typing import Any

from minutehand.cli.documents.text_error import TextError

ANSWERED = frozenset({"status", "warnings", "preview", "backfill"})
"""Fields of a job's document that the API answers, and ignores in a document to save."""
_EMPTY: tuple[object, ...] = (None, "", [], {})
_NOTE = "#! "
"""The beginning of comment lines that are written anew each time the editor opens."""


def definition_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a job that can be saved."""
    return {field: value for field, value in job.items() if field not in ANSWERED}


def without_empty(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without empty values, at any depth of its mappings; a payload stays as it is."""
    kept = {
        field: without_empty(value) if isinstance(value, dict) and field != "payload" else value
        for field, value in document.items()
    }
    return {field: value for field, value in kept.items() if value not in _EMPTY}


def with_notes(text: str, notes: Sequence[str]) -> str:
    """The text below notes as comments, which replace those that it has."""
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith(_NOTE.strip())]
    return "".join([*(f"{_NOTE}{line}\n" for note in notes for line in note.splitlines()), *kept])


def edited(text: str) -> tuple[int, dict[str, Any]] | None:
    """The document in an edited text, with its first line; None for a text without any. Raises TextError."""
    from minutehand.cli.documents.yaml_json import read_yaml  # noqa: PLC0415 - loads YAML, once there is a text

    documents = list(read_yaml(text))
    if not documents:
        return None
    if len(documents) > 1:
        raise TextError(message="these are several documents", line=documents[1][0], hint="leave one job")
    [(line, document)] = documents
    if not isinstance(document, dict):
        raise TextError(message="this is not a mapping", line=line, hint="write one field a line, such as owner: shop")
    return line, document
