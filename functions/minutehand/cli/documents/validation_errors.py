"""The API's validation errors for documents from files, as one failure."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from minutehand.cli.command import exit_code, problem_of
from minutehand.cli.documents.files import Document
from minutehand.cli.failures import Exit, Failure
from minutehand.client import FieldError, MinutehandError, Refused


def is_validation_error(error: MinutehandError) -> bool:
    """Whether the API refused the document, rather than failed itself."""
    return isinstance(error, Refused) and error.status < 500


def refusal(
    refused: Sequence[tuple[Document, Refused]], *, total: int, noun: str, shared_field: str | None = None
) -> Failure:
    """All validation errors with their places. The exit code is that of an invalid document, if there is one.

    shared_field: a field that all documents have from one template; an error that several have in it is listed once.
    """
    often = Counter(_identity(field) for _, error in refused for field in error.errors)
    once: set[tuple[str, str]] = set()
    errors: list[dict[str, Any]] = []
    texts: dict[int, str] = {}
    for document, error in refused:
        for field in error.errors or [{"path": "", "message": error.message, "hint": problem_of(error).get("hint")}]:
            shared = str(field["path"]).partition(".")[0] == shared_field and often[_identity(field)] > 1
            if shared and _identity(field) in once:
                continue
            text = text_at(document.content, str(field["path"]))
            if isinstance(text, str):
                texts[len(errors)] = text
            if shared:
                once.add(_identity(field))
            errors.append({**field} if shared else {"file": document.place, noun: document.job, **field})
    nouns, were = noun if total == 1 else f"{noun}s", "was" if len(refused) == 1 else "were"
    codes = [exit_code(error) for _, error in refused]
    return Failure(
        {
            "title": refused[0][1].title,
            "status": refused[0][1].status,
            "detail": f"{len(refused)} of {total} {nouns} {were} refused; nothing was saved",
            "errors": errors,
        },
        exit_code=Exit.USAGE if Exit.USAGE in codes else codes[0],
        texts=texts,
    )


def _identity(field: FieldError) -> tuple[str, str]:
    return str(field["path"]), str(field["message"])


def text_at(content: Any, path: str) -> Any:
    """The value at a path such as `target.url` or `dates[3]`; None if there is none."""
    for part in re.findall(r"[^.\[\]]+", path):
        if isinstance(content, list):
            content = content[int(part)] if part.isdecimal() and int(part) < len(content) else None
        else:
            content = content.get(part) if isinstance(content, dict) else None
    return content
