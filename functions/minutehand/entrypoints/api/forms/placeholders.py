"""Finds what an import has left to be completed in the target of a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minutehand.domain.errors import FieldProblem
from minutehand.domain.placeholder import PLACEHOLDER


def placeholder_problems(document: Mapping[str, Any]) -> list[FieldProblem]:
    """The fields of a job's target that hold the placeholder of an import."""
    target = document.get("target")
    if not isinstance(target, Mapping):
        return []
    message = "the import did not know this, and left it to be completed"
    hint = "write it, or import again with --url-template URL or --target FILE, which complete the targets of all jobs"
    return [FieldProblem(f"target.{name}", message, hint) for name, value in target.items() if value == PLACEHOLDER]
